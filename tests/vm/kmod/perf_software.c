// SPDX-License-Identifier: GPL-2.0-only
/*
 * Software events through source perf: so many page faults and context switches as there were, in samples, in weight
 * and on the counter, at any period; or on the counter alone.
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

/* A session that sees this thread's event. */
static int session_here(uint64_t config, uint64_t period)
{
	struct tprof_target target = { .size = sizeof(target), .kind = TPROF_TARGET_THREAD, .id = getpid() };
	int session = create_session(device);

	need(session >= 0 && add_perf(session, PERF_TYPE_SOFTWARE, config, period) == 0, "a session with the event");
	need(ioctl(session, TPROF_IOC_ATTACH, &target) == 0, "sees this thread");
	return session;
}

static void fault(void)
{
	size_t page = getpagesize();
	char *area = mmap(NULL, FAULTS * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(area != MAP_FAILED && small_pages(area, FAULTS * page), "memory");
	for (int i = 0; i < FAULTS; i++)
		area[i * page] = 1;
	munmap(area, FAULTS * page);
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
	fault();
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

static void count_only(void)
{
	int session = session_here(PERF_COUNT_SW_PAGE_FAULTS, 0);
	struct tprof_period period = { .size = sizeof(period), .period = 1 };
	struct tprof_counts counts;

	refuses(ioctl(session, TPROF_IOC_PERIOD, &period), EINVAL, "what counts only cannot be made to sample");
	for (int i = 1; i <= 2; i++) {
		need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
		fault();
		need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
		/* Not while it is stopped. */
		fault();
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

int main(void)
{
	device = open_device();
	pin(CPU);
	faults(1);
	faults(7);
	faults(100);
	faults(FAULTS);
	count_only();
	switches();
	clock_event();
	return done_testing();
}
