// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that make calls of the same two sessions at the same time, whatever their state: starts and stops, other
 * periods, events, targets, filters that come and go, streams that are read. The events are those whose places in code
 * are shared by both sessions, and timers. Then both still work, and their ledgers close.
 *
 * vm: all=arm64 seconds=120
 */
#include <pthread.h>

#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"
#include "probe.h"

#define NR_THREADS	6
#define NR_SESSIONS	2
#define SECONDS		4
#define STREAM_BYTES	(1 << 14)

static int device, sessions[NR_SESSIONS], maps[NR_SESSIONS];
static uint64_t until_ns;

__attribute__((noipa)) static void probed(void)
{
	__asm__ volatile("nop" : : : "memory");
}

static unsigned int draw(unsigned int *seed, unsigned int limit)
{
	return (unsigned int)rand_r(seed) % limit;
}

static void change_period(int session, unsigned int *seed)
{
	struct tprof_period period = {
		.size = sizeof(period), .event = draw(seed, 4), .period = 10000 + draw(seed, 1000000),
	};

	ioctl(session, TPROF_IOC_PERIOD, &period);
}

static void change_targets(int session, unsigned int *seed)
{
	struct tprof_target target = { .size = sizeof(target), .id = (uint64_t)getpid() };

	ioctl(session, draw(seed, 2) ? TPROF_IOC_ATTACH : TPROF_IOC_DETACH, &target);
}

static void change_filters(int map)
{
	int link = link_filter(map);

	if (link < 0)
		return;
	usleep(100);
	replace_filter(link, map);
	close(link);
}

static void read_all(int session, unsigned int *seed)
{
	struct tprof_counts counts = { .size = sizeof(counts), .event = draw(seed, 4), .cpu = -1 };
	char records[4096];

	ioctl(session, TPROF_IOC_COUNTS, &counts);
	if (read(session, records, sizeof(records)) < 0 && errno == EFAULT)
		abort();
}

static void call(int session, int map, unsigned int *seed)
{
	uint64_t cookie = 0;

	switch (draw(seed, 10)) {
	case 0:
	case 1:
		ioctl(session, TPROF_IOC_START);
		break;
	case 2:
	case 3:
		ioctl(session, TPROF_IOC_STOP);
		break;
	case 4:
		change_period(session, seed);
		break;
	case 5:
		change_targets(session, seed);
		break;
	case 6:
		change_filters(map);
		break;
	case 7:
		ioctl(session, draw(seed, 2) ? TPROF_IOC_CLEAR : TPROF_IOC_FLUSH, &cookie);
		break;
	case 8:
		/* Only a session that was never started takes one. */
		add_timer(session, MS);
		break;
	default:
		read_all(session, seed);
	}
	probed();
}

static void *hostile(void *number)
{
	unsigned int seed = (unsigned int)(uintptr_t)number + 1;

	while (now_ns() < until_ns) {
		unsigned int i = draw(&seed, NR_SESSIONS);

		call(sessions[i], maps[i], &seed);
	}
	return NULL;
}

static void make_session(int i)
{
	const struct bpf_insn keep[] = { ANSWER(TPROF_KEEP) };

	sessions[i] = create_session(device);
	need(sessions[i] >= 0 && configure(sessions[i], 0, STREAM_BYTES) == 0, "a session");
	need(fcntl(sessions[i], F_SETFL, O_NONBLOCK) == 0, "a read does not wait");
	need(add_timer(sessions[i], MS) == 0, "a timer");
	need(add_probe(sessions[i], "uprobe", "/proc/self/exe", file_offset_of(probed), 0, 1) == 0, "a uprobe");
	need(add_probe(sessions[i], "kprobe", SYSCALL_FUNCTION("getppid"), 0, 0, 1) == 0, "a kprobe");
	need(add_perf(sessions[i], PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, MS) >= 0, "a clock");
	maps[i] = make_filter(sessions[i], "keep", 0, keep, 2);
	need(maps[i] >= 0, "a filter");
}

/* With no call at the same time, the session does what it should. */
static void works(int i)
{
	struct tprof_ledger_read ledger;
	uint64_t before;

	need(ioctl(sessions[i], TPROF_IOC_STOP) == 0 && ioctl(sessions[i], TPROF_IOC_CLEAR) == 0, "it stops");
	is(ioctl(sessions[i], TPROF_IOC_START), 0, "session %d: it starts", i);
	before = read_counts(sessions[i], 1, -1).value;
	for (int n = 0; n < 100; n++)
		probed();
	is(read_counts(sessions[i], 1, -1).value - before, 100, "session %d: its uprobe is there", i);
	is(ioctl(sessions[i], TPROF_IOC_STOP), 0, "session %d: it stops", i);
	ledger = read_ledger(sessions[i], -1);
	check(closes(&ledger), "session %d: the ledger closes", i);
	is(read_session(sessions[i]).nr_filters, 0, "session %d: no filter is left", i);
	close(maps[i]);
	close(sessions[i]);
}

int main(void)
{
	pthread_t threads[NR_THREADS];

	device = open_device();
	for (int i = 0; i < NR_SESSIONS; i++)
		make_session(i);
	until_ns = now_ns() + SECONDS * 1000 * MS;
	for (uintptr_t i = 0; i < NR_THREADS; i++)
		need(pthread_create(&threads[i], NULL, hostile, (void *)i) == 0, "a thread");
	for (int i = 0; i < NR_THREADS; i++)
		need(pthread_join(threads[i], NULL) == 0, "it ends");
	for (int i = 0; i < NR_SESSIONS; i++)
		works(i);
	is(open_sessions(device), 0, "no session is left");
	return done_testing();
}
