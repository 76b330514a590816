// SPDX-License-Identifier: GPL-2.0-only
/* The end of what a command writes. */
#include "tail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int tail_open(struct tail *tail)
{
	int fds[2];

	tail->bytes = malloc(TAIL_BYTES);
	if (!tail->bytes)
		return -ENOMEM;
	tail->stop = eventfd(0, EFD_CLOEXEC);
	if (tail->stop < 0 || pipe2(fds, O_CLOEXEC))
		return -errno;
	tail->ours = fds[0];
	tail->theirs = fds[1];
	/* Of the reading end alone. */
	return fcntl(tail->ours, F_SETFL, O_NONBLOCK) ? -errno : 0;
}

/* Reads once, under the lock. What read() returns. */
static ssize_t take(struct tail *tail)
{
	size_t at = tail->nr % TAIL_BYTES;
	char nowhere[4096];
	ssize_t nr;

	if (tail->is_taken)
		return read(tail->ours, nowhere, sizeof(nowhere));
	nr = read(tail->ours, tail->bytes + at, TAIL_BYTES - at);
	if (nr > 0)
		tail->nr += (uint64_t)nr;
	return nr;
}

static void *run(void *context)
{
	struct tail *tail = context;
	struct pollfd fds[] = { { .fd = tail->ours, .events = POLLIN }, { .fd = tail->stop, .events = POLLIN } };
	ssize_t nr;

	while (poll(fds, 2, -1) > 0 && !fds[1].revents) {
		pthread_mutex_lock(&tail->lock);
		nr = take(tail);
		pthread_mutex_unlock(&tail->lock);
		/* There is nobody left who could write. */
		if (nr == 0)
			break;
	}
	return NULL;
}

int tail_begin(struct tail *tail)
{
	sigset_t all, before;
	int err;

	close_fd(&tail->theirs);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&tail->thread, NULL, run, tail);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	tail->is_running = !err;
	return -err;
}

/* What is in the pipe, and no more: there may be no end to it. */
static void take_the_rest(struct tail *tail)
{
	ssize_t nr;
	int left;

	if (ioctl(tail->ours, FIONREAD, &left))
		return;
	for (; left > 0; left -= (int)nr) {
		nr = take(tail);
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
	pthread_mutex_lock(&tail->lock);
	take_the_rest(tail);
	tail->is_taken = true;
	pthread_mutex_unlock(&tail->lock);
	return tail->nr > TAIL_BYTES ? tail->nr - TAIL_BYTES : 0;
}

int tail_write(const struct tail *tail, int fd)
{
	size_t end = tail->nr % TAIL_BYTES;
	int err = tail->nr >= TAIL_BYTES ? write_all(fd, tail->bytes + end, TAIL_BYTES - end) : 0;

	return err ? err : write_all(fd, tail->bytes, end);
}

void tail_close(struct tail *tail)
{
	if (tail->is_running) {
		eventfd_write(tail->stop, 1);
		pthread_join(tail->thread, NULL);
	}
	tail->is_running = false;
	close_fd(&tail->theirs);
	close_fd(&tail->ours);
	close_fd(&tail->stop);
	free(tail->bytes);
	tail->bytes = NULL;
}
