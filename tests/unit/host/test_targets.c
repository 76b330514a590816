// SPDX-License-Identifier: GPL-2.0-only
/* Sampled processes that still run: children and threads of the test, which end on request. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "host/targets.h"

static pid_t child(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!pid)
		pause();
	return pid;
}

/* Ends a child, which stays a zombie. */
static void end(pid_t pid)
{
	siginfo_t info;

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}

static void bury(pid_t pid)
{
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static int epoll_fd;

static int make_epoll(void **state)
{
	(void)state;
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return epoll_fd < 0;
}

static int close_epoll(void **state)
{
	(void)state;
	return close(epoll_fd);
}

static bool gone(struct targets *targets)
{
	targets_reap(targets, epoll_fd);
	return targets_gone(targets);
}

static void nobody(void **state)
{
	struct targets targets = { 0 };

	(void)state;
	assert_false(gone(&targets));
	targets_reap(&targets, -1);
	targets_release(&targets);
}

static void the_last_counts(void **state)
{
	struct targets targets = { 0 };
	pid_t one = child(), two = child();

	(void)state;
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, one), 0);
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, two), 0);
	assert_int_equal(targets.nr, 2);
	assert_int_equal(targets.all[0].id, one);
	assert_int_equal(targets.all[1].kind, TPROF_SCOPE_KIND_TGID);
	assert_false(gone(&targets));
	end(one);
	assert_int_equal(targets.nr_ended, 0);
	assert_false(gone(&targets));
	assert_int_equal(targets.nr_ended, 1);
	/* A zombie counts as ended. */
	end(two);
	assert_true(gone(&targets));
	assert_true(gone(&targets));
	bury(one);
	bury(two);
	targets_release(&targets);
	assert_int_equal(targets.nr, 0);
}

static void removed(void **state)
{
	struct targets targets = { 0 };
	pid_t one = child(), two = child();

	(void)state;
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, one), 0);
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, two), 0);
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TID, one), 0);
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, one), 0);
	assert_false(gone(&targets));
	/* The one that is watched, with its duplicate. */
	assert_true(targets_remove(&targets, TPROF_SCOPE_KIND_TGID, one));
	assert_false(targets_remove(&targets, TPROF_SCOPE_KIND_TGID, one));
	assert_int_equal(targets.nr, 2);
	assert_int_equal(targets.all[0].id, two);
	end(two);
	assert_false(gone(&targets));
	assert_int_equal(targets.nr_ended, 1);
	/* One that has ended. */
	assert_true(targets_remove(&targets, TPROF_SCOPE_KIND_TGID, two));
	assert_int_equal(targets.nr_ended, 0);
	assert_false(gone(&targets));
	end(one);
	assert_true(gone(&targets));
	assert_true(targets_remove(&targets, TPROF_SCOPE_KIND_TID, one));
	assert_false(gone(&targets));
	bury(one);
	bury(two);
	targets_release(&targets);
}

static void added_later(void **state)
{
	struct targets targets = { 0 };
	pid_t one = child(), two;

	(void)state;
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, one), 0);
	end(one);
	assert_true(gone(&targets));
	two = child();
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, two), 0);
	assert_false(gone(&targets));
	end(two);
	assert_true(gone(&targets));
	bury(one);
	bury(two);
	targets_release(&targets);
}

static void the_first_may_run_longest(void **state)
{
	struct targets targets = { 0 };
	pid_t one = child(), two = child();

	(void)state;
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, one), 0);
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, two), 0);
	end(two);
	bury(two);
	assert_false(gone(&targets));
	end(one);
	assert_true(gone(&targets));
	bury(one);
	targets_release(&targets);
}

static void has_ended_before(void **state)
{
	struct targets targets = { 0 };
	pid_t pid = child();

	(void)state;
	end(pid);
	/* A zombie has no more samples. */
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, pid), 0);
	bury(pid);
	assert_true(gone(&targets));
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, pid), -ESRCH);
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TID, pid), -ESRCH);
	assert_int_equal(targets.nr, 1);
	targets_release(&targets);
}

static void *sleep_on(void *unused)
{
	pause();
	return unused;
}

/* Its first thread has ended, so /proc says that the process is a zombie. */
static pid_t child_without_first_thread(void)
{
	char stat[64] = "", path[32];
	pid_t pid = fork();
	pthread_t thread;

	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (pthread_create(&thread, NULL, sleep_on, NULL))
			_exit(1);
		pthread_exit(NULL);
	}
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (!strstr(stat, ") Z")) {
		FILE *file = fopen(path, "r");

		assert_non_null(file);
		assert_non_null(fgets(stat, sizeof(stat), file));
		fclose(file);
	}
	return pid;
}

static void first_thread_has_ended(void **state)
{
	struct targets targets = { 0 };
	pid_t pid = child_without_first_thread();

	(void)state;
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, pid), 0);
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TID, pid), 0);
	assert_true(target_runs(&targets, 0));
	assert_false(target_runs(&targets, 1));
	end(pid);
	assert_false(target_runs(&targets, 0));
	bury(pid);
	assert_false(target_runs(&targets, 0));
	targets_release(&targets);
}

/* PIDs are reused: the new process has another start time. */
static void another_one_has_its_number(void **state)
{
	struct targets targets = { 0 };
	pid_t pid = child();

	(void)state;
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, pid), 0);
	targets.all[0].start_time--;
	assert_true(gone(&targets));
	end(pid);
	bury(pid);
	targets_release(&targets);
}

static int nr_events(void)
{
	struct epoll_event events[4];

	return epoll_wait(epoll_fd, events, 4, 0);
}

static void wakes_who_waits(void **state)
{
	struct targets targets = { 0 };
	pid_t one = child(), two = child();

	(void)state;
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, one), 0);
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, two), 0);
	assert_false(gone(&targets));
	assert_int_equal(nr_events(), 0);
	end(one);
	assert_int_equal(nr_events(), 1);
	assert_false(gone(&targets));
	/* Else epoll_wait() would return forever. */
	assert_int_equal(nr_events(), 0);
	end(two);
	assert_int_equal(nr_events(), 1);
	assert_true(gone(&targets));
	assert_int_equal(nr_events(), 0);
	bury(one);
	bury(two);
	targets_release(&targets);
}

static int nr_descriptors(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

/* With the default limit of 1,024 descriptors, many targets need only one, so that enough are left for others. */
static void many_take_one_descriptor(void **state)
{
	struct targets targets = { 0 };
	int before = nr_descriptors();
	pid_t pids[64];

	(void)state;
	for (int i = 0; i < 64; i++) {
		pids[i] = child();
		assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, pids[i]), 0);
	}
	assert_false(gone(&targets));
	assert_int_equal(nr_descriptors(), before + 1);
	for (int i = 63; i >= 0; i--) {
		assert_false(gone(&targets));
		end(pids[i]);
		bury(pids[i]);
	}
	assert_true(gone(&targets));
	assert_int_equal(nr_descriptors(), before);
	targets_release(&targets);
}

struct thread {
	pthread_t thread;
	pid_t tid;
	int told[2], tell[2];
};

static void *wait_for_the_word(void *ctx)
{
	struct thread *thread = ctx;
	pid_t tid = gettid();
	char byte;

	if (write(thread->told[1], &tid, sizeof(tid)) != sizeof(tid) || read(thread->tell[0], &byte, 1) != 1)
		return ctx;
	return NULL;
}

/* A thread that ends before its process. */
static void thread(void **state)
{
	struct targets targets = { 0 };
	struct thread thread;
	void *result;

	(void)state;
	assert_int_equal(pipe2(thread.told, O_CLOEXEC), 0);
	assert_int_equal(pipe2(thread.tell, O_CLOEXEC), 0);
	assert_int_equal(pthread_create(&thread.thread, NULL, wait_for_the_word, &thread), 0);
	assert_int_equal(read(thread.told[0], &thread.tid, sizeof(thread.tid)), sizeof(thread.tid));
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TID, thread.tid), 0);
	assert_false(gone(&targets));
	assert_int_equal(write(thread.tell[1], "", 1), 1);
	assert_int_equal(pthread_join(thread.thread, &result), 0);
	assert_null(result);
	/* pthread_join() returns before the thread has ended completely. */
	while (!gone(&targets))
		usleep(1000);
	targets_release(&targets);
	for (int i = 0; i < 2; i++) {
		close(thread.told[i]);
		close(thread.tell[i]);
	}
}

/* Without a free descriptor no target is lost; a later check detects its end. */
static void no_descriptors(void **state)
{
	struct targets targets = { 0 };
	struct rlimit limit, none;
	pid_t pid = child();

	(void)state;
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, pid), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(targets_add(&targets, TPROF_SCOPE_KIND_TGID, pid), -EMFILE);
	end(pid);
	assert_false(gone(&targets));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(gone(&targets));
	bury(pid);
	targets_release(&targets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody),
		cmocka_unit_test(the_last_counts),
		cmocka_unit_test(removed),
		cmocka_unit_test(added_later),
		cmocka_unit_test(the_first_may_run_longest),
		cmocka_unit_test(has_ended_before),
		cmocka_unit_test(first_thread_has_ended),
		cmocka_unit_test(another_one_has_its_number),
		cmocka_unit_test(wakes_who_waits),
		cmocka_unit_test(many_take_one_descriptor),
		cmocka_unit_test(thread),
		cmocka_unit_test(no_descriptors),
	};

	return cmocka_run_group_tests(tests, make_epoll, close_epoll);
}
