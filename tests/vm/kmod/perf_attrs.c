// SPDX-License-Identifier: GPL-2.0-only
/*
 * Valid and invalid events of the source perf: attributes of all sizes, members that the client must not set, and
 * events that this machine does not have.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "source.h"

/* An attribute that is larger than that of the kernel. */
union large {
	struct perf_event_attr attr;
	char bytes[2 * sizeof(struct perf_event_attr)];
};

static int device;

static int try(const void *attr, uint32_t size, uint64_t period)
{
	struct tprof_event event = {
		.size = sizeof(event), .source = "perf", .period = period, .attr = (uintptr_t)attr, .attr_size = size,
	};
	int session = create_session(device), result, error;

	need(session >= 0, "a session is made");
	result = ioctl(session, TPROF_IOC_ADD_EVENT, &event);
	error = errno;
	close(session);
	errno = error;
	return result;
}

static int with(struct perf_event_attr attr)
{
	attr.type = PERF_TYPE_SOFTWARE;
	return try(&attr, sizeof(attr), 1);
}

#define turns(text, ...)	refuses(with((struct perf_event_attr){ __VA_ARGS__ }), EINVAL, text)
#define takes(text, ...)	is(with((struct perf_event_attr){ __VA_ARGS__ }), 0, text)

static void members(void)
{
	takes("an event");
	takes("not in user mode", .exclude_user = 1);
	takes("not in the kernel", .exclude_kernel = 1);
	takes("not in a hypervisor, nor in a guest", .exclude_hv = 1, .exclude_guest = 1);
	takes("not in the host, nor in idle", .exclude_host = 1, .exclude_idle = 1);
	takes("pinned", .pinned = 1);
	takes("exclusive", .exclusive = 1);
	turns("a period of its own", .sample_period = 1);
	turns("a frequency", .freq = 1);
	turns("inherited", .inherit = 1);
	turns("disabled", .disabled = 1);
	turns("enabled on exec", .enable_on_exec = 1);
	turns("what is to be sampled", .sample_type = PERF_SAMPLE_IP);
	turns("how it is to be read", .read_format = PERF_FORMAT_GROUP);
	turns("side band", .mmap = 1);
	turns("side band of comm", .comm = 1);
	turns("side band of tasks", .task = 1);
	turns("a watermark", .watermark = 1, .wakeup_watermark = 1);
	turns("wakeups", .wakeup_events = 1);
	turns("branches", .branch_sample_type = PERF_SAMPLE_BRANCH_ANY);
	turns("registers", .sample_regs_user = 1);
	turns("a stack", .sample_stack_user = 8);
	turns("a clock", .use_clockid = 1);
	turns("a call stack without user", .exclude_callchain_user = 1);
	turns("a signal", .sigtrap = 1, .remove_on_exec = 1);
	turns("all bits there are", .type = 1, .read_format = -1ULL);
}

static void sizes(void)
{
	union large large = { .attr.type = PERF_TYPE_SOFTWARE };

	refuses(try(NULL, 0, 1), EINVAL, "no attributes");
	refuses(try(&large, PERF_ATTR_SIZE_VER0 - 1, 1), EINVAL, "less than the first version");
	is(try(&large, PERF_ATTR_SIZE_VER0, 1), 0, "the first version");
	is(try(&large, sizeof(large), 1), 0, "a later one");
	large.bytes[sizeof(large) - 1] = 1;
	refuses(try(&large, sizeof(large), 1), E2BIG, "a later one that says something");
	large.bytes[sizeof(large) - 1] = 0;
	large.attr.size = PERF_ATTR_SIZE_VER0;
	is(try(&large, PERF_ATTR_SIZE_VER0, 1), 0, "the first version by its own size");
	refuses(try(&large, sizeof(large), 1), EINVAL, "two sizes");
}

static void events(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = 1000 };
	struct stat st;

	refuses(try(&attr, sizeof(attr), 1), EOPNOTSUPP, "software event 1000");
	attr = (struct perf_event_attr){ .type = 100000 };
	refuses(try(&attr, sizeof(attr), 1), EOPNOTSUPP, "type 100000");
	attr = (struct perf_event_attr){ .type = PERF_TYPE_TRACEPOINT, .config = 1 << 20 };
	check(try(&attr, sizeof(attr), 1) == -1, "tracepoint 1048576");
	attr = (struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES };
	if (stat("/sys/bus/event_source/devices/cpu", &st) &&
	    stat("/sys/bus/event_source/devices/armv8_pmuv3_0", &st) &&
	    stat("/sys/bus/event_source/devices/armv8_pmuv3", &st))
		refuses(try(&attr, sizeof(attr), 1000000), EOPNOTSUPP, "cycles, without a PMU");
	else
		is(try(&attr, sizeof(attr), 1000000), 0, "cycles, with a PMU");
	attr = (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE };
	is(try(&attr, sizeof(attr), INT64_MAX), 0, "the longest period");
	refuses(try(&attr, sizeof(attr), 1ULL << 63), EINVAL, "one more");
	is(try(&attr, sizeof(attr), 0), 0, "none");
}

/* A PMU that writes to an AUX area accepts any event, and never counts or overflows. */
static void aux_area(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };

	need(load_source("tprof_aux", "") == 0, "a PMU with an AUX area");
	attr.type = (uint32_t)atoi(read_file("/sys/bus/event_source/devices/tprof_aux/type"));
	refuses(try(&attr, sizeof(attr), 1000), EOPNOTSUPP, "it cannot be sampled");
	refuses(try(&attr, sizeof(attr), 0), EOPNOTSUPP, "it cannot be counted");
	is(unload_source("tprof_aux"), 0, "it is not in use");
}

/* Excluded modes do not count. */
static void excluded(bool user)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
		.exclude_user = user, .exclude_kernel = !user,
	};
	struct tprof_event event = {
		.size = sizeof(event), .source = "perf", .attr = (uintptr_t)&attr, .attr_size = sizeof(attr),
			.period = 1,
	};
	int session = create_session(device);
	size_t page = getpagesize();
	volatile char *area = mmap(NULL, 1000 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(area != MAP_FAILED && small_pages((void *)area, 1000 * page), "memory");
	need(ioctl(session, TPROF_IOC_ADD_EVENT, &event) == 0 && ioctl(session, TPROF_IOC_START) == 0, "it starts");
	for (int i = 0; i < 1000; i++)
		area[i * page] = 1;
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	if (user)
		check(read_ledger(session, 0).fired.samples < 100, "faults of user mode are not seen");
	else
		check(read_ledger(session, 0).fired.samples >= 1000, "faults of user mode are seen");
	munmap((void *)area, 1000 * page);
	close(session);
}

int main(void)
{
	device = open_device();
	pin(0);
	members();
	sizes();
	events();
	aux_area();
	excluded(true);
	excluded(false);
	is(open_sessions(device), 0, "no session is left");
	return done_testing();
}
