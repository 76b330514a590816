// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the last bytes of a command's output. */
#include "tail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;
	int err = pthread_mutexattr_init(&attr);

	if (err)
		return -err;
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	err = pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return -err;
}

/* If the other process died with the lock held, the ring stays usable: nr counts only completed reads. */
static void hold(struct tail_ring *ring)
{
	if (pthread_mutex_lock(&ring->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&ring->lock);
}

int tail_open(struct tail *tail)
{
	struct tail_ring *ring = mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fds[2];

	if (ring == MAP_FAILED)
		return -errno;
	tail->ring = ring;
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	tail->ours = fds[0];
	tail->theirs = fds[1];
	/* O_NONBLOCK on the read end only. */
	return fcntl(tail->ours, F_SETFL, O_NONBLOCK) ? -errno : init_lock(&ring->lock);
}

/* Reads once. The lock must be held. Returns the result of read(). */
static ssize_t take(int fd, struct tail_ring *ring)
{
	size_t at = ring->nr % TAIL_BYTES;
	char nowhere[4096];
	ssize_t nr;

	if (ring->is_taken)
		return read(fd, nowhere, sizeof(nowhere));
	nr = read(fd, ring->bytes + at, TAIL_BYTES - at);
	if (nr > 0)
		ring->nr += (uint64_t)nr;
	return nr;
}

/*
 * Reads until the last writer closes the pipe, which may be long after tprof has exited. Keeps no other file descriptor
 * of tprof open.
 */
static void __attribute__((noreturn)) read_on(int fd, struct tail_ring *ring)
{
	struct pollfd readable = { .events = POLLIN };
	ssize_t nr = -1;

	readable.fd = dup2(fd, STDIN_FILENO);
	close_range(STDIN_FILENO + 1, ~0U, 0);
	if (chdir("/"))
		_exit(EXIT_FAILURE);
	while (nr && poll(&readable, 1, -1) > 0) {
		hold(ring);
		nr = take(readable.fd, ring);
		pthread_mutex_unlock(&ring->lock);
	}
	_exit(EXIT_SUCCESS);
}

/*
 * The reader is double-forked, in a session of its own, and blocks all signals, so that it survives the end of tprof.
 */
int tail_begin(struct tail *tail)
{
	sigset_t all, before;
	int err = 0;
	pid_t pid;

	close_fd(&tail->theirs);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (!pid) {
		setsid();
		pid = fork();
		if (!pid)
			read_on(tail->ours, tail->ring);
		_exit(pid < 0 ? errno : 0);
	}
	if (pid < 0 || waitpid(pid, &err, 0) < 0)
		err = errno;
	else
		err = WEXITSTATUS(err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return -err;
}

/* Reads what is in the pipe now, and no more, because the command may write without end. */
static void take_the_rest(struct tail *tail)
{
	ssize_t nr;
	int left;

	if (ioctl(tail->ours, FIONREAD, &left))
		return;
	for (; left > 0; left -= (int)nr) {
		nr = take(tail->ours, tail->ring);
		if (nr <= 0)
			return;
	}
}

static int write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t nr = write(fd, bytes, size);

		if (nr < 0 && errno != EINTR)
			return -errno;
		if (nr > 0) {
			bytes += nr;
			size -= (size_t)nr;
		}
	}
	return 0;
}

uint64_t tail_take(struct tail *tail)
{
	struct tail_ring *ring = tail->ring;

	hold(ring);
	take_the_rest(tail);
	ring->is_taken = true;
	pthread_mutex_unlock(&ring->lock);
	return ring->nr > TAIL_BYTES ? ring->nr - TAIL_BYTES : 0;
}

int tail_write(const struct tail *tail, int fd)
{
	const struct tail_ring *ring = tail->ring;
	size_t end = ring->nr % TAIL_BYTES;
	int err = ring->nr >= TAIL_BYTES ? write_all(fd, ring->bytes + end, TAIL_BYTES - end) : 0;

	return err ? err : write_all(fd, ring->bytes, end);
}

void tail_close(struct tail *tail)
{
	close_fd(&tail->theirs);
	close_fd(&tail->ours);
	if (tail->ring)
		munmap(tail->ring, sizeof(*tail->ring));
	tail->ring = NULL;
}
