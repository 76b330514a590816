// SPDX-License-Identifier: GPL-2.0-only
/* Address spaces: the mappings of processes, now and in the recent past. */
#include "aspace_fixture.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREAD 5000002

static void test_fork_shares(void **state)
{
	(void)state;
	shell();
	aspaces_fork(aspaces, SHELL, CHILD, 200);
	expect(CHILD, 0, 0x1000010, "/bin/shell", 0x1000000, 0);
	assert_string_equal(aspaces_process_name(aspaces, CHILD, 0), "shell");
	/* Changes in one process do not affect the other. */
	map(CHILD, 0x2000000, 0x1000, 0, "/lib/child", 201);
	map(SHELL, 0x3000000, 0x1000, 0, "/lib/shell", 202);
	expect(CHILD, 0, 0x2000000, "/lib/child", 0x2000000, 0);
	expect(SHELL, 0, 0x3000fff, "/lib/shell", 0x3000000, 0);
	assert_null(aspaces_find(aspaces, SHELL, 0, 0x2000000));
	assert_null(aspaces_find(aspaces, CHILD, 0, 0x3000000));
	assert_int_equal(aspaces_nr_images(aspaces), 2);
}

static void test_bad_ranges(void **state)
{
	(void)state;
	shell();
	map(SHELL, 0x1000000, 0, 0, "/bin/x", 102);
	map(SHELL, 0x1000000, UINT64_MAX, 0, "/bin/x", 102);
	expect(SHELL, 0, 0x1000000, "/bin/shell", 0x1000000, 0);
	map(SHELL, 0, 0x1000, 0, "/bin/x", 103);
	expect(SHELL, 0, 0, "/bin/x", 0, 0);
	map(SHELL, UINT64_MAX - 0xfff, 0xfff, 0, "/bin/x", 104);
	expect(SHELL, 0, UINT64_MAX - 1, "/bin/x", UINT64_MAX - 0xfff, 0);
	assert_null(aspaces_find(aspaces, SHELL, 0, UINT64_MAX));
}

static void test_age(void **state)
{
	(void)state;
	shell();
	aspaces_fork(aspaces, SHELL, CHILD, 200);
	aspaces_exec(aspaces, CHILD, "tool", 300);
	map(CHILD, 0x7000000, 0x2000, 0, "/bin/tool", 301);
	aspaces_age(aspaces);
	aspaces_exit(aspaces, CHILD, 400);
	expect(CHILD, 0x1000, 0x1000000, "/bin/shell", 0x1000000, 0);
	aspaces_age(aspaces);
	/* The image before exec had ended before the last reading of the tables; the process ended after it. */
	assert_null(aspaces_find(aspaces, CHILD, 0, 0x1000000));
	expect(CHILD, 0, 0x7000000, "/bin/tool", 0x7000000, 0);
	aspaces_age(aspaces);
	assert_null(aspaces_find(aspaces, CHILD, 0, 0x7000000));
	assert_null(aspaces_process_name(aspaces, CHILD, 0));
	/* Running processes are kept. */
	for (int i = 0; i < 5; i++)
		aspaces_age(aspaces);
	expect(SHELL, 0, 0x1000000, "/bin/shell", 0x1000000, 0);
	assert_int_equal(aspaces_nr_images(aspaces), 1);
}

/* An empty name is a name, not a missing one. */
static void test_empty_name(void **state)
{
	(void)state;
	shell();
	aspaces_comm(aspaces, SHELL, SHELL, "");
	assert_string_equal(aspaces_process_name(aspaces, SHELL, 0), "[empty]");
	assert_string_equal(aspaces_thread_name(aspaces, SHELL), "[empty]");
	aspaces_comm(aspaces, SHELL, SHELL + 1, "");
	assert_string_equal(aspaces_thread_name(aspaces, SHELL + 1), "[empty]");
}

static void test_names_live_for_two_ages(void **state)
{
	const char *name;

	(void)state;
	shell();
	name = aspaces_process_name(aspaces, SHELL, 0);
	aspaces_comm(aspaces, SHELL, SHELL, "renamed");
	aspaces_age(aspaces);
	/* Sanitizers would detect a use after free. */
	assert_string_equal(name, "shell");
	assert_string_equal(aspaces_process_name(aspaces, SHELL, 0), "renamed");
}

static void test_pid_is_used_again(void **state)
{
	(void)state;
	shell();
	aspaces_fork(aspaces, SHELL, CHILD, 200);
	aspaces_exec(aspaces, CHILD, "first", 210);
	map(CHILD, 0x5000000, 0x1000, 0, "/bin/first", 211);
	aspaces_fork(aspaces, SHELL, CHILD, 300);
	assert_string_equal(aspaces_process_name(aspaces, CHILD, 0), "shell");
	assert_string_equal(aspaces_process_name(aspaces, CHILD, 0x5000), "first");
	/* The exit record of the first process arrives late: the second still runs. */
	aspaces_exit(aspaces, CHILD, 250);
	for (int i = 0; i < 3; i++)
		aspaces_age(aspaces);
	assert_string_equal(aspaces_process_name(aspaces, CHILD, 0), "shell");
	assert_int_equal(aspaces_nr_images(aspaces), 2);
}

static void test_late_events(void **state)
{
	(void)state;
	shell();
	/* The exec record of the child arrives before its fork record, and a mapping of the forked shell last. */
	aspaces_exec(aspaces, CHILD, "tool", 300);
	map(CHILD, 0x7000000, 0x1000, 0, "/bin/tool", 301);
	aspaces_fork(aspaces, SHELL, CHILD, 200);
	map(CHILD, 0x6000000, 0x1000, 0, "/lib/late", 250);
	assert_string_equal(aspaces_process_name(aspaces, CHILD, 0), "tool");
	assert_string_equal(aspaces_process_name(aspaces, CHILD, 0x1000), "shell");
	expect(CHILD, 0x1000, 0x6000000, "/lib/late", 0x6000000, 0);
	assert_null(aspaces_find(aspaces, CHILD, 0x7000, 0x6000000));
}

static void test_births_that_were_missed(void **state)
{
	(void)state;
	assert_null(aspaces_process_name(aspaces, SHELL, 0));
	assert_null(aspaces_find(aspaces, SHELL, 0, 0x1000));
	aspaces_exit(aspaces, SHELL, 50);
	map(SHELL, 0x1000000, 0x1000, 0, "/bin/shell", 100);
	expect(SHELL, 0, 0x1000000, "/bin/shell", 0x1000000, 0);
	assert_null(aspaces_process_name(aspaces, SHELL, 0));
	aspaces_comm(aspaces, SHELL, SHELL, "named");
	assert_string_equal(aspaces_process_name(aspaces, SHELL, 0), "named");
	aspaces_fork(aspaces, 5000009, CHILD, 100);
	assert_null(aspaces_process_name(aspaces, CHILD, 0));
	aspaces_exec(aspaces, CHILD, "tool", 200);
	assert_string_equal(aspaces_process_name(aspaces, CHILD, 0), "tool");
}

static void test_idle_task(void **state)
{
	(void)state;
	assert_string_equal(aspaces_process_name(aspaces, 0, 0), "swapper");
	assert_string_equal(aspaces_thread_name(aspaces, 0), "swapper");
	assert_null(aspaces_find(aspaces, 0, 0, 0x1000));
	/* Interrupts that wake threads are no process either. */
	assert_string_equal(aspaces_process_name(aspaces, 0, TPROF_EXEC_IRQ), "[irq]");
	assert_string_equal(aspaces_process_name(aspaces, 0, TPROF_EXEC_SOFTIRQ), "[softirq]");
}

static void test_blind(void **state)
{
	(void)state;
	shell();
	aspaces_blind(aspaces);
	assert_null(aspaces_find(aspaces, SHELL, 0, 0x1000000));
	assert_null(aspaces_process_name(aspaces, SHELL, 0));
	assert_null(aspaces_process_name(aspaces, getpid(), 0));
	assert_null(aspaces_thread_name(aspaces, getpid()));
	assert_int_equal(aspaces_scan(aspaces), 0);
	assert_string_equal(aspaces_process_name(aspaces, 0, 0), "swapper");
}

static void test_threads(void **state)
{
	(void)state;
	shell();
	assert_string_equal(aspaces_thread_name(aspaces, SHELL), "shell");
	assert_null(aspaces_thread_name(aspaces, THREAD));
	aspaces_thread_fork(aspaces, SHELL, SHELL, THREAD);
	assert_string_equal(aspaces_thread_name(aspaces, THREAD), "shell");
	aspaces_comm(aspaces, SHELL, THREAD, "worker");
	assert_string_equal(aspaces_thread_name(aspaces, THREAD), "worker");
	assert_string_equal(aspaces_process_name(aspaces, SHELL, 0), "shell");
	/* A thread creates threads. */
	aspaces_thread_fork(aspaces, SHELL, THREAD, THREAD + 1);
	assert_string_equal(aspaces_thread_name(aspaces, THREAD + 1), "worker");
	aspaces_exit(aspaces, THREAD, 500);
	aspaces_age(aspaces);
	assert_string_equal(aspaces_thread_name(aspaces, THREAD), "worker");
	aspaces_age(aspaces);
	assert_null(aspaces_thread_name(aspaces, THREAD));
	assert_string_equal(aspaces_thread_name(aspaces, THREAD + 1), "worker");
	/* The TID is reused as the PID of a process. */
	aspaces_fork(aspaces, SHELL, THREAD + 1, 600);
	assert_string_equal(aspaces_thread_name(aspaces, THREAD + 1), "shell");
	assert_string_equal(aspaces_process_name(aspaces, THREAD + 1, 0), "shell");
}

static void test_code_at_ever_new_places(void **state)
{
	(void)state;
	shell();
	for (uint64_t i = 0; i < 70000; i++)
		map(SHELL, 0x100000000 + (i << 13), 0x1000, 0, "//anon", 200 + i);
	/* More mappings than the kernel permits: the set is restarted, and has the last ones. */
	assert_non_null(aspaces_find(aspaces, SHELL, 0, 0x100000000 + (69999ull << 13)));
	assert_null(aspaces_find(aspaces, SHELL, 0, 0x100000000));
}

/* Short-lived children: fork, exec of a small program, exit; names at random. */
static void children(pid_t first, int nr, uint64_t *time_ns)
{
	for (pid_t pid = first; pid < first + nr; pid++) {
		uint64_t at = 0x550000000000 + ((uint64_t)rand() << 12);
		char comm[16];

		snprintf(comm, sizeof(comm), "child-%x", (unsigned int)rand());
		aspaces_fork(aspaces, SHELL, pid, (*time_ns)++);
		aspaces_exec(aspaces, pid, comm, (*time_ns)++);
		map(pid, at, 0x5000, 0x2000, "/bin/true", (*time_ns)++);
		map(pid, at + 0x100000, 0x25000, 0x1000, "/lib/ld.so", (*time_ns)++);
		map(pid, at + 0x200000, 0x1000, 0, "[vdso]", (*time_ns)++);
		map(pid, at + 0x300000, 0x155000, 0x26000, "/lib/libc.so.6", (*time_ns)++);
		aspaces_exit(aspaces, pid, (*time_ns)++);
	}
}

static void test_short_lived_children(void **state)
{
	uint64_t time_ns = 1000;
	size_t before, full, after;

	(void)state;
	srand(1);
	shell();
	/* Warm-up: the tables grow to their size. */
	children(6000000, 6000, &time_ns);
	aspaces_age(aspaces);
	aspaces_age(aspaces);
	before = mallinfo2().uordblks;
	children(6000000, 1000, &time_ns);
	full = mallinfo2().uordblks;
	print_message("# %zu bytes for a short-lived child\n", (full - before) / 1000);
	assert_int_equal(aspaces_nr_images(aspaces), 2001);
	assert_true(full - before < 1000 * 1024);
	for (int i = 0; i < 100; i++) {
		children(6000000 + i * 1000, 1000, &time_ns);
		aspaces_age(aspaces);
		assert_true(aspaces_nr_images(aspaces) <= 6001);
	}
	aspaces_age(aspaces);
	aspaces_age(aspaces);
	after = mallinfo2().uordblks;
	assert_int_equal(aspaces_nr_images(aspaces), 1);
	assert_true(after <= before + 64 * 1024);
}

static void test_scan(void **state)
{
	const struct mapping *mapping;
	char comm[16];

	(void)state;
	prctl(PR_GET_NAME, comm);
	assert_true(aspaces_scan(aspaces) > 0);
	assert_string_equal(aspaces_process_name(aspaces, getpid(), 0), comm);
	mapping = aspaces_find(aspaces, getpid(), 0, (uint64_t)(uintptr_t)test_scan);
	assert_non_null(mapping);
	assert_string_equal(dso_name(mapping->dso), program_invocation_short_name);
	/* A second scan adds nothing. */
	assert_true(aspaces_scan(aspaces) > 0);
	assert_int_equal(aspaces_scan_process(aspaces, getpid()), 0);
	assert_string_equal(aspaces_process_name(aspaces, getpid(), 0), comm);
	assert_int_equal(aspaces_scan_process(aspaces, SHELL), -ESRCH);
}

/* A scan overrides older records, and ends processes that it did not find. */
static void test_scan_and_events(void **state)
{
	(void)state;
	shell();
	assert_true(aspaces_scan(aspaces) > 0);
	aspaces_exec(aspaces, getpid(), "stale", 5);
	aspaces_exit(aspaces, getpid(), 6);
	assert_string_not_equal(aspaces_process_name(aspaces, getpid(), 0), "stale");
	aspaces_age(aspaces);
	aspaces_age(aspaces);
	assert_null(aspaces_process_name(aspaces, SHELL, 0));
	aspaces_exec(aspaces, getpid(), "fresh", UINT64_MAX);
	assert_string_equal(aspaces_process_name(aspaces, getpid(), 0), "fresh");
}

static void test_unknown_is_looked_up(void **state)
{
	char name[16] = "", renamed[16] = "looked up (1)";

	(void)state;
	prctl(PR_GET_NAME, name);
	prctl(PR_SET_NAME, renamed);
	assert_non_null(aspaces_find(aspaces, getpid(), 0, (uint64_t)(uintptr_t)test_scan));
	assert_string_equal(aspaces_thread_name(aspaces, getpid()), renamed);
	assert_int_equal(aspaces_nr_images(aspaces), 1);
	/* The name is read once: later changes come from records. */
	prctl(PR_SET_NAME, name);
	assert_string_equal(aspaces_process_name(aspaces, getpid(), 0), renamed);
}

/* A thread of the kernel that starts during the session has no event with its name; it is not that of its parent. */
static void test_kernel_thread(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	aspaces_fork(aspaces, 1, 2, 100);
	aspaces_comm(aspaces, 2, 2, "kthreadd");
	aspaces_fork(aspaces, 2, pid, 200);
	assert_string_equal(aspaces_process_name(aspaces, pid, 0), "test_aspace");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* In a pid namespace, another process has that id: its children have its name, as all others do. */
	aspaces_comm(aspaces, 2, 2, "shell");
	aspaces_fork(aspaces, 2, CHILD + 1, 300);
	assert_string_equal(aspaces_process_name(aspaces, CHILD + 1, 0), "shell");
	aspaces_comm(aspaces, 2, 2, "kthreadd");
	/* One that has ended has no name, unless a kernel before 6.4 has told it. */
	aspaces_fork(aspaces, 2, CHILD, 300);
	assert_null(aspaces_process_name(aspaces, CHILD, 0));
	aspaces_comm(aspaces, CHILD, CHILD, "kworker/7:7");
	assert_string_equal(aspaces_process_name(aspaces, CHILD, 0), "kworker/7:7");
}

static void test_zombie(void **state)
{
	pid_t pid = fork();
	siginfo_t info;

	(void)state;
	if (!pid)
		_exit(0);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	assert_int_equal(aspaces_scan_process(aspaces, pid), 0);
	assert_non_null(aspaces_process_name(aspaces, pid, 0));
	waitpid(pid, NULL, 0);
	aspaces_age(aspaces);
	aspaces_age(aspaces);
	assert_int_equal(aspaces_nr_images(aspaces), 0);
}

/* If there are many files, a process with many mappings cannot add files; other processes can. */
static void test_many_files(void **state)
{
	(void)state;
	dsos_set_max_bytes(dsos, 1, SIZE_MAX);
	aspaces_fork(aspaces, 1, CHILD, 100);
	aspaces_exec(aspaces, CHILD, "greedy", 101);
	for (uint64_t i = 0; i < 1025; i++) {
		struct dso_id id = { .path = "/tmp/many", .maj = 7, .ino = 1 + i };

		aspaces_mmap(aspaces, CHILD, i * 0x10000, 0x1000, 0, &id, 102 + i);
		assert_non_null(aspaces_find(aspaces, CHILD, 0, i * 0x10000));
	}
	map(CHILD, 0x90000000, 0x1000, 0, "/bin/more", 2000);
	assert_null(aspaces_find(aspaces, CHILD, 0, 0x90000000));
	assert_null(aspaces_find(aspaces, CHILD, 0, 0));
	aspaces_fork(aspaces, 1, CHILD + 1, 2001);
	aspaces_exec(aspaces, CHILD + 1, "modest", 2002);
	map(CHILD + 1, 0x1000, 0x1000, 0, "/bin/modest", 2003);
	expect(CHILD + 1, 0, 0x1000, "/bin/modest", 0x1000, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_fork_shares),
		TEST(test_bad_ranges),
		TEST(test_age),
		TEST(test_empty_name),
		TEST(test_names_live_for_two_ages),
		TEST(test_pid_is_used_again),
		TEST(test_late_events),
		TEST(test_births_that_were_missed),
		TEST(test_idle_task),
		TEST(test_blind),
		TEST(test_threads),
		TEST(test_code_at_ever_new_places),
		TEST(test_short_lived_children),
		TEST(test_scan),
		TEST(test_scan_and_events),
		TEST(test_unknown_is_looked_up),
		TEST(test_kernel_thread),
		TEST(test_zombie),
		TEST(test_many_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
