// SPDX-License-Identifier: GPL-2.0-only
/*
 * A sealed session can be passed on: who receives it can start, stop and read it, but cannot sample other events, other
 * processes or more of a sample than its creator chose. Each seal refuses its own calls, and no other.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"
#include "scope.h"

static const struct bpf_insn done[] = { ANSWER(TPROF_DONE) };
static int device;

static int seal(int session, uint32_t seals)
{
	struct tprof_seal seal = { .size = sizeof(seal), .seals = seals };

	return ioctl(session, TPROF_IOC_SEAL, &seal);
}

static int set_period(int session, uint64_t period)
{
	struct tprof_period arg = { .size = sizeof(arg), .period = period };

	return ioctl(session, TPROF_IOC_PERIOD, &arg);
}

/* A call that the seal refuses, or does not. */
#define sealed(refused, call, what) do {						\
		if (refused)								\
			refuses(call, EPERM, "%s is sealed", what);			\
		else									\
			check((call) >= 0, "%s is not sealed", what);			\
	} while (0)

static void is_sealed(int session, uint32_t seals)
{
	int link = -1;

	sealed(seals & TPROF_SEAL_SCOPE, configure(session, 0, 0), "CONFIGURE");
	sealed(seals & TPROF_SEAL_EVENTS, add_timer(session, 2 * MS), "ADD_EVENT");
	sealed(seals & TPROF_SEAL_EVENTS, set_period(session, 3 * MS), "PERIOD");
	sealed(seals & TPROF_SEAL_SCOPE, attach(session, TPROF_TARGET_PROCESS, 1), "ATTACH");
	sealed(seals & TPROF_SEAL_SCOPE, detach(session, TPROF_TARGET_PROCESS, 1), "DETACH");
	sealed(seals & TPROF_SEAL_FILTERS, link = attach_filter(session, "done", 0, done, 2), "a filter");
	if (link >= 0)
		close(link);
}

static void with(uint32_t seals)
{
	int session = create_session(device);
	struct tprof_ledger_read ledger;
	char path[64], line[32];

	need(session >= 0 && add_timer(session, MS) == 0, "a session");
	is(seal(session, seals), 0, "it is sealed with 0x%x", seals);
	is_sealed(session, seals);
	is(seal(session, 0), 0, "no seal is added");
	is_sealed(session, seals);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", session);
	snprintf(line, sizeof(line), "\ntprof-seals:\t0x%x\n", seals);
	check(strstr(read_file(path), line), "fdinfo names the seals");
	is(ioctl(session, TPROF_IOC_START), 0, "it can be started");
	burn(20 * MS);
	flush(session);
	is(ioctl(session, TPROF_IOC_CLEAR), 0, "it can be cleared");
	is(ioctl(session, TPROF_IOC_STOP), 0, "it can be stopped");
	ledger = read_ledger(session, -1);
	check(closes(&ledger), "it can be read");
	close(session);
}

/* A filter that is attached already stays, and cannot be replaced. */
static void replaced(void)
{
	int session = create_session(device), map, other, link;

	need(session >= 0 && add_timer(session, MS) == 0, "a session");
	map = make_filter(session, "done", 0, done, 2);
	other = make_filter(session, "other", 0, done, 2);
	link = link_filter(map);
	need(link >= 0 && other >= 0, "with a filter");
	is(seal(session, TPROF_SEAL_FILTERS), 0, "it is sealed");
	refuses(replace_filter(link, other), EPERM, "the filter cannot be replaced");
	check(strcmp(read_filter_info(session, 0).name, "done") == 0, "it is still there");
	close(link);
	close(map);
	close(other);
	close(session);
}

int main(void)
{
	int session;

	device = open_device();
	for (uint32_t seals = 0; seals <= TPROF_SEALS; seals++)
		with(seals);
	replaced();
	session = create_session(device);
	refuses(seal(session, TPROF_SEALS + 1), EINVAL, "an unknown seal");
	is(seal(session, TPROF_SEAL_EVENTS), 0, "one seal");
	is(seal(session, TPROF_SEAL_SCOPE), 0, "and another");
	refuses(add_timer(session, MS), EPERM, "both hold: events");
	refuses(configure(session, 0, 0), EPERM, "both hold: scope");
	close(session);
	return done_testing();
}
