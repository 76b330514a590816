// SPDX-License-Identifier: GPL-2.0-only
/* Waits on one epoll descriptor for the session, signals, a pidfd, stdin and two timers. */
#include "watch.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/out.h"

/* Tags of epoll entries that are not an enum watch_event. */
enum { SOURCE_SESSION = 1 << 16, SOURCE_COUNTERS, SOURCE_ENDING, SOURCE_RESIZE };

static int add_fd(struct watch *watch, int fd, uint32_t what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = what };

	return epoll_ctl(watch->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int open_signals(struct watch *watch)
{
	int err = ending_open(&watch->ending);
	sigset_t set;

	if (err)
		return err;
	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	watch->resize = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (watch->resize < 0)
		return -errno;
	err = add_fd(watch, watch->ending.fd, SOURCE_ENDING);
	return err ? err : add_fd(watch, watch->resize, SOURCE_RESIZE);
}

int watch_open(struct watch *watch)
{
	int err;

	*watch = (struct watch)WATCH_NONE;
	watch->epoll = epoll_create1(EPOLL_CLOEXEC);
	err = watch->epoll < 0 ? -errno : open_signals(watch);
	if (!err)
		return EXIT_OK;
	out_error(err == -EMFILE ? "raise the limit of open files: ulimit -Hn, or LimitNOFILE= of a service" : NULL,
		  "epoll: %s", strerror(-err));
	watch_close(watch);
	return EXIT_FAIL;
}

void watch_close(struct watch *watch)
{
	int fds[] = { watch->tick, watch->deadline, watch->resize, watch->epoll };

	ending_close(&watch->ending);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*watch = (struct watch)WATCH_NONE;
}

int watch_session(struct watch *watch, struct tprof_session *session)
{
	watch->session = session;
	return add_fd(watch, tprof_session__epoll_fd(session), SOURCE_SESSION);
}

int watch_counters(struct watch *watch, struct tprof_counters *counters)
{
	int fd = tprof_counters__epoll_fd(counters);

	watch->counters = counters;
	return fd < 0 ? 0 : add_fd(watch, fd, SOURCE_COUNTERS);
}

int watch_command(struct watch *watch, int pidfd)
{
	watch->command = true;
	return add_fd(watch, pidfd, WATCH_COMMAND);
}

int watch_keyboard(struct watch *watch)
{
	int err = add_fd(watch, STDIN_FILENO, WATCH_KEY);

	return err == -EPERM ? 0 : err;		/* epoll refuses regular files, which deliver no keys */
}

/* Arms a timer, which is created at first use. @interval_ns 0: one shot. */
static int arm(struct watch *watch, int *timer, uint64_t first_ns, uint64_t interval_ns,
	       enum watch_event what)
{
	struct itimerspec spec = {
		.it_value = { (time_t)(first_ns / 1000000000), (long)(first_ns % 1000000000) },
		.it_interval = { (time_t)(interval_ns / 1000000000), (long)(interval_ns % 1000000000) },
	};
	int err;

	if (*timer < 0) {
		*timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
		if (*timer < 0)
			return -errno;
		err = add_fd(watch, *timer, what);
		if (err)
			return err;
	}
	return timerfd_settime(*timer, 0, &spec, NULL) ? -errno : 0;
}

int watch_interval(struct watch *watch, uint64_t ns)
{
	return arm(watch, &watch->tick, ns, ns, WATCH_TICK);
}

int watch_duration(struct watch *watch, uint64_t ns)
{
	return ns ? arm(watch, &watch->deadline, ns, 0, WATCH_DEADLINE) : 0;
}

/* Drains a timerfd, eventfd or signalfd, which would otherwise stay readable. */
static void drain(int fd)
{
	struct signalfd_siginfo content;

	if (read(fd, &content, sizeof(content)) < 0)
		return;
}

static int serve_session(struct watch *watch)
{
	int err = tprof_session__dispatch(watch->session);

	if (err)
		return err;
	return !watch->command && tprof_session__targets_gone(watch->session) ? WATCH_GONE : 0;
}

/* Linux before 6.9 does not report the end of threads, so it is also checked at each tick. */
static int check_counters(struct watch *watch)
{
	return watch->counters && tprof_counters__targets_gone(watch->counters) ? WATCH_GONE : 0;
}

static int handle_event(struct watch *watch, const struct epoll_event *event)
{
	/*
	 * The terminal is gone, and every read from it would return at once. Handle this like SIGHUP, which is sent
	 * only to processes with this controlling terminal.
	 */
	if (event->data.u32 == WATCH_KEY && (event->events & (EPOLLHUP | EPOLLERR)))
		return WATCH_SIGNAL;
	switch (event->data.u32) {
	case SOURCE_SESSION:
		return serve_session(watch);
	case SOURCE_COUNTERS:
		return check_counters(watch);
	case SOURCE_ENDING:
		drain(watch->ending.fd);
		return WATCH_SIGNAL;
	case SOURCE_RESIZE:
		drain(watch->resize);
		return WATCH_RESIZE;
	case WATCH_TICK:
		drain(watch->tick);
		return WATCH_TICK | check_counters(watch);
	case WATCH_DEADLINE:
		drain(watch->deadline);
		break;
	}
	return (int)event->data.u32;
}

int watch_wait(struct watch *watch)
{
	struct epoll_event events[8];
	int happened = 0;

	while (!happened) {
		int nr = epoll_wait(watch->epoll, events, sizeof(events) / sizeof(events[0]), -1);

		if (nr < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < nr; i++) {
			int what = handle_event(watch, &events[i]);

			if (what < 0)
				return what;
			happened |= what;
		}
	}
	watch->signalled |= (happened & WATCH_SIGNAL) != 0;
	return happened;
}
