// SPDX-License-Identifier: GPL-2.0-only
/*
 * A filter whose link is pinned outlives its session, but is inactive: the session is closed, nothing is sampled, and
 * the filter is not called. It holds a reference to the module until it is unpinned.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"

#define PIN	"/sys/fs/bpf/pinned_filter"
#define LISTS	"/sys/kernel/debug/tprof/"

/* Whether a list in debugfs has only its header line. */
static bool is_empty(const char *list)
{
	char path[80];

	snprintf(path, sizeof(path), LISTS "%s", list);
	return !*(strchr(read_file(path), '\n') + 1);
}

/* Reads the session, the name and the number of calls of the pinned filter from debugfs. */
static void pinned_filter(unsigned long long *session, char name[TPROF_NAME_LEN], unsigned long long *calls)
{
	const char *line = strchr(read_file(LISTS "filters"), '\n') + 1;

	need(sscanf(line, "%llu\t%*u\t%15s\t%*s\t%llu", session, name, calls) == 3, "debugfs has the filter");
}

/* Runs a session with a filter, and closes everything except the pin. Returns the number of the session. */
static unsigned long long leave_pin(int device)
{
	static const struct bpf_insn done[] = { ANSWER(TPROF_DONE) };
	int session = create_session(device), link;
	unsigned long long id;

	need(session >= 0 && add_timer(session, MS) == 0, "a session is made");
	link = attach_filter(session, "pinned", 0, done, 2);
	need(link >= 0, "a filter is attached");
	is(pin_link(link, PIN), 0, "its link is pinned");
	close(link);
	is(read_session(session).nr_filters, 1, "the pin keeps it attached");
	need(ioctl(session, TPROF_IOC_START) == 0, "the session starts");
	while (!read_filter_info(session, 0).calls)
		burn(1 * MS);
	check(true, "it is called");
	id = read_session(session).id;
	close(session);
	return id;
}

static void closed(int device, unsigned long long id)
{
	unsigned long long session, before, after;
	char name[TPROF_NAME_LEN];

	is(open_sessions(device), 0, "its session is closed");
	check(is_empty("sessions"), "debugfs lists no session");
	check(is_empty("sources"), "and nothing that would fire");
	pinned_filter(&session, name, &before);
	is(session, id, "the filter still says whose it was");
	check(strcmp(name, "pinned") == 0, "and its name");
	burn(100 * MS);
	pinned_filter(&session, name, &after);
	is(after, before, "it is not called");
}

/* No descriptor of that session exists, so the filter cannot be replaced. */
static void not_replaced(int device)
{
	static const struct bpf_insn done[] = { ANSWER(TPROF_DONE) };
	int session = create_session(device), link = get_link(PIN);
	int map = make_filter(session, "other", 0, done, 2);

	need(session >= 0 && link >= 0 && map >= 0, "another session, a filter of it, and the pinned link");
	refuses(replace_filter(link, map), EINVAL, "another session's filter does not take its place");
	is(read_session(session).nr_filters, 0, "nor becomes that session's");
	close(map);
	close(link);
	close(session);
}

int main(void)
{
	int device = open_device(), link;
	unsigned long long id = leave_pin(device);

	closed(device, id);
	not_replaced(device);
	close(device);
	refuses(unload_module("tprof"), EAGAIN, "the module is held by the pin alone");

	link = get_link(PIN);
	need(link >= 0 && unlink(PIN) == 0, "the link is opened, and unpinned");
	check(!is_empty("filters"), "who has it open keeps the filter");
	refuses(unload_module("tprof"), EAGAIN, "and the module");
	close(link);
	check(is_empty("filters"), "then the filter is gone");
	unload_released_module("tprof");
	is(load_module("tprof"), 0, "the module goes, and comes back");

	device = open_device();
	leave_pin(device);
	link = get_link(PIN);
	is(detach_filter(link), 0, "a filter is detached by its pin");
	check(is_empty("filters"), "and gone, though it is pinned");
	close(link);
	need(unlink(PIN) == 0, "it is unpinned");
	close(device);
	return done_testing();
}
