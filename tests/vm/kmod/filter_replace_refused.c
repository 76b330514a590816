// SPDX-License-Identifier: GPL-2.0-only
/*
 * BPF_LINK_CREATE and BPF_LINK_UPDATE refuse invalid calls with the right errno, and the filter that was to be replaced
 * is not affected.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"

#define UNKNOWN_FLAG (TPROF_FILTER_FLAGS + 1)

static const struct bpf_insn done[] = { ANSWER(TPROF_DONE) };
static int session;

static int make(int fd, const char *name, uint32_t flags)
{
	return make_filter(fd, name, flags, done, 2);
}

static int without_program(void)
{
	struct filter_btf btf = filter_find_types();
	int map = make_filter_of(&btf, session, "idle", 0, -1);

	close(btf.fd);
	return map;
}

/* Checks that the filter is unchanged and active after a refusal. */
static void unharmed(const struct tprof_filter_info *before, const char *what)
{
	struct tprof_filter_info now = read_filter_info(session, 0);

	check(now.id == before->id && now.state == before->state && strcmp(now.name, before->name) == 0,
	      "%s: the filter is the same", what);
	while (read_filter_info(session, 0).calls == now.calls)
		burn(1 * MS);
	check(true, "%s: and goes on", what);
	is(read_session(session).nr_filters, 1, "%s: as the only one", what);
}

/* Closes @map. */
static void refused(int link, int map, int error, const char *what)
{
	struct tprof_filter_info before = read_filter_info(session, 0);

	need(map >= 0, "%s: a filter is made", what);
	refuses(link_filter(map), error, "%s: is not attached", what);
	refuses(replace_filter(link, map), error, "%s: replaces nothing", what);
	unharmed(&before, what);
	close(map);
}

static void wrong_old(int link, int linked)
{
	struct tprof_filter_info before = read_filter_info(session, 0);
	int other = make(session, "other", 0), third = make(session, "third", 0);

	need(other >= 0 && third >= 0, "two filters are made");
	refuses(replace_this_filter(link, other, third), EPERM, "another than the one that is linked is expected");
	unharmed(&before, "wrong old map");
	is(replace_this_filter(link, other, linked), 0, "the one that is linked is expected");
	check(strcmp(read_filter_info(session, 0).name, "other") == 0, "and it is replaced");
	refuses(replace_this_filter(link, third, linked), EPERM, "then it is not linked any more");
	is(replace_this_filter(link, linked, other), 0, "and comes back");
	close(other);
	close(third);
}

/* A link whose filter was detached. */
static void detached(int link, int map)
{
	struct tprof_ledger_read before;

	is(detach_filter(link), 0, "the filter is detached, its link stays");
	is(read_session(session).nr_filters, 0, "there is no filter");
	refuses(replace_filter(link, map), ENOLINK, "it cannot be replaced");
	is(detach_filter(link), 0, "to detach it again does nothing");
	before = read_ledger(session, -1);
	while (read_ledger(session, -1).fired.samples == before.fired.samples)
		burn(1 * MS);
	check(true, "the session goes on without");
}

int main(void)
{
	int device = open_device(), other, closed, map, link;
	struct tprof_ledger_read ledger;

	session = create_session(device);
	other = create_session(device);
	closed = dup(device);
	need(session >= 0 && other >= 0 && add_timer(session, MS) == 0, "two sessions are made");
	map = make(session, "first", 0);
	link = link_filter(map);
	need(link >= 0 && ioctl(session, TPROF_IOC_START) == 0, "one has a filter, and starts");

	refused(link, make(session, "flags", UNKNOWN_FLAG), EINVAL, "an unknown flag");
	refused(link, without_program(), EINVAL, "no program");
	refused(link, make(device, "device", 0), EBADF, "the device for a session");
	close(closed);
	refused(link, make(closed, "closed", 0), EBADF, "a number without a file");
	refused(link, make(-1, "none", 0), EBADF, "no number");
	refuses(make(session, "", 0), EINVAL, "a filter without a name cannot be made");

	closed = make(other, "other's", 0);
	need(closed >= 0, "a filter of the other session is made");
	refuses(replace_filter(link, closed), EINVAL, "a filter of another session replaces nothing");
	close(closed);
	is(read_session(other).nr_filters, 0, "and the other session has none");
	wrong_old(link, map);
	ledger = read_ledger(session, -1);
	is(read_filter_info(session, 0).bad, 0, "each answer was a verdict");
	is(lost(&ledger), 0, "nothing is lost");
	detached(link, map);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "the session stops");
	ledger = read_ledger(session, -1);
	check(closes(&ledger) && !lost(&ledger), "the ledger closes");
	close(link);
	close(map);
	close(other);
	close(session);
	return done_testing();
}
