// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload in which each wait is ended by a known thread. The function waits_KIND of a thread waits; the function
 * wakes_KIND of another thread, whose name is by_KIND, wakes it every 10 ms:
 *
 *	futex, pipe, socket	after a sleep, which a timer ends
 *	busy			by a pipe, after it has used the CPU for that time: it has slept before that
 *	passed			by a pipe, when wakes_first of the thread by_first has woken it, after a sleep
 *	timer			there is no thread: a timer ends the wait
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

/*
 * Functions of libc have no frame pointer, so their callers are missing in call stacks. Those are not inlined, so that
 * the function above them stays.
 */
#define CALLER static __attribute__((noipa))

#define ROUNDS 20
#define NAP_NS 10000000		/* 10 ms */

/* Where a thread waits until another one opens it. */
struct gate {
	int fds[2];
	uint32_t opened;
};

static struct gate futex_gate, pipe_gate, socket_gate, busy_gate, passed_gate, first_gate, slept_gate;

CALLER void nap(void)
{
	const struct timespec time = { .tv_nsec = NAP_NS };

	nanosleep(&time, NULL);
}

CALLER void burn(void)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + NAP_NS;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

CALLER void await(struct gate *gate)
{
	char byte;

	if (read(gate->fds[0], &byte, 1) != 1)
		exit(EXIT_FAILURE);
}

CALLER void open_gate(struct gate *gate)
{
	if (write(gate->fds[1], "x", 1) != 1)
		exit(EXIT_FAILURE);
}

CALLER void sleep_first(void)
{
	nap();
	open_gate(&slept_gate);
}

CALLER void await_futex(struct gate *gate, uint32_t seen)
{
	while (__atomic_load_n(&gate->opened, __ATOMIC_ACQUIRE) == seen)
		syscall(SYS_futex, &gate->opened, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

CALLER void open_futex(struct gate *gate)
{
	__atomic_add_fetch(&gate->opened, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &gate->opened, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* A function that a thread runs, under a name of its own. */
#define THREAD(function, name, round)							\
	CALLER void *function(void *unused)						\
	{										\
		prctl(PR_SET_NAME, name);						\
		for (uint32_t i = 0; i < ROUNDS; i++) {					\
			round;								\
		}									\
		return unused;								\
	}

THREAD(waits_futex, "on_futex", await_futex(&futex_gate, i))
THREAD(wakes_futex, "by_futex", nap(); open_futex(&futex_gate))
THREAD(waits_pipe, "on_pipe", await(&pipe_gate))
THREAD(wakes_pipe, "by_pipe", nap(); open_gate(&pipe_gate))
THREAD(waits_socket, "on_socket", await(&socket_gate))
THREAD(wakes_socket, "by_socket", nap(); open_gate(&socket_gate))
THREAD(waits_busy, "on_busy", await(&busy_gate))
THREAD(wakes_busy, "by_busy", if (!i) sleep_first(); burn(); open_gate(&busy_gate))
THREAD(waits_passed, "on_passed", await(&passed_gate))
THREAD(wakes_passed, "by_passed", await(&first_gate); open_gate(&passed_gate))
THREAD(wakes_first, "by_first", nap(); open_gate(&first_gate))
THREAD(waits_timer, "on_timer", nap())

static void *(*const threads[])(void *) = {
	wakes_busy, waits_busy, waits_futex, wakes_futex, waits_pipe, wakes_pipe, waits_socket, wakes_socket,
	waits_passed, wakes_passed, wakes_first, waits_timer,
};

int main(void)
{
	pthread_t ids[sizeof(threads) / sizeof(threads[0])];

	if (pipe(pipe_gate.fds) || pipe(busy_gate.fds) || pipe(passed_gate.fds) || pipe(first_gate.fds) ||
	    pipe(slept_gate.fds) || socketpair(AF_UNIX, SOCK_STREAM, 0, socket_gate.fds))
		return EXIT_FAILURE;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		if (pthread_create(&ids[i], NULL, threads[i], NULL))
			return EXIT_FAILURE;
		if (threads[i] == wakes_busy)
			await(&slept_gate);
	}
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		pthread_join(ids[i], NULL);
	return EXIT_SUCCESS;
}
