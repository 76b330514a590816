// SPDX-License-Identifier: GPL-2.0-only
/*
 * Software events of the source perf: the numbers of page faults and context switches are exact in samples, in weight
 * and in the counter, with any period, also if the period changes, or if the event only counts.
 *
 * vm: machines=x86-64,next
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include "ktap.h"
#include "device.h"
#include "process.h"

#define FAULTS	10000
#define CPU	1

static int device;

/* Makes a session with an event, whose scope is this thread. */
static int session_here(uint64_t config, uint64_t period)
{
	struct tprof_target target = { .size = sizeof(target), .kind = TPROF_TARGET_THREAD, .id = getpid() };
	int session = create_session(device);

	need(session >= 0 && add_perf(session, PERF_TYPE_SOFTWARE, config, period) == 0, "a session with the event");
	need(ioctl(session, TPROF_IOC_ATTACH, &target) == 0, "sees this thread");
	return session;
}

static void fault(int times)
{
	size_t page = getpagesize();
	char *area = mmap(NULL, times * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(area != MAP_FAILED && small_pages(area, times * page), "memory");
	for (int i = 0; i < times; i++)
		area[i * page] = 1;
	munmap(area, times * page);
}

static uint64_t in_scope(const struct tprof_ledger_read *ledger)
{
	return ledger->outcomes[TPROF_OUTCOME_DONE].samples;
}

static void faults(uint64_t period)
{
	int session = session_here(PERF_COUNT_SW_PAGE_FAULTS, period);
	struct tprof_ledger_read ledger;
	uint64_t count, weight;

	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	fault(FAULTS);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	ledger = read_ledger(session, CPU);
	count = read_counts(session, 0, CPU).value;
	weight = ledger.outcomes[TPROF_OUTCOME_DONE].weight;
	check(count >= FAULTS && count < FAULTS + 1000, "period %llu: the counter has all faults",
	      (unsigned long long)period);
	is(ledger.fired.samples, count / period, "period %llu: one sample for so many", (unsigned long long)period);
	is(ledger.fired.weight, count / period * period, "period %llu: that weighs so much",
	   (unsigned long long)period);
	is(weight, in_scope(&ledger) * period, "period %llu: so does each", (unsigned long long)period);
	check(weight + period > FAULTS, "period %llu: those of this thread are seen", (unsigned long long)period);
	check(closes(&ledger) && !lost(&ledger), "period %llu: the ledger closes, nothing is lost",
	      (unsigned long long)period);
	diag("%llu counted, %llu samples, %llu of this thread", (unsigned long long)count,
	     (unsigned long long)ledger.fired.samples, (unsigned long long)in_scope(&ledger));
	close(session);
}

static void set_period(int session, uint64_t period)
{
	struct tprof_period arg = { .size = sizeof(arg), .period = period };

	need(ioctl(session, TPROF_IOC_PERIOD, &arg) == 0, "the period is %llu", (unsigned long long)period);
}

/* Each change restarts the period: the events of the incomplete period are counted, but do not fire a sample. */
static void changing_period(void)
{
	int session = session_here(PERF_COUNT_SW_PAGE_FAULTS, 10);
	struct tprof_ledger_read ledger;
	uint64_t count, begun = 10;

	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	for (int i = 0; i < 10; i++) {
		fault(1500);
		set_period(session, 1000);
		fault(1500);
		set_period(session, 10);
		begun += 1000 + 10;
	}
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	ledger = read_ledger(session, CPU);
	count = read_counts(session, 0, CPU).value;
	check(count >= 30000, "the counter has all faults, over each change");
	check(ledger.fired.weight <= count && ledger.fired.weight + begun > count,
	      "20 changes: samples weigh what was counted, but for the periods begun");
	check(closes(&ledger) && !lost(&ledger), "20 changes: the ledger closes, nothing is lost");
	diag("%llu counted, samples weigh %llu", (unsigned long long)count, (unsigned long long)ledger.fired.weight);
	close(session);
}

static void count_only(void)
{
	int session = session_here(PERF_COUNT_SW_PAGE_FAULTS, 0);
	struct tprof_period period = { .size = sizeof(period), .period = 1 };
	struct tprof_counts counts;

	refuses(ioctl(session, TPROF_IOC_PERIOD, &period), EINVAL, "what counts only cannot be made to sample");
	for (int i = 1; i <= 2; i++) {
		need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
		fault(FAULTS);
		need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
		/* A stopped session does not count. */
		fault(FAULTS);
		counts = read_counts(session, 0, CPU);
		check(counts.value >= (uint64_t)FAULTS * i && counts.value < (uint64_t)FAULTS * i + 1000,
		      "run %d: a counter without samples counts, over a stop", i);
		check(counts.running_ns && counts.running_ns == counts.enabled_ns, "run %d: all of the time", i);
	}
	is(read_ledger(session, -1).fired.samples, 0, "there are no samples");
	need(ioctl(session, TPROF_IOC_CLEAR) == 0, "it is cleared");
	is(read_counts(session, 0, -1).value, 0, "then it is at 0");
	close(session);
}

static void switches(void)
{
	int session = session_here(PERF_COUNT_SW_CONTEXT_SWITCHES, 1);
	struct tprof_ledger_read ledger;
	struct rusage before, after;
	uint64_t count, here;

	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	getrusage(RUSAGE_THREAD, &before);
	for (int i = 0; i < 1000; i++)
		usleep(1000);	/* a shorter sleep may be over before it begins */
	getrusage(RUSAGE_THREAD, &after);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	ledger = read_ledger(session, CPU);
	count = read_counts(session, 0, CPU).value;
	here = after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw;
	check(here > 900 && in_scope(&ledger) >= here && in_scope(&ledger) < here + 50,
	      "each switch of this thread is seen");
	is(ledger.fired.samples, count, "there is a sample for each switch");
	is(ledger.fired.weight, count, "that weighs 1");
	check(closes(&ledger) && !lost(&ledger), "the ledger closes, nothing is lost");
	diag("%llu switches, %llu of this thread, %llu between start and stop", (unsigned long long)count,
	     (unsigned long long)in_scope(&ledger), (unsigned long long)here);
	close(session);
}

static void clock_event(void)
{
	int session = session_here(PERF_COUNT_SW_CPU_CLOCK, MS);
	uint64_t began = now_ns(), passed;
	struct tprof_ledger_read ledger;

	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	burn(1000 * MS);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	passed = now_ns() - began;
	ledger = read_ledger(session, CPU);
	check(in_scope(&ledger) > 0, "cpu-clock has samples of this thread");
	check(ledger.fired.weight <= passed, "that weigh no more than the time that passed");
	check(closes(&ledger) && !lost(&ledger), "the ledger closes, nothing is lost");
	check(ledger.fired.weight <= read_counts(session, 0, CPU).value, "the counter has what fired");
	diag("%llu ns of %llu ns", (unsigned long long)ledger.fired.weight, (unsigned long long)passed);
	close(session);
}

/* perf drops ticks of a late clock, so the sum may be smaller than the time that passed; each tick has its weight. */
static void judge_clock(int session, uint64_t period, const char *name)
{
	struct tprof_ledger_read ledger = read_ledger(session, CPU);
	uint64_t count = read_counts(session, 0, CPU).value;

	check(in_scope(&ledger) > 0, "%s: there are samples", name);
	check(ledger.fired.weight <= count + period, "%s: they weigh no more than was counted", name);
	/* Except ticks before the session has joined the source. */
	if (period == MS)
		is(ledger.fired.weight, (ledger.fired.samples - ledger.outcomes[TPROF_OUTCOME_DECIMATED].samples) * MS,
		   "%s: each weighs a period", name);
	check(closes(&ledger) && !lost(&ledger), "%s: the ledger closes, nothing is lost", name);
	diag("%llu ns counted, samples weigh %llu ns", (unsigned long long)count,
	     (unsigned long long)ledger.fired.weight);
}

/* Two sessions on a clock of perf: each has the time that passed, whichever has the shorter period. */
static void shared_clock(uint64_t config)
{
	int slow = session_here(config, 4 * MS), fast = session_here(config, MS);

	need(ioctl(slow, TPROF_IOC_START) == 0, "one starts");
	burn(100 * MS);
	need(ioctl(fast, TPROF_IOC_START) == 0, "another starts");
	burn(500 * MS);
	need(ioctl(fast, TPROF_IOC_STOP) == 0, "it stops");
	burn(100 * MS);
	need(ioctl(slow, TPROF_IOC_STOP) == 0, "so does the first");
	judge_clock(slow, 4 * MS, config == PERF_COUNT_SW_CPU_CLOCK ? "cpu-clock, slow" : "task-clock, slow");
	judge_clock(fast, MS, config == PERF_COUNT_SW_CPU_CLOCK ? "cpu-clock, fast" : "task-clock, fast");
	close(slow);
	close(fast);
}

/* A period that is shorter than the clocks of perf support. */
static void fast_clock(void)
{
	int session = session_here(PERF_COUNT_SW_CPU_CLOCK, 1000);
	struct tprof_ledger_read ledger;

	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	burn(20 * MS);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	ledger = read_ledger(session, CPU);
	check(ledger.fired.samples > 0, "a clock asked for each microsecond ticks");
	is(ledger.fired.weight, (ledger.fired.samples - ledger.outcomes[TPROF_OUTCOME_DECIMATED].samples) * 10000,
	   "and says how often");
	check(closes(&ledger), "the ledger closes");
	close(session);
}

int main(void)
{
	device = open_device();
	pin(CPU);
	faults(1);
	faults(7);
	faults(100);
	faults(FAULTS);
	changing_period();
	count_only();
	switches();
	clock_event();
	shared_clock(PERF_COUNT_SW_CPU_CLOCK);
	shared_clock(PERF_COUNT_SW_TASK_CLOCK);
	fast_clock();
	return done_testing();
}
