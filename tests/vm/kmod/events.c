// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several events of both sources in one session: samples have the index of their event, its weight, and a time between
 * start and stop. Tracepoints fire once for each hit.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "process.h"
#include "samples.h"

#define FAULTS	300
#define CALLS	200

enum { TIMER, FAULT, CALL, NR_EVENTS };

struct seen {
	uint64_t began_ns, ended_ns;
	unsigned int nr[NR_EVENTS], wrong_weight, wrong_time, unknown;
};

static uint32_t tracepoint_id(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
	return strtoul(read_file(path), NULL, 0);
}

static void look(const struct tprof_sample *s, void *ctx)
{
	struct seen *seen = ctx;

	if (s->event >= NR_EVENTS) {
		seen->unknown++;
		return;
	}
	seen->nr[s->event]++;
	seen->wrong_weight += s->event == TIMER ? s->weight % MS != 0 : s->weight != 1;
	seen->wrong_time += s->time_ns < seen->began_ns || s->time_ns > seen->ended_ns;
}

static void work(void)
{
	size_t page = getpagesize();
	char *area = mmap(NULL, FAULTS * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(area != MAP_FAILED && small_pages(area, FAULTS * page), "memory");
	for (int i = 0; i < FAULTS; i++)
		area[i * page] = 1;
	munmap(area, FAULTS * page);
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	burn(20 * MS);
}

/* Hardware events are refused when they are added if the machine has no counters. */
static void hardware(int device)
{
	int session = create_session(device);

#ifdef __x86_64__
	refuses(add_perf(session, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000000), EOPNOTSUPP,
		"cycles of a machine that does not count them");
	is(add_timer(session, MS), 0, "the timer takes their place");
#else
	is(add_perf(session, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000000), 0, "cycles");
#endif
	close(session);
}

/* The ledger of each event closes, and they add up to that of the session. */
static void by_event(int session, const struct tprof_ledger_read *all, const unsigned int *seen)
{
	struct tprof_ledger_read one = { .size = sizeof(one), .cpu = -1, .event = NR_EVENTS + 1 };
	uint64_t fired = 0, weight = 0;

	refuses(ioctl(session, TPROF_IOC_LEDGER, &one), ENOENT, "the ledger of an event that there is not");
	for (unsigned int event = 0; event < NR_EVENTS; event++) {
		one.event = event + 1;
		need(ioctl(session, TPROF_IOC_LEDGER, &one) == 0, "the ledger of an event");
		check(closes(&one), "the ledger of event %u closes", event);
		is(one.outcomes[TPROF_OUTCOME_KEPT].samples, seen[event], "it has the samples of event %u", event);
		fired += one.fired.samples;
		weight += one.fired.weight;
	}
	is(fired, all->fired.samples, "the events fired as often as the session");
	is(weight, all->fired.weight, "with its weight");
}

int main(void)
{
	static const struct bpf_insn keep[] = { ANSWER(TPROF_KEEP) };
	struct tprof_target target = { .size = sizeof(target), .kind = TPROF_TARGET_THREAD, .id = getpid() };
	struct tprof_ledger_read ledger;
	struct seen seen = { 0 };
	int device = open_device(), session, link;

	hardware(device);
	session = create_session(device);
	need(configure(session, 0, 1 << 20) == 0, "a session with a stream");
	is(add_timer(session, MS), TIMER, "the timer is event 0");
	is(add_perf(session, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1), FAULT, "page faults are event 1");
	is(add_perf(session, PERF_TYPE_TRACEPOINT, tracepoint_id("syscalls/sys_enter_getppid"), 1), CALL,
	   "a tracepoint is event 2");
	need(ioctl(session, TPROF_IOC_ATTACH, &target) == 0, "it sees this thread");
	link = attach_filter(session, "keep", 0, keep, 2);
	need(link >= 0, "it keeps all");

	seen.began_ns = now_ns();
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	work();
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	seen.ended_ns = now_ns();
	ledger = read_ledger(session, -1);
	is(read_samples(session, look, &seen), ledger.outcomes[TPROF_OUTCOME_KEPT].samples, "what was kept is read");
	check(closes(&ledger) && !lost(&ledger), "the ledger closes, nothing is lost");
	is(seen.unknown, 0, "all are of an event that there is");
	check(seen.nr[TIMER] > 0, "samples of the timer");
	check(seen.nr[FAULT] >= FAULTS, "one for each page fault");
	is(seen.nr[CALL], CALLS, "one for each time that the tracepoint was passed");
	is(seen.wrong_weight, 0, "each has a weight of its event");
	is(seen.wrong_time, 0, "each has a time between start and stop");
	is(read_counts(session, CALL, -1).value, CALLS, "each event has a counter of its own");
	by_event(session, &ledger, seen.nr);
	diag("%u of the timer, %u faults, %u calls", seen.nr[TIMER], seen.nr[FAULT], seen.nr[CALL]);
	close(link);
	close(session);
	return done_testing();
}
