// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module takes what an event needs of its caller when the event is added, and never again: the text of a probe, its
 * rights. So the memory of the caller may change, another process may start the session, and a CPU may come online,
 * where a worker of the kernel starts the event.
 *
 * vm: machines=x86-64,arm64,x86-64-16,next
 */
#include <linux/hw_breakpoint.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "probe.h"

#define GETPPID	SYSCALL_FUNCTION("getppid")
#define GETUID	SYSCALL_FUNCTION("getuid")

static int device;
static char name[64];

/* The event of perf whose attributes are an address of the text: of the memory of the caller. */
static int add_perf_probe(const char *pmu, uint64_t offset)
{
	char path[80];
	struct perf_event_attr attr = { .size = sizeof(attr), .config1 = (uintptr_t)name, .config2 = offset };
	struct tprof_event event = { .size = sizeof(event), .source = "perf", .period = 1,
		.attr = (uintptr_t)&attr, .attr_size = sizeof(attr) };
	int session = create_session(device), result, error;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	attr.type = (uint32_t)atoi(read_file(path));
	result = ioctl(session, TPROF_IOC_ADD_EVENT, &event);
	error = errno;
	close(session);
	errno = error;
	return result;
}

static void refused(void)
{
	strcpy(name, GETPPID);
	refuses(add_perf_probe("kprobe", 0), EOPNOTSUPP, "perf's kprobe, with the address of a name, is refused");
	strcpy(name, "/init");
	refuses(add_perf_probe("uprobe", 0x1000), EOPNOTSUPP, "perf's uprobe, with the address of a path, is refused");
}

static int session_on(const char *function)
{
	int session = create_session(device);

	need(session >= 0 && add_probe(session, "kprobe", function, 0, 0, 1) == 0, "a probe on %s", function);
	sample_me(session);
	return session;
}

/* The text is overwritten by add_probe(). */
static void changed(void)
{
	int session = session_on(GETPPID);

	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	call_many(SYS_getppid, 100);
	call_many(SYS_getuid, 7);
	is(samples_in_scope(session), 100, "the text changed before START: the function is the one that was asked for");
	close(session);
}

/* In a child, whose memory has the same addresses: the number of samples of 100 calls of one and 7 of another. */
static int other_function(void)
{
	int session = session_on(GETUID);

	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	call_many(SYS_getppid, 100);
	call_many(SYS_getuid, 7);
	return (int)samples_in_scope(session);
}

static void two_processes(void)
{
	int session = session_on(GETPPID);

	need(ioctl(session, TPROF_IOC_START) == 0, "a session starts");
	is(in_child(other_function), 7, "another process gets the samples of its own function");
	close(session);
}

static void cpu_came(void)
{
	int session;

	need(set_online(1, false) == 0, "CPU 1 goes offline");
	session = session_on(GETPPID);
	need(ioctl(session, TPROF_IOC_START) == 0, "the session starts");
	need(set_online(1, true) == 0, "CPU 1 comes online");
	for (int tries = 0; tries < 1000 && !read_counts(session, 0, 1).enabled_ns; tries++)
		usleep(10000);
	pin(1);
	call_many(SYS_getppid, 100);
	flush(session);
	is(read_ledger(session, 1).outcomes[TPROF_OUTCOME_DONE].samples, 100, "a CPU that came has the probe");
	check(!strstr(kernel_log(), "cannot be started"), "the kernel log has no complaint");
	pin(0);
	close(session);
}

static int passed;

/* In a child without capabilities. */
static int start_as_nobody(void)
{
	struct tprof_period period = { .size = sizeof(period), .period = 10 };

	become_nobody(0);
	if (ioctl(passed, TPROF_IOC_START))
		return 1;
	if (ioctl(passed, TPROF_IOC_PERIOD, &period))
		return 2;
	period.period = 1;
	return ioctl(passed, TPROF_IOC_PERIOD, &period) ? 3 : 0;
}

static void tracepoint_passed(void)
{
	long id = atol(read_file("/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id"));

	passed = create_session(device);
	need(add_perf(passed, PERF_TYPE_TRACEPOINT, (uint64_t)id, 1) == 0, "a tracepoint is an event");
	sample_me(passed);
	is(in_child(start_as_nobody), 0, "a process without capabilities starts it, and changes its period");
	call_many(SYS_getppid, 100);
	is(samples_in_scope(passed), 100, "a tracepoint in a session that was passed on");
	close(passed);
}

static void probe_passed(void)
{
	passed = session_on(GETPPID);
	is(in_child(start_as_nobody), 0, "a process without capabilities starts a probe");
	call_many(SYS_getppid, 100);
	is(samples_in_scope(passed), 100, "a probe in a session that was passed on");
	close(passed);
}

static int add_as_nobody(void)
{
	long id = atol(read_file("/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id"));

	passed = create_session(device);
	become_nobody(0);
	if (add_probe(passed, "kprobe", GETPPID, 0, 0, 1) != -1 || errno != EPERM)
		return 1;
	if (add_probe(passed, "uprobe", "/proc/self/exe", 0x1000, 0, 1) != -1 || errno != EPERM)
		return 2;
	if (add_perf(passed, PERF_TYPE_TRACEPOINT, (uint64_t)id, 1) != -1)
		return 3;
	return errno == EPERM || errno == EACCES ? 0 : 4;
}

static int add_with_perfmon(void)
{
	passed = create_session(device);
	become_nobody(1ULL << CAP_PERFMON);
	return add_probe(passed, "kprobe", GETPPID, 0, 0, 1) || ioctl(passed, TPROF_IOC_START);
}

int main(void)
{
	device = open_device();
	pin(0);
	refused();
	tracepoint_passed();
	changed();
	two_processes();
	cpu_came();
	probe_passed();
	is(in_child(add_as_nobody), 0, "a process without capabilities adds none of these events");
	is(in_child(add_with_perfmon), 0, "CAP_PERFMON is enough for a kprobe");
	is(open_sessions(device), 0, "no session is left");
	return done_testing();
}
