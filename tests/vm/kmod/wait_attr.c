// SPDX-License-Identifier: GPL-2.0-only
/*
 * Valid and invalid events of the sources off-cpu and on-cpu, and a session that has one: it is started, flushed and
 * stopped again and again, beside another one with other attributes, and both ledgers close.
 *
 * vm: machines=x86-64,arm64,next,debug all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "source.h"

static int device;
static const char *source;

static int add(int session, const void *attr, uint32_t size, uint64_t period)
{
	struct tprof_event event = {
		.size = sizeof(event), .period = period, .attr = (uintptr_t)attr, .attr_size = size,
	};

	snprintf(event.source, sizeof(event.source), "%s", source);
	return ioctl(session, TPROF_IOC_ADD_EVENT, &event);
}

static int try(const void *attr, uint32_t size, uint64_t period)
{
	return try_event(device, source, attr, size, period);
}

static void attributes(bool has_minimum)
{
	const struct tprof_wait_attr good = { .sched_start = 1, .sched_end = 2, .min_ns = has_minimum ? 3 : 0 };
	const struct tprof_wait_attr minimum = { .min_ns = 3 };
	const struct tprof_wait_attr backwards = { .sched_start = 2, .sched_end = 1 };
	const struct tprof_wait_attr larger[2] = { 0 };

	is(try(NULL, 0, 1), 0, "no attributes");
	is(try(&good, sizeof(good), 1), 0, "attributes");
	refuses(try(&good, sizeof(good) - 1, 1), EINVAL, "attributes that are too short");
	refuses(try(larger, sizeof(larger), 1), E2BIG, "attributes that are too long");
	is(try(&minimum, sizeof(minimum), 1), has_minimum ? 0 : -1, "a minimum");
	refuses(try(&backwards, sizeof(backwards), 1), EINVAL, "a scheduler that ends before it starts");
	refuses(try(NULL, 0, 0), EINVAL, "it does not count without sampling");
	refuses(try((void *)8, sizeof(good), 1), EFAULT, "attributes that cannot be read");
}

/* Waits and runs are in progress all the time, so each session has got some. */
static void closed(int session, const char *what)
{
	struct tprof_ledger_read ledger = read_ledger(session, -1);

	check(ledger.fired.samples && closes(&ledger), "%s: %s: it has samples, and the ledger closes", source, what);
	is(lost(&ledger), 0, "nothing is lost");
	close(session);
}

static void starts(void)
{
	const struct tprof_wait_attr other = { .sched_start = 1, .sched_end = 2 };
	int session = create_session(device), beside = create_session(device);

	need(add(session, NULL, 0, 1) == 0 && add(beside, &other, sizeof(other), 1) == 0, "two sessions");
	need(ioctl(beside, TPROF_IOC_START) == 0, "the other starts");
	for (int i = 0; i < 5; i++) {
		const uint64_t cookie = 0;

		need(ioctl(session, TPROF_IOC_START) == 0, "start");
		usleep(20000);
		need(ioctl(session, TPROF_IOC_FLUSH, &cookie) == 0 && ioctl(session, TPROF_IOC_STOP) == 0, "stop");
	}
	closed(session, "started and stopped five times");
	is(ioctl(beside, TPROF_IOC_STOP), 0, "the other goes on, and stops");
	closed(beside, "the other");
}

int main(void)
{
	device = open_device();
	source = "off-cpu";
	attributes(true);
	starts();
	source = "on-cpu";
	attributes(false);
	starts();
	is(open_sessions(device), 0, "no session is left");
	return done_testing();
}
