// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Whom a session was asked to sample, and who of them still runs. */
#include "targets.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc.h"

#ifndef PIDFD_THREAD
#define PIDFD_THREAD	O_EXCL		/* Linux 6.9 */
#endif

/* Whose process a thread is; 0: it has ended. */
static pid_t tgid_of(pid_t tid)
{
	struct proc_status status = { 0 };
	struct proc_text text = { 0 };

	if (proc_read(&text, "%d/status", tid) || proc_parse_status(text.text, &status))
		status.tgid = 0;
	proc_text_fini(&text);
	return status.tgid;
}

/* -errno; ESRCH: it has ended. */
static int open_pidfd(enum tprof_scope_kind kind, pid_t id)
{
	int pidfd = (int)syscall(SYS_pidfd_open, id, kind == TPROF_SCOPE_KIND_TID ? PIDFD_THREAD : 0);

	if (pidfd < 0 && kind == TPROF_SCOPE_KIND_TID && errno == EINVAL) {
		id = tgid_of(id);
		if (!id)
			return -ESRCH;
		pidfd = (int)syscall(SYS_pidfd_open, id, 0);
	}
	return pidfd < 0 ? -errno : pidfd;
}

int targets_add(struct targets *targets, enum tprof_scope_kind kind, pid_t id)
{
	struct target *all = realloc(targets->all, (targets->nr + 1) * sizeof(*all));
	int pidfd;

	if (!all)
		return -ENOMEM;
	targets->all = all;
	pidfd = open_pidfd(kind, id);
	all[targets->nr++] = (struct target){
		.kind = kind, .id = id, .pidfd = pidfd < 0 ? -1 : pidfd, .ended = pidfd == -ESRCH,
	};
	return 0;
}

static void let_go(struct target *target)
{
	if (target->pidfd >= 0)
		close(target->pidfd);
	target->pidfd = -1;
}

void targets_release(struct targets *targets)
{
	for (size_t i = 0; i < targets->nr; i++)
		let_go(&targets->all[i]);
	free(targets->all);
	*targets = (struct targets){ 0 };
}

int targets_epoll_add(const struct targets *targets, int epoll_fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	for (size_t i = 0; i < targets->nr; i++)
		if (targets->all[i].pidfd >= 0 &&
		    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, targets->all[i].pidfd, &event) && errno != EEXIST)
			return -errno;
	return 0;
}

void targets_reap(struct targets *targets)
{
	for (size_t i = 0; i < targets->nr; i++) {
		struct target *target = &targets->all[i];
		struct pollfd end = { .fd = target->pidfd, .events = POLLIN };

		if (end.fd < 0 || poll(&end, 1, 0) != 1)
			continue;
		let_go(target);
		target->ended = true;
	}
}

bool targets_gone(const struct targets *targets)
{
	for (size_t i = 0; i < targets->nr; i++)
		if (!targets->all[i].ended)
			return false;
	return targets->nr;
}
