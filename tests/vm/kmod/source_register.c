// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sources of other modules: valid ones are registered, invalid ones refused; sessions find them by name, and their
 * module cannot be unloaded while a session has an event of it.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "source.h"

#define MODULE "tprof_burst"

static int device;

static unsigned int nr_sources(void)
{
	struct tprof_module_info info = { .size = sizeof(info) };

	need(ioctl(device, TPROF_IOC_INFO, &info) == 0, "the module tells of itself");
	return info.nr_sources;
}

/* The timer, perf, waits, and what this kernel can probe. */
static unsigned int nr_own(void)
{
	struct tprof_module_info info = { .size = sizeof(info) };

	need(ioctl(device, TPROF_IOC_INFO, &info) == 0, "the module tells of itself");
	return 5 + !!(info.features & TPROF_FEATURE_KPROBE) + !!(info.features & TPROF_FEATURE_UPROBE);
}

static void test_refused(void)
{
	refuses(load_source(MODULE, "source_version=4"), EINVAL, "an older version is refused");
	refuses(load_source(MODULE, "source_version=6"), EINVAL, "a newer version is refused");
	refuses(load_source(MODULE, "source_name="), EINVAL, "an empty name is refused");
	refuses(load_source(MODULE, "source_name=sixteen-letters-"), EINVAL, "a long name is refused");
	refuses(load_source(MODULE, "source_name=timer"), EBUSY, "the name of a source of tprof's own is taken");
	refuses(load_source(MODULE, "source_name=perf"), EBUSY, "so is that of the other");
	is(nr_sources(), nr_own(), "none of them stays registered");
}

static void test_events(int session)
{
	refuses(add_source(session, "burst", "process", 1), ENOENT, "a source that nobody brought is not there");
	is(load_source(MODULE, ""), 0, "a module brings its source");
	is(nr_sources(), nr_own() + 1, "there is one source more");
	refuses(add_source(session, "burst", NULL, 1), EINVAL, "a source that wants to be told what to do");
	refuses(add_source(session, "burst", "nowhere", 1), EINVAL, "a source that is told what it does not know");
	refuses(add_source(session, "burst", "process", 0), EINVAL, "a source that cannot count without samples");
	is(add_source(session, "burst", "process", 1), 0, "an event of the source");
	is(add_source(session, "burst", "softirq", 1), 1, "another event of the same source");
}

static unsigned int nr_prepared(void)
{
	FILE *file = open_parameter(MODULE, "prepared", "r");
	unsigned int nr;

	need(fscanf(file, "%u", &nr) == 1, "the number of prepared sources");
	fclose(file);
	return nr;
}

/* The second of two events cannot be prepared. */
static void test_unready(int session)
{
	need(write_parameter(MODULE, "unready", 2), "a source that cannot be prepared");
	refuses(ioctl(session, TPROF_IOC_START), EIO, "a source that cannot be prepared: its error");
	is(nr_prepared(), 0, "the other event was given back");
	is(read_session(session).state, TPROF_SESSION_NEW, "the session is still new");
}

static void test_use(int session)
{
	struct tprof_ledger_read ledger;

	refuses(unload_source(MODULE), EWOULDBLOCK, "with an event the module cannot be unloaded");
	test_unready(session);
	is(ioctl(session, TPROF_IOC_START), 0, "the session starts");
	is(ioctl(session, TPROF_IOC_START), 0, "it runs already");
	is(nr_prepared(), 2, "both events are prepared, once");
	refuses(unload_source(MODULE), EWOULDBLOCK, "nor while the session runs");
	check(write_parameter(MODULE, "fire", 3), "the source fires");
	is(ioctl(session, TPROF_IOC_STOP), 0, "the session stops");
	is(nr_prepared(), 0, "they are given back");
	refuses(unload_source(MODULE), EWOULDBLOCK, "nor when it is stopped");
	ledger = read_ledger(session, -1);
	is(ledger.fired.samples, 6, "each of the two events has fired as often as it should");
	is(ledger.fired.weight, 6, "with the period as the weight");
	check(closes(&ledger), "the ledger closes");
	check(write_parameter(MODULE, "fire", 3), "the source is stopped");
	is(read_ledger(session, -1).fired.samples, 6, "so it does not fire");
}

int main(void)
{
	int session;

	device = open_device();
	session = create_session(device);
	need(session >= 0, "a session is made");
	is(nr_sources(), nr_own(), "at first there are the sources of tprof itself");
	test_refused();
	test_events(session);
	test_use(session);
	close(session);
	is(unload_source(MODULE), 0, "the module is unloaded when the session is closed");
	is(nr_sources(), nr_own(), "and its source is gone");
	session = create_session(device);
	refuses(add_source(session, "burst", "process", 1), ENOENT, "nobody finds it any more");
	is(load_source(MODULE, ""), 0, "it can come back");
	is(unload_source(MODULE), 0, "and go, though nobody has used it");
	return done_testing();
}
