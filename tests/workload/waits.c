// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload that waits in known ways: waits [NAME...]. Each of its functions waits for one reason, and its line of
 * output says how long its thread was off the CPU meanwhile, by its own clocks: the time that passed less the CPU time
 * of the thread, which has the name of the function; then how long it was ready to run, but had no CPU, as the kernel
 * counts it; then the time from each moment before it was woken to one after it ran. The kernel counts from the moment
 * in which the CPU to run on knows of it, and an emulated CPU may be late. Last, how long it was off the CPU while its
 * name changed. All functions if no name is given. Times are in nanoseconds.
 *
 *	waits --execs NUMBER	calls exec that often instead, each time by a thread that is not the first
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "off_cpu.h"

/*
 * Functions of libc have no frame pointer, so their callers are missing in call stacks. The functions that call them
 * are not inlined, so that those which wait stay.
 */
#define CALLER static __attribute__((noipa))

#define ROUNDS 20
#define NAP_NS 10000000		/* 10 ms */

CALLER void nap(uint64_t ns)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + ns;
	const struct timespec time = {
		.tv_sec = (time_t)(end / NSEC_PER_SEC),
		.tv_nsec = (long)(end % NSEC_PER_SEC),
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
	woken_since(end);
}

CALLER void burn(uint64_t ns)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

CALLER void sleeps(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		nap(NAP_NS);
		burn(NAP_NS / 10);
	}
}

CALLER void await_child(void)
{
	wait(NULL);
	woken();
}

CALLER void in_child(void (*fn)(int fd), int fd)
{
	prctl(PR_SET_NAME, "child");
	fn(fd);
	about_to_wake();
	_exit(EXIT_SUCCESS);
}

CALLER pid_t run_child(void (*fn)(int fd), int fd)
{
	pid_t child = fork_unmeasured();

	if (!child)
		in_child(fn, fd);
	return child;
}

static void write_slowly(int fd)
{
	for (int i = 0; i < ROUNDS; i++) {
		nap(NAP_NS);
		about_to_wake();
		if (write(fd, "x", 1) != 1)
			_exit(EXIT_FAILURE);
	}
}

CALLER void read_all(int fd)
{
	char byte;

	for (int i = 0; i < ROUNDS; i++) {
		if (read(fd, &byte, 1) != 1)
			exit(EXIT_FAILURE);
		woken();
	}
	await_child();
}

CALLER void reads_pipe(void)
{
	int fds[2];

	if (pipe(fds))
		exit(EXIT_FAILURE);
	run_child(write_slowly, fds[1]);
	read_all(fds[0]);
}

CALLER void reads_socket(void)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		exit(EXIT_FAILURE);
	run_child(write_slowly, fds[1]);
	read_all(fds[0]);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int holds, has_held;

/* Holds the mutex for a nap, again and again. */
static void *hold(void *unused)
{
	prctl(PR_SET_NAME, "holder");
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		holds = 1;
		nap(NAP_NS);
		pthread_mutex_unlock(&mutex);
		nap(NAP_NS / 10);
	}
	has_held = 1;
	return unused;
}

CALLER void lock(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

CALLER void locks(void)
{
	pthread_t thread;

	measure_no_more();
	if (pthread_create(&thread, NULL, hold, NULL))
		exit(EXIT_FAILURE);
	measure(measured_name);
	/* On a busy machine, it may take long until the other thread runs. */
	while (!holds)
		nap(NAP_NS / 10);
	for (int i = 0; i < ROUNDS; i++) {
		nap(NAP_NS / 10);
		lock();
	}
	/* glibc waits for the other thread in functions whose callers are lost. */
	while (!has_held)
		nap(NAP_NS / 10);
	pthread_join(thread, NULL);
}

CALLER void spin(int unused)
{
	(void)unused;
	burn(10 * NSEC_PER_SEC);
}

/* More threads than CPUs: this one is ready to run, but has to wait for a CPU. */
CALLER void preempted(void)
{
	long nr = 3 * sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t killed_ns;
	pid_t *children = calloc((size_t)nr, sizeof(*children));

	if (!children)
		exit(EXIT_FAILURE);
	for (long i = 0; i < nr; i++) {
		children[i] = fork_unmeasured();
		if (!children[i])
			in_child(spin, 0);
	}
	burn(20 * NAP_NS);
	killed_ns = clock_ns(CLOCK_MONOTONIC);
	for (long i = 0; i < nr; i++)
		kill(children[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	woken_since(killed_ns);
	free(children);
}

static void continue_parent(int unused)
{
	(void)unused;
	nap(20 * NAP_NS);
	about_to_wake();
	kill(getppid(), SIGCONT);
}

CALLER void stop(void)
{
	raise(SIGSTOP);
}

CALLER void stopped(void)
{
	run_child(continue_parent, 0);
	stop();
	woken();
	await_child();
}

/* Stops the parent, which then waits for its tracer. */
static void trace_parent(int unused)
{
	pid_t parent = getppid();

	(void)unused;
	while (!__atomic_load_n(&shared->waits_since, __ATOMIC_ACQUIRE))
		nap(NAP_NS / 10);
	if (ptrace(PTRACE_SEIZE, parent, NULL, NULL) || ptrace(PTRACE_INTERRUPT, parent, NULL, NULL) ||
	    waitpid(parent, NULL, __WALL) != parent) {
		perror("waits: it cannot be traced");
		kill(parent, SIGKILL);
		_exit(EXIT_FAILURE);
	}
	nap(20 * NAP_NS);
	about_to_wake();
	ptrace(PTRACE_DETACH, parent, NULL, NULL);
}

CALLER void traced(void)
{
	run_child(trace_parent, 0);
	__atomic_store_n(&shared->waits_since, clock_ns(CLOCK_MONOTONIC), __ATOMIC_RELEASE);
	while (!is_woken())
		;
	woken();
	await_child();
}

/* A thread that waits until its process ends. */
static void *wait_for_end(void *fds)
{
	char byte;

	prctl(PR_SET_NAME, "exits");
	shared->waits_since = clock_ns(CLOCK_MONOTONIC);
	return read(*(int *)fds, &byte, 1) == 1 ? fds : NULL;
}

CALLER void end_in_wait(void)
{
	pthread_t thread;
	int fds[2];

	prctl(PR_SET_NAME, "child");
	if (pipe(fds) || pthread_create(&thread, NULL, wait_for_end, fds))
		_exit(EXIT_FAILURE);
	nap(20 * NAP_NS);
	about_to_wake();
	_exit(EXIT_SUCCESS);
}

/* Not this thread is measured, but one of a child. */
CALLER void exits(void)
{
	uint64_t woken_ns;

	measure_no_more();
	if (!fork())
		end_in_wait();
	wait(NULL);
	woken_ns = woken();
	measured.off_ns = woken_ns - shared->waits_since;
	was_unsure(woken_ns, clock_ns(CLOCK_MONOTONIC));
	measure(measured_name);
}

static void caught(int unused)
{
	(void)unused;
}

static void send_signals(int unused)
{
	pid_t parent = getppid();

	(void)unused;
	/* A process that adopts this one gets no signals. */
	while (getppid() == parent && !kill(parent, SIGUSR1))
		;
}

/*
 * Sleeps while another CPU sends signals, so some come when it is about to sleep: it stays ready to run. Others want
 * its CPU, too.
 */
CALLER void signalled(void)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	pid_t sender, spinner;
	cpu_set_t all, one;

	signal(SIGUSR1, caught);
	sender = run_child(send_signals, 0);
	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	spinner = run_child(spin, 0);
	while (clock_ns(CLOCK_MONOTONIC) - start < 20 * NAP_NS)
		pause();
	kill(spinner, SIGKILL);
	kill(sender, SIGKILL);
	while (wait(NULL) > 0)
		;
	sched_setaffinity(0, sizeof(all), &all);
	woken_since(start);
}

static void nap_once(int unused)
{
	(void)unused;
	nap(NAP_NS);
}

CALLER void run_vforked(void)
{
	if (!vfork())
		in_child(nap_once, 0);
	await_child();
}

CALLER void vforks(void)
{
	for (int i = 0; i < ROUNDS; i++)
		run_vforked();
}

static uint64_t before_first_ns;

static void *start(void *unused)
{
	prctl(PR_SET_NAME, "started");
	__atomic_add_fetch(&before_first_ns, delay_ns(), __ATOMIC_RELAXED);
	return unused;
}

/* A thread inherits the name, and may lose its CPU under it. */
static void start_unmeasured(pthread_t *thread)
{
	measure_no_more();
	prctl(PR_SET_NAME, "starting");
	if (pthread_create(thread, NULL, start, NULL))
		exit(EXIT_FAILURE);
	measure(measured_name);
}

/* Threads that have to wait before they run for the first time, because their creator has the CPU. */
CALLER void starts(void)
{
	pthread_t threads[ROUNDS];
	cpu_set_t all, one;
	uint64_t join_ns;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (int i = 0; i < ROUNDS; i++) {
		start_unmeasured(&threads[i]);
		burn(NAP_NS);
	}
	join_ns = clock_ns(CLOCK_MONOTONIC);
	for (int i = 0; i < ROUNDS; i++)
		pthread_join(threads[i], NULL);
	woken_since(join_ns);
	sched_setaffinity(0, sizeof(all), &all);
}

static const struct {
	const char *name;
	void (*fn)(void);
} ways[] = {
	{ "sleeps", sleeps }, { "reads_pipe", reads_pipe }, { "reads_socket", reads_socket }, { "locks", locks },
	{ "preempted", preempted }, { "stopped", stopped }, { "signalled", signalled },
	{ "traced", traced }, { "exits", exits }, { "vforks", vforks }, { "starts", starts },
};

/* The thread gets the id of the process, and its own one disappears without an end of the thread. */
static void *exec_again(void *left)
{
	execl("/proc/self/exe", "waits", "--execs", (char *)left, (char *)NULL);
	exit(EXIT_FAILURE);
}

static int chain_of_execs(unsigned long left)
{
	char text[24];
	pthread_t thread;

	if (!left)
		return EXIT_SUCCESS;
	snprintf(text, sizeof(text), "%lu", left - 1);
	if (pthread_create(&thread, NULL, exec_again, text))
		return EXIT_FAILURE;
	pthread_join(thread, NULL);
	return EXIT_FAILURE;
}

static int is_wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], name) == 0)
			return 1;
	}
	return argc == 1;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--execs") == 0)
		return chain_of_execs(strtoul(argv[2], NULL, 10));
	if (!share())
		return EXIT_FAILURE;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!is_wanted(ways[i].name, argc, argv))
			continue;
		measured = (struct times){ 0 };
		woken_for_ns = unsure_ns = 0;
		measure(ways[i].name);
		ways[i].fn();
		measure_no_more();
		printf("%s %llu %llu %llu %llu\n", ways[i].name, (unsigned long long)measured.off_ns,
		       (unsigned long long)measured.delayed_ns, (unsigned long long)woken_for_ns,
		       (unsigned long long)unsure_ns);
		fflush(stdout);
	}
	if (before_first_ns)
		printf("first 0 %llu 0 0\n", (unsigned long long)before_first_ns);
	return EXIT_SUCCESS;
}
