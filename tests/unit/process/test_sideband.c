// SPDX-License-Identifier: GPL-2.0-only
/* Real side-band records of this machine, about processes and their mappings. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "process/sideband.h"

struct live {
	struct dsos *dsos;
	struct aspaces *aspaces;
	struct sideband *sideband;
	int nr_forked, nr_exited;
	pid_t last_exited;
};

static void count_forked(void *ctx, pid_t parent_tgid, pid_t tgid)
{
	struct live *live = ctx;

	(void)tgid;
	live->nr_forked += parent_tgid == getpid();
}

static void count_exited(void *ctx, pid_t tgid)
{
	struct live *live = ctx;

	live->nr_exited++;
	live->last_exited = tgid;
}

static void live_close(struct live *live)
{
	sideband_close(live->sideband);
	aspaces_free(live->aspaces);
	dsos_free(live->dsos);
}

static void live_open(struct live *live)
{
	struct sideband_listener listener = { .forked = count_forked, .exited = count_exited, .ctx = live };
	struct tprof_error error = { .text = "" };

	memset(live, 0, sizeof(*live));
	live->dsos = dsos_new(NULL);
	live->aspaces = aspaces_new(live->dsos, NULL);
	live->sideband = sideband_open(live->aspaces, &listener, NULL, &error);
	if (!live->sideband) {
		int err = errno;

		live_close(live);
		print_message("# %s\n", error.text);
		assert_string_not_equal(error.text, "");
		if (err == EPERM || err == EACCES || err == ENOSYS)
			skip();
		fail();
	}
	assert_true(aspaces_scan(live->aspaces) > 0);
}

/* Also binds the children, so all their records are in one ring. */
static void on_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	assert_int_equal(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

#define NR_CHILDREN 200

/* There are thousands, so the memory of this process is not copied. */
static pid_t spawn(void)
{
	static char *argv[] = { "true", NULL };
	pid_t pid;

	assert_int_equal(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, NULL), 0);
	return pid;
}

static void test_children(void **state)
{
	pid_t pids[NR_CHILDREN];
	struct live live;
	int nr = 0;

	(void)state;
	live_open(&live);
	for (int i = 0; i < NR_CHILDREN; i++) {
		pids[i] = spawn();
		waitpid(pids[i], NULL, 0);
		/* Each time, because other processes of this machine fill the rings too. */
		nr += sideband_drain(live.sideband);
	}
	assert_true(nr >= NR_CHILDREN * 4);
	assert_int_equal(sideband_lost(live.sideband), 0);
	for (int i = 0; i < NR_CHILDREN; i++) {
		const char *name = aspaces_process_name(live.aspaces, pids[i], 0);

		assert_non_null(name);
		assert_string_equal(name, "true");
	}
	assert_int_equal(live.nr_forked, NR_CHILDREN);
	assert_true(live.nr_exited >= NR_CHILDREN);
	live_close(&live);
}

/* Mappings of a child before and after its exec are found by address. */
static void test_mappings(void **state)
{
	uint64_t here = (uint64_t)(uintptr_t)test_mappings;
	const struct mapping *mapping;
	struct live live;
	int hold[2];
	pid_t pid;

	(void)state;
	live_open(&live);
	assert_int_equal(pipe(hold), 0);
	pid = fork();
	if (!pid) {
		char byte;

		close(hold[1]);
		prctl(PR_SET_NAME, "forked");
		(void)!read(hold[0], &byte, 1);
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	close(hold[0]);
	while (!aspaces_process_name(live.aspaces, pid, 0) ||
	       strcmp(aspaces_process_name(live.aspaces, pid, 0), "forked"))
		assert_true(sideband_drain(live.sideband) >= 0);
	mapping = aspaces_find(live.aspaces, pid, (uint32_t)(here >> 12), here);
	assert_non_null(mapping);
	assert_string_equal(dso_name(mapping->dso), program_invocation_short_name);
	close(hold[1]);
	waitpid(pid, NULL, 0);
	assert_true(sideband_drain(live.sideband) > 0);
	assert_string_equal(aspaces_process_name(live.aspaces, pid, 0), "true");
	assert_string_equal(aspaces_process_name(live.aspaces, pid, (uint32_t)(here >> 12)), "forked");
	live_close(&live);
}

static void *named_thread(void *arg)
{
	char byte;

	prctl(PR_SET_NAME, "a thread");
	(void)!read((int)(intptr_t)arg, &byte, 1);
	_exit(0);
	return NULL;
}

/* A process whose main thread ends first has not ended. */
static void leave_a_thread_behind(int ready, int fd)
{
	pthread_t thread;
	char byte = 0;

	prctl(PR_SET_NAME, "leader");
	/* Passed by value, because the thread outlives this stack. */
	pthread_create(&thread, NULL, named_thread, (void *)(intptr_t)fd);
	(void)!write(ready, &byte, 1);
	pthread_exit(NULL);
}

/* Returns the state letter of /proc/PID/stat: R, S, Z... */
static char state_of(pid_t pid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
	fclose(file);
	return state;
}

static void test_leader_ends_first(void **state)
{
	int hold[2], ready[2];
	struct live live;
	char byte;
	pid_t pid;

	(void)state;
	live_open(&live);
	assert_int_equal(pipe(hold) | pipe(ready), 0);
	pid = fork();
	if (!pid) {
		close(hold[1]);
		leave_a_thread_behind(ready[1], hold[0]);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	while (state_of(pid) != 'Z')
		usleep(1000);
	assert_true(sideband_drain(live.sideband) > 0);
	assert_true(live.last_exited != pid);
	for (int i = 0; i < 3; i++)
		aspaces_age(live.aspaces);
	assert_string_equal(aspaces_process_name(live.aspaces, pid, 0), "leader");
	close(hold[1]);
	waitpid(pid, NULL, 0);
	assert_true(sideband_drain(live.sideband) > 0);
	assert_int_equal(live.last_exited, pid);
	close(hold[0]);
	close(ready[0]);
	close(ready[1]);
	live_close(&live);
}

/* Overflows of rings are reported, and the following scan of /proc corrects the state. */
static void test_overflow(void **state)
{
	struct epoll_event event;
	struct live live;
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	pid_t pid;

	(void)state;
	live_open(&live);
	assert_int_equal(sideband_epoll_add(live.sideband, epoll_fd), 0);
	assert_int_equal(epoll_wait(epoll_fd, &event, 1, 0), 0);
	for (int i = 0; i < 1500; i++)
		waitpid(spawn(), NULL, 0);
	assert_int_equal(epoll_wait(epoll_fd, &event, 1, 0), 1);
	/* The kernel reports a loss with the next record, which does not exist yet. */
	assert_int_equal(sideband_lost(live.sideband), 0);
	assert_true(sideband_drain(live.sideband) > 0);
	assert_true(sideband_lost(live.sideband) > 0);
	pid = spawn();
	waitpid(pid, NULL, 0);
	assert_true(sideband_drain(live.sideband) > 0);
	print_message("# %llu lost\n", (unsigned long long)sideband_lost(live.sideband));
	assert_string_equal(aspaces_process_name(live.aspaces, pid, 0), "true");
	for (int i = 0; i < 3; i++)
		aspaces_age(live.aspaces);
	/* Processes whose exit record was lost are dropped. */
	assert_true(aspaces_nr_images(live.aspaces) < 1000);
	close(epoll_fd);
	live_close(&live);
}

/* After a ring has grown, half of the number of processes that overflowed it fit. */
static void test_growth(void **state)
{
	struct live live;
	uint64_t lost;
	int nr_forked;

	(void)state;
	on_one_cpu();
	live_open(&live);
	for (int i = 0; i < 1500; i++)
		waitpid(spawn(), NULL, 0);
	assert_true(sideband_drain(live.sideband) > 0);
	lost = sideband_lost(live.sideband);
	assert_true(lost > 0);
	/* Waits until the smaller ring is released. */
	for (int i = 0; i < 2; i++) {
		usleep(30000);
		assert_true(sideband_drain(live.sideband) >= 0);
	}
	/* Other processes on this CPU need space too; then the ring grows again. The original ring holds 400. */
	for (int try = 0; try < 5; try++) {
		lost = sideband_lost(live.sideband);
		nr_forked = live.nr_forked;
		for (int i = 0; i < 750; i++)
			waitpid(spawn(), NULL, 0);
		assert_true(sideband_drain(live.sideband) > 0);
		sideband_count_lost(live.sideband);
		if (sideband_lost(live.sideband) == lost)
			break;
	}
	assert_int_equal(sideband_lost(live.sideband), lost);
	assert_true(live.nr_forked - nr_forked >= 750);
	live_close(&live);
}

/* While a larger ring replaces another, both are read: each child has a record, or is counted as lost. */
static void test_nothing_falls_between(void **state)
{
	struct live live;
	int nr = 0;

	(void)state;
	on_one_cpu();
	live_open(&live);
	/* About 200 children fill half of a ring. */
	for (int i = 0; i < 1200; i++, nr++) {
		waitpid(spawn(), NULL, 0);
		if (i % 240 == 239 || (i > 480 && i < 720))
			assert_true(sideband_drain(live.sideband) > 0);
	}
	assert_true(sideband_drain(live.sideband) >= 0);
	sideband_count_lost(live.sideband);
	/* While there are two rings, a child may have records in both. */
	assert_true((uint64_t)live.nr_forked + sideband_lost(live.sideband) >= (uint64_t)nr);
	live_close(&live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_children),
		cmocka_unit_test(test_mappings),
		cmocka_unit_test(test_leader_ends_first),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_nothing_falls_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
