// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints as events: the counts are exact where the number of hits is known. Tracepoints in the path of a sample
 * itself (timers, interrupts, wakeups) are harmless: hits by the module count as re-entry, and sampling continues.
 *
 * vm: all=arm64 seconds=120
 */
#include <pthread.h>
#include <stdatomic.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "stream.h"

static int device;

/* Returns the ID of a tracepoint, or -1 if the kernel does not have it. */
static long tracepoint(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
	return access(path, R_OK) ? -1 : atol(read_file(path));
}

static void counted(uint64_t period)
{
	long id = tracepoint("syscalls/sys_enter_getppid");
	struct tprof_target target = { .size = sizeof(target), .kind = TPROF_TARGET_THREAD, .id = getpid() };
	int session = create_session(device);
	struct tprof_ledger_read ledger;

	need(id > 0, "there is a tracepoint for a system call");
	need(add_perf(session, PERF_TYPE_TRACEPOINT, id, period) == 0, "it is an event");
	need(ioctl(session, TPROF_IOC_ATTACH, &target) == 0 && ioctl(session, TPROF_IOC_START) == 0, "it starts");
	for (int i = 0; i < 10000; i++)
		syscall(SYS_getppid);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	ledger = read_ledger(session, 0);
	is(read_counts(session, 0, 0).value, 10000, "period %d: 10,000 calls are counted", (int)period);
	is(ledger.outcomes[TPROF_OUTCOME_DONE].samples, period ? 10000 / period : 0, "period %d: samples", (int)period);
	check(closes(&ledger) && !lost(&ledger), "period %d: the ledger closes, nothing is lost", (int)period);
	close(session);
}

/* A load that hits each of the tracepoints. */
static atomic_bool over;

static void *stir(void *unused)
{
	struct timespec t = { .tv_nsec = 100000 };

	while (!over)
		nanosleep(&t, NULL);
	return unused;
}

/* Samples each hit of a tracepoint, together with a timer. Marks in the stream of @waiter wake its reader. */
static void on_the_way(const char *name, int waiter)
{
	long id = tracepoint(name);
	struct tprof_ledger_read ledger;
	int session;
	uint64_t began = now_ns();

	if (id < 0) {
		diag("%s is not in this kernel", name);
		return;
	}
	session = create_session(device);
	need(configure(session, 0, 1 << 16) == 0, "a session with a stream");
	/* The kernel forbids sampling of this tracepoint. */
	if (!strcmp(name, "irq_vectors/irq_work_exit")) {
		refuses(add_perf(session, PERF_TYPE_TRACEPOINT, id, 1), EPERM, "%s is refused at once", name);
		is(add_perf(session, PERF_TYPE_TRACEPOINT, id, 0), 0, "%s can be counted", name);
		close(session);
		return;
	}
	need(add_perf(session, PERF_TYPE_TRACEPOINT, id, 1) == 0, "%s is an event", name);
	need(add_timer(session, 200000) == 1 && ioctl(session, TPROF_IOC_START) == 0, "it starts");
	while (now_ns() < began + 300 * MS) {
		need(write(waiter, "wake", 4) == 4 || errno == ENOSPC, "a mark");
		usleep(200);
		flush(session);
	}
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	ledger = read_ledger(session, -1);
	check(closes(&ledger), "%s: the ledger closes", name);
	is(lost(&ledger), ledger.lost[TPROF_LOST_REENTRY].samples + ledger.lost[TPROF_LOST_STAGING_FULL].samples,
	   "%s: what is lost has found us at work", name);
	diag("%s: %llu samples, %llu re-entries, %llu not staged", name, ledger.fired.samples,
	     ledger.lost[TPROF_LOST_REENTRY].samples, ledger.lost[TPROF_LOST_STAGING_FULL].samples);
	close(session);
}

static void *reader(void *session)
{
	static struct records r;

	while (read_records(*(int *)session, &r, sizeof(r.bytes)) > 0)
		;
	return NULL;
}

int main(void)
{
	static const char *const names[] = {
		"sched/sched_switch", "sched/sched_waking", "sched/sched_wakeup", "timer/hrtimer_start",
			"timer/hrtimer_cancel",
		"timer/hrtimer_expire_entry", "timer/hrtimer_expire_exit", "irq_vectors/irq_work_entry",
		"irq_vectors/irq_work_exit", "irq_vectors/local_timer_entry", "irq_vectors/call_function_single_entry",
		"irq_vectors/reschedule_exit", "ipi/ipi_raise", "ipi/ipi_entry", "ipi/ipi_exit", "ipi/ipi_send_cpu",
		"ipi/ipi_send_cpumask", "msr/write_msr", "irq/softirq_raise", "irq/softirq_exit", "power/cpu_idle",
		"rcu/rcu_utilization", "kmem/kfree", "kmem/kmalloc", "raw_syscalls/sys_enter",
			"exceptions/page_fault_user",
		"workqueue/workqueue_queue_work", "csd/csd_function_entry", "csd/csd_queue_cpu", "tlb/tlb_flush",
	};
	pthread_t threads[2];
	int waiter;

	device = open_device();
	pin(0);
	counted(1);
	counted(10);
	counted(0);
	waiter = create_session(device);
	need(configure(waiter, 0, 1 << 12) == 0 && add_timer(waiter, 3600000 * MS) == 0, "a session to be woken");
	need(ioctl(waiter, TPROF_IOC_START) == 0, "it starts");
	need(!pthread_create(&threads[0], NULL, stir, NULL), "a thread");
	need(!pthread_create(&threads[1], NULL, reader, &waiter), "another thread");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		on_the_way(names[i], waiter);
	over = true;
	need(ioctl(waiter, TPROF_IOC_STOP) == 0, "the reader comes to its end");
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	close(waiter);
	is(open_sessions(device), 0, "no session is left");
	return done_testing();
}
