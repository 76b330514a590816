// SPDX-License-Identifier: GPL-2.0-only
/*
 * The signals that end tprof. A thread waits for them: a handler would interrupt system calls of other threads, and a
 * thread that is blocked in write() cannot poll a descriptor.
 */
#include "ending.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "monotonic.h"

/*
 * Signals within this time count as one: timeout(1), service managers and shells that lose their terminal send a
 * signal twice, or send two different ones.
 */
#define SAME_WISH_NS 1000000000ull

static _Atomic(void (*)(void)) before_end;

void ending_prepare(void (*prepare)(void))
{
	atomic_store(&before_end, prepare);
}

/*
 * SIGHUP is left out if the parent set it to be ignored, as nohup does: a blocked signal becomes pending even if it is
 * ignored. SIGINT is always included: shells without job control ignore it in background jobs, but scripts use it to
 * end them.
 */
static sigset_t ending_signals(void)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	return set;
}

/* Terminates the process by the default action of the signal. */
static void __attribute__((noreturn)) end_process(int number)
{
	void (*prepare)(void) = atomic_load(&before_end);
	sigset_t set;

	if (prepare)
		prepare();
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	/* PID 1 of a container is not killed by the default action. */
	_exit(128 + number);
}

static void *wait_for_signals(void *context)
{
	struct ending *ending = context;
	sigset_t set = ending->signals;
	uint64_t first_ns = 0;
	int number;

	/* ending_pause() wakes the thread with SIGTERM. */
	sigaddset(&set, SIGTERM);
	for (;;) {
		if (sigwait(&set, &number))
			continue;
		if (atomic_load(&ending->is_closing))
			return NULL;
		if (!sigismember(&ending->signals, number))
			continue;
		if (!first_ns) {
			first_ns = monotonic_ns();
			eventfd_write(ending->fd, 1);
		} else if (monotonic_ns() - first_ns >= SAME_WISH_NS) {
			end_process(number);
		}
	}
}

/* The thread blocks all signals, including SIGTTOU for writing to the terminal from the background. */
static int start_thread(struct ending *ending)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&ending->thread, NULL, wait_for_signals, ending);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

int ending_open(struct ending *ending)
{
	int err;

	ending->signals = ending_signals();
	sigprocmask(SIG_BLOCK, &ending->signals, NULL);
	atomic_store(&ending->is_closing, false);
	ending->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (ending->fd < 0)
		return -errno;
	err = start_thread(ending);
	if (err) {
		close(ending->fd);
		ending->fd = -1;
	}
	return err;
}

void ending_pause(struct ending *ending)
{
	atomic_store(&ending->is_closing, true);
	pthread_kill(ending->thread, SIGTERM);
	pthread_join(ending->thread, NULL);
	atomic_store(&ending->is_closing, false);
}

int ending_resume(struct ending *ending)
{
	return start_thread(ending);
}

void ending_close(struct ending *ending)
{
	if (ending->fd < 0)
		return;
	ending_pause(ending);
	close(ending->fd);
	ending->fd = -1;
}
