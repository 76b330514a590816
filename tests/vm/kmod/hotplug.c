// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU goes offline and online 100 times (30 on kernels with debugging checks, 10 with many CPUs) while sessions
 * sample it with the timer and with perf events, and others start and stop: all ledgers close, and the CPU is sampled
 * again each time that it is online.
 *
 * vm: machines=x86-64,x86-64-16,next,next-arm64 all=x86-64 seconds=240
 */
#include <pthread.h>
#include <stdatomic.h>

#include "ktap.h"
#include "device.h"
#include "process.h"

#define CPU	1

static int device;
static atomic_bool over;
static atomic_uint nr_short, nr_wrong;

/* Starts and stops sessions with all kinds of events. */
static void *start_and_stop(void *unused)
{
	struct tprof_ledger_read ledger = { .size = sizeof(ledger), .cpu = -1 };
	uint64_t cookie = 1;

	while (!over) {
		int session = create_session(device);

		if (add_timer(session, MS) || add_perf(session, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, MS) != 1 ||
		    add_perf(session, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1) != 2 ||
		    ioctl(session, TPROF_IOC_START) || ioctl(session, TPROF_IOC_FLUSH, &cookie) ||
		    ioctl(session, TPROF_IOC_CLEAR) || ioctl(session, TPROF_IOC_STOP) ||
		    ioctl(session, TPROF_IOC_LEDGER, &ledger) || !closes(&ledger))
			nr_wrong++;
		close(session);
		nr_short++;
	}
	return unused;
}

/* Keeps the CPU busy whenever it is online. */
static void *busy(void *unused)
{
	volatile char *page = malloc(1 << 20);

	while (!over) {
		try_pin(CPU);
		burn(MS);
		for (int i = 0; i < 1 << 20; i += 4096)
			page[i]++;
	}
	return unused;
}

struct watched {
	const char *name;
	int session;
	uint64_t seen;			/* samples of the CPU */
};

/*
 * Waits until the CPU is sampled again: with many CPUs, starting and stopping sessions may delay that for most of a
 * minute. If it never is, the test times out.
 */
static void await(const struct watched *w)
{
	while (read_ledger(w->session, CPU).fired.samples <= w->seen)
		usleep(10000);
}

static void cycle(struct watched *watched, int nr)
{
	need(set_online(CPU, false) == 0, "the CPU goes off");
	for (int i = 0; i < nr; i++)
		watched[i].seen = read_ledger(watched[i].session, CPU).fired.samples;
	need(set_online(CPU, true) == 0, "the CPU comes back");
	for (int i = 0; i < nr; i++)
		await(&watched[i]);
}

int main(void)
{
	enum { NR = 3 };
	struct watched watched[NR] = { { .name = "timer" }, { .name = "cpu-clock" }, { .name = "context switches" } };
	const int rounds = many_cpus() ? 10 : kernel_checks_itself() ? 30 : 100;
	pthread_t threads[2];

	device = open_device();
	for (int i = 0; i < NR; i++)
		watched[i].session = create_session(device);
	need(add_timer(watched[0].session, MS) == 0, "a timer");
	need(add_perf(watched[1].session, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, MS) == 0, "cpu-clock");
	need(add_perf(watched[2].session, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1) == 0, "switches");
	for (int i = 0; i < NR; i++)
		need(ioctl(watched[i].session, TPROF_IOC_START) == 0, "%s starts", watched[i].name);
	need(!pthread_create(&threads[0], NULL, start_and_stop, NULL), "a thread");
	need(!pthread_create(&threads[1], NULL, busy, NULL), "another thread");
	for (int round = 0; round < rounds; round++)
		cycle(watched, NR);
	over = true;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < NR; i++) {
		struct tprof_ledger_read ledger;

		is(ioctl(watched[i].session, TPROF_IOC_STOP), 0, "%s: stops", watched[i].name);
		ledger = read_ledger(watched[i].session, -1);
		check(closes(&ledger), "%s: the ledger closes", watched[i].name);
		is(lost(&ledger), 0, "%s: nothing is lost", watched[i].name);
		close(watched[i].session);
	}
	check(nr_short > 0, "%u sessions started and stopped meanwhile", nr_short);
	is(nr_wrong, 0, "nothing was wrong with them");
	return done_testing();
}
