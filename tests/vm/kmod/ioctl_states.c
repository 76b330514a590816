// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each call in each state: calls that need a new session return EBUSY later, the others work in any state.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"

static const char *const states[] = { "new", "running", "stopped" };

/* Calls that work in any state, and do not change it. */
static void anytime(int session, unsigned int state)
{
	struct tprof_target target = { .size = sizeof(target), .id = getpid() };
	struct tprof_period period = { .size = sizeof(period), .period = 2 * MS };
	struct tprof_filter_info filter = { .size = sizeof(filter) };
	uint64_t cookie = 1;
	struct tprof_filter_enable enable = { .size = sizeof(enable), .id = 1 };
	uint32_t epoch = read_session(session).epoch;

	is(read_session(session).state, state, "%s: is its state", states[state]);
	is(ioctl(session, TPROF_IOC_ATTACH, &target), 0, "%s: ATTACH", states[state]);
	is(ioctl(session, TPROF_IOC_ATTACH, &target), 0, "%s: ATTACH again", states[state]);
	is(ioctl(session, TPROF_IOC_DETACH, &target), 0, "%s: DETACH", states[state]);
	refuses(ioctl(session, TPROF_IOC_DETACH, &target), ENOENT, "%s: DETACH again", states[state]);
	is(ioctl(session, TPROF_IOC_PERIOD, &period), 0, "%s: PERIOD", states[state]);
	is(ioctl(session, TPROF_IOC_FLUSH, &cookie), 0, "%s: FLUSH", states[state]);
	refuses(ioctl(session, TPROF_IOC_FLUSH, NULL), EFAULT, "%s: FLUSH without a cookie", states[state]);
	is(ioctl(session, TPROF_IOC_CLEAR), 0, "%s: CLEAR", states[state]);
	is(read_session(session).epoch, epoch + 1, "%s: is another epoch then", states[state]);
	is(read_ledger(session, -1).epoch, epoch + 1, "%s: the ledger knows", states[state]);
	is(read_counts(session, 0, -1).event, 0, "%s: COUNTS", states[state]);
	refuses(ioctl(session, TPROF_IOC_FILTER, &filter), ENOENT, "%s: FILTER, of which there is none", states[state]);
	refuses(ioctl(session, TPROF_IOC_FILTER_ENABLE, &enable), ENOENT, "%s: FILTER_ENABLE, of which there is none",
		states[state]);
	is(read_session(session).state, state, "%s: is its state still", states[state]);
}

/* Calls that only a new session accepts. */
static void started(int session, unsigned int state)
{
	refuses(configure(session, 0, 0), EBUSY, "%s: CONFIGURE", states[state]);
	refuses(add_timer(session, MS), EBUSY, "%s: ADD_EVENT", states[state]);
	is(read_session(session).nr_events, 1, "%s: has its event", states[state]);
}

int main(void)
{
	int session = create_session(open_device());
	struct tprof_ledger_read ledger;

	need(session >= 0, "a session is made");
	is(read_session(session).state, TPROF_SESSION_NEW, "it is new");
	is(ioctl(session, TPROF_IOC_STOP), 0, "STOP of a new one is no error");
	is(read_session(session).state, TPROF_SESSION_NEW, "and it stays new");
	refuses(ioctl(session, TPROF_IOC_START), EINVAL, "START without an event");
	is(read_session(session).state, TPROF_SESSION_NEW, "and it stays new");
	is(configure(session, 0, 0), 0, "CONFIGURE");
	is(add_timer(session, MS), 0, "ADD_EVENT");
	anytime(session, TPROF_SESSION_NEW);
	is(read_counts(session, 0, -1).value, 0, "nothing was counted");

	is(ioctl(session, TPROF_IOC_START), 0, "START");
	is(ioctl(session, TPROF_IOC_START), 0, "START again is no error");
	anytime(session, TPROF_SESSION_RUNNING);
	started(session, TPROF_SESSION_RUNNING);

	burn(20 * MS);
	is(ioctl(session, TPROF_IOC_STOP), 0, "STOP");
	ledger = read_ledger(session, -1);
	check(ledger.fired.samples > 0, "there were samples");
	is(ioctl(session, TPROF_IOC_STOP), 0, "STOP again is no error");
	is(read_ledger(session, -1).fired.samples, ledger.fired.samples, "and changes nothing");
	anytime(session, TPROF_SESSION_STOPPED);
	started(session, TPROF_SESSION_STOPPED);
	is(read_ledger(session, -1).fired.samples, 0, "CLEAR has cleared");

	is(ioctl(session, TPROF_IOC_START), 0, "START after STOP");
	burn(20 * MS);
	flush(session);
	check(read_ledger(session, -1).fired.samples > 0, "there are samples again");
	anytime(session, TPROF_SESSION_RUNNING);
	started(session, TPROF_SESSION_RUNNING);
	is(close(session), 0, "close() of a running one");
	return done_testing();
}
