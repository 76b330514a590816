// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The processes and threads that a session samples, and whether any of them still runs. */
#include "targets.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"

#ifndef PIDFD_THREAD
#define PIDFD_THREAD	O_EXCL		/* Linux 6.9 */
#endif

/* Also succeeds for a zombie. */
static int read_stat(struct proc_text *text, pid_t id, struct proc_stat *stat)
{
	int err = proc_read(text, "%d/stat", id);

	if (!err)
		err = proc_parse_stat(text->text, stat);
	return err == -ENOENT ? -ESRCH : err;
}

int targets_add(struct targets *targets, enum tprof_scope_kind kind, pid_t id)
{
	struct target *all = array_grow(targets->all, targets->nr, &targets->capacity, sizeof(*all));
	struct proc_stat stat;
	int err;

	if (!all)
		return -ENOMEM;
	targets->all = all;
	err = read_stat(&targets->text, id, &stat);
	if (!err)
		all[targets->nr++] = (struct target){ .kind = kind, .id = id, .start_time = stat.start_time };
	return err;
}

static void let_go(struct targets *targets)
{
	if (targets->watches)
		close(targets->pidfd);
	targets->watches = false;
}

static void remove_at(struct targets *targets, size_t i)
{
	if (i == targets->nr_ended)
		let_go(targets);
	else if (i < targets->nr_ended)
		targets->nr_ended--;
	targets->nr--;
	memmove(&targets->all[i], &targets->all[i + 1], (targets->nr - i) * sizeof(*targets->all));
}

bool targets_remove(struct targets *targets, enum tprof_scope_kind kind, pid_t id)
{
	bool found = false;

	for (size_t i = targets->nr; i-- > 0;) {
		if (targets->all[i].kind != kind || targets->all[i].id != id)
			continue;
		remove_at(targets, i);
		found = true;
	}
	return found;
}

void targets_release(struct targets *targets)
{
	let_go(targets);
	proc_text_fini(&targets->text);
	free(targets->all);
	*targets = (struct targets){ 0 };
}

/* If threads have no pidfd, opens that of the thread's process. */
static int open_pidfd(struct targets *targets, const struct target *target)
{
	bool thread = target->kind == TPROF_SCOPE_KIND_TID;
	struct proc_status status;
	int pidfd = (int)syscall(SYS_pidfd_open, target->id, thread ? PIDFD_THREAD : 0);

	targets->asks = pidfd < 0 && thread && errno == EINVAL;
	if (targets->asks) {
		if (proc_read(&targets->text, "%d/status", target->id) ||
		    proc_parse_status(targets->text.text, &status))
			return -ESRCH;
		pidfd = (int)syscall(SYS_pidfd_open, status.tgid, 0);
	}
	return pidfd < 0 ? -errno : pidfd;
}

/* Errors: ESRCH: it has ended, or another process has its id. */
static int look_up(struct targets *targets, const struct target *target, struct proc_stat *stat)
{
	int err = read_stat(&targets->text, target->id, stat);

	return !err && stat->start_time != target->start_time ? -ESRCH : err;
}

/* Errors: those of look_up(), pidfd_open(2) and epoll_ctl(2). */
static int watch_target(struct targets *targets, const struct target *target, int epoll_fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	int pidfd = open_pidfd(targets, target);
	struct proc_stat stat;
	int err;

	if (pidfd < 0)
		return pidfd;
	err = look_up(targets, target, &stat);
	if (!err && epoll_ctl(epoll_fd, EPOLL_CTL_ADD, pidfd, &event))
		err = -errno;
	if (err) {
		close(pidfd);
		return err;
	}
	targets->pidfd = pidfd;
	targets->watches = true;
	return 0;
}

static bool is_dead(struct targets *targets, const struct target *target)
{
	struct proc_stat stat;
	int err = look_up(targets, target, &stat);

	if (err)
		return err == -ESRCH;
	return target->kind == TPROF_SCOPE_KIND_TID ? proc_stat_is_zombie(&stat) : proc_stat_is_dead(&stat);
}

bool target_runs(struct targets *targets, size_t index)
{
	return !is_dead(targets, &targets->all[index]);
}

static bool has_ended(struct targets *targets, const struct target *target, int epoll_fd)
{
	int err = targets->watches ? 0 : watch_target(targets, target, epoll_fd);
	struct pollfd end = { .fd = targets->pidfd, .events = POLLIN };

	if (err)
		return err == -ESRCH;
	if (poll(&end, 1, 0) != 1 && !(targets->asks && is_dead(targets, target)))
		return false;
	let_go(targets);
	return true;
}

void targets_reap(struct targets *targets, int epoll_fd)
{
	while (targets->nr_ended < targets->nr && has_ended(targets, &targets->all[targets->nr_ended], epoll_fd))
		targets->nr_ended++;
}

bool targets_gone(const struct targets *targets)
{
	return targets->nr && targets->nr_ended == targets->nr;
}
