// SPDX-License-Identifier: GPL-2.0-only
/*
 * Context switches that no program of a filter sees, as on kernels that run none for certain threads. The tprof that
 * starts this program has to keep its privileges (--no-sandbox): its programs are switched off on one CPU for a moment,
 * in the ledger of its filter.
 *
 *	unseen leaves ROUNDS	a thread sleeps for 5 ms, then leaves its CPU and comes back unseen, after 10 ms
 *	unseen returns ROUNDS	a thread sleeps for 10 ms and comes back unseen, then sleeps for 5 ms
 *	unseen ends ROUNDS	a thread sleeps for 10 ms, comes back unseen, and ends; each time another one
 *
 * Its threads have the names `sleeper` and `helper`. Prints how often they have left a CPU, how long the sleeper that
 * prints this was off it, in nanoseconds, and how often a thread slept for 14 ms or longer in one go. Exit code 2:
 * there is no such ledger.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <tprof/object.h>

#include "clock.h"

#define SHORT_NS 5000000
#define LONG_NS 10000000
#define LATE_NS 14000000
#define MAX_FDS 256

#define SLEEPER_CPU 0
#define HELPER_CPU 1

static struct tprof_cpu_ledger *ledger;		/* of the CPU of the sleeper */
static _Atomic pid_t leaving;			/* the sleeper, which is about to leave its CPU; -1: it has ended */
static int nr_late;

static int map_named(__u32 id, struct bpf_map_info *info)
{
	union bpf_attr by_id = { .map_id = id }, about = { 0 };
	int fd = (int)syscall(SYS_bpf, BPF_MAP_GET_FD_BY_ID, &by_id, sizeof(by_id));

	if (fd < 0)
		return fd;
	about.info.bpf_fd = (__u32)fd;
	about.info.info_len = sizeof(*info);
	about.info.info = (__u64)(uintptr_t)info;
	if (!syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &about, sizeof(about)) && strcmp(info->name, "tprof_ledger") == 0)
		return fd;
	close(fd);
	return -1;
}

/* The ledger of the process that started this one. */
static struct tprof_cpu_ledger *find_ledger(void)
{
	struct bpf_map_info info = { 0 };
	char line[128], path[64];
	void *mapped;
	__u32 id;

	for (int i = 0; i < MAX_FDS; i++) {
		FILE *file;
		int fd = -1;

		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)getppid(), i);
		file = fopen(path, "r");
		while (file && fd < 0 && fgets(line, sizeof(line), file))
			fd = sscanf(line, "map_id: %u", &id) == 1 ? map_named(id, &info) : -1;
		if (file)
			fclose(file);
		if (fd < 0)
			continue;
		mapped = mmap(NULL, (size_t)info.value_size * info.max_entries, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			      0);
		if (mapped != MAP_FAILED)
			return mapped;
	}
	fprintf(stderr, "unseen: its parent has no ledger: %s\n", strerror(errno));
	exit(2);
}

static void set_mode(enum tprof_wait_mode mode)
{
	__atomic_store_n(&ledger->wait_mode, mode, __ATOMIC_SEQ_CST);
}

static void run_on(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one)) {
		perror("unseen: CPU");
		exit(EXIT_FAILURE);
	}
}

static void nap(uint64_t ns)
{
	const struct timespec time = { .tv_nsec = (long)ns };
	uint64_t start = clock_ns(CLOCK_MONOTONIC);

	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
	nr_late += clock_ns(CLOCK_MONOTONIC) - start >= LATE_NS;
}

static int sleeps(pid_t tid)
{
	char path[64], line[256] = "";
	const char *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	state = strrchr(line, ')');
	return state && state[1] && state[2] == 'S';
}

/* Switches the programs off when the sleeper has left its CPU. */
static void *help(void *unused)
{
	pid_t tid;

	prctl(PR_SET_NAME, "helper");
	run_on(HELPER_CPU);
	while ((tid = leaving) >= 0) {
		if (!tid || !sleeps(tid))
			continue;
		leaving = 0;
		set_mode(TPROF_WAIT_OFF);
	}
	return unused;
}

/* Leaves the CPU, and comes back unseen. */
static void return_unseen(void)
{
	leaving = gettid();
	nap(LONG_NS);
	set_mode(TPROF_WAIT_COUNT);
}

static void leave_unseen(void)
{
	set_mode(TPROF_WAIT_OFF);
	nap(LONG_NS);
	set_mode(TPROF_WAIT_COUNT);
}

static void *end_after(void *unused)
{
	run_on(SLEEPER_CPU);
	return_unseen();
	return unused;
}

static void end_unseen(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, end_after, NULL))
		exit(EXIT_FAILURE);
	pthread_join(thread, NULL);
}

static uint64_t off_cpu_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC) - clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

int main(int argc, char **argv)
{
	int rounds = argc == 3 ? atoi(argv[2]) : 0;
	struct rusage usage;
	pthread_t helper;
	uint64_t start;

	if (rounds < 1) {
		fprintf(stderr, "usage: unseen leaves|returns|ends ROUNDS\n");
		return 2;
	}
	prctl(PR_SET_NAME, "sleeper");
	run_on(SLEEPER_CPU);
	ledger = find_ledger() + SLEEPER_CPU;
	if (pthread_create(&helper, NULL, help, NULL))
		return EXIT_FAILURE;
	start = off_cpu_ns();
	for (int i = 0; i < rounds; i++) {
		if (strcmp(argv[1], "leaves") == 0) {
			nap(SHORT_NS);
			leave_unseen();
		} else if (strcmp(argv[1], "returns") == 0) {
			return_unseen();
			nap(SHORT_NS);
		} else {
			end_unseen();
		}
	}
	start = off_cpu_ns() - start;
	leaving = -1;
	pthread_join(helper, NULL);
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld %llu %d\n", usage.ru_nvcsw + usage.ru_nivcsw, (unsigned long long)start, nr_late);
	return 0;
}
