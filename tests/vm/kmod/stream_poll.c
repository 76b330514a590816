// SPDX-License-Identifier: GPL-2.0-only
/*
 * poll() and epoll on a session: no records, records, a watermark, the end of the session, and which pollers wake.
 *
 * vm: all=arm64
 */
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>

#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "process.h"
#include "stream.h"

#define BYTES (1 << 16)

static int device;
static struct records r;

static int session_with(uint32_t bytes, uint32_t wakeup)
{
	struct tprof_config config = { .size = sizeof(config), .stream_bytes = bytes, .stream_wakeup = wakeup };
	int session = create_session(device);

	need(session >= 0 && ioctl(session, TPROF_IOC_CONFIGURE, &config) == 0, "a session");
	need(add_timer(session, MS) == 0 && fcntl(session, F_SETFL, O_NONBLOCK) == 0, "has an event");
	return session;
}

static int events(int session)
{
	struct pollfd fd = { .fd = session, .events = POLLIN | POLLOUT | POLLPRI };

	need(poll(&fd, 1, 0) >= 0, "poll()");
	return fd.revents;
}

static void drain(int session)
{
	while (read_records(session, &r, sizeof(r.bytes)) > 0)
		;
}

static void states(uint32_t bytes, const char *name)
{
	int session = session_with(bytes, 0);

	is(events(session), 0, "%s: nothing in a new one", name);
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	is(events(session), bytes ? POLLIN : 0, "%s: the records of the start, if any", name);
	drain(session);
	is(events(session), 0, "%s: nothing after they are read", name);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	is(events(session), POLLIN | POLLHUP, "%s: the end", name);
	drain(session);
	is(events(session), POLLIN | POLLHUP, "%s: also when all is read: read() would not wait", name);
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts again");
	drain(session);
	is(events(session), 0, "%s: it is not the end any more", name);
	close(session);
}

static void enough(void)
{
	int session = session_with(BYTES, 128);

	for (int i = 0; i < 3; i++)
		write(session, "12345678", 8);
	is(events(session), 0, "96 bytes are not 128");
	write(session, "12345678", 8);
	is(events(session), POLLIN, "128 are");
	check(read_records(session, &r, 40) == 32, "a record is read");
	is(events(session), 0, "then it is too little again");
	check(read_records(session, &r, 40) == 32, "though it can be read");
	close(session);
}

/* A stream that is smaller than the watermark wakes pollers when samples are lost. */
static void full(uint32_t flags, const char *name)
{
	static const struct bpf_insn keep[] = { ANSWER(TPROF_KEEP) };
	struct tprof_config config = {
		.size = sizeof(config), .flags = flags, .stream_bytes = getpagesize(), .stream_wakeup = getpagesize(),
	};
	int session = create_session(device), link;
	struct pollfd fd = { .fd = session, .events = POLLIN };
	pid_t worker = spin();

	need(session >= 0 && ioctl(session, TPROF_IOC_CONFIGURE, &config) == 0, "a session");
	need(add_timer(session, MS) == 0 && fcntl(session, F_SETFL, O_NONBLOCK) == 0, "has an event");
	link = attach_filter(session, "keep", 0, keep, 2);
	need(link >= 0 && ioctl(session, TPROF_IOC_START) == 0, "a filter, and it starts");
	is(poll(&fd, 1, 10000), 1, "%s: a full stream wakes, whatever was asked for", name);
	is(fd.revents, POLLIN, "%s: it can be read", name);
	check(read_records(session, &r, sizeof(r.bytes)) > 0, "%s: and is", name);
	kill(worker, SIGKILL);
	waitpid(worker, NULL, 0);
	close(link);
	close(session);
}

static int waiting;

static void *write_later(void *unused)
{
	usleep(100000);
	write(waiting, "wake", 4);
	return unused;
}

static void *stop_later(void *unused)
{
	usleep(100000);
	ioctl(waiting, TPROF_IOC_STOP);
	return unused;
}

/* Returns the events that epoll reports within ten seconds, while @work runs in a thread. */
static int woken_by(int epoll, void *(*work)(void *))
{
	struct epoll_event event = { 0 };
	pthread_t thread;

	need(!pthread_create(&thread, NULL, work, NULL), "a thread");
	need(epoll_wait(epoll, &event, 1, 10000) >= 0, "epoll waits");
	pthread_join(thread, NULL);
	return event.events;
}

static void waking(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int epoll = epoll_create1(0);
	uint32_t events;

	waiting = session_with(BYTES, 0);
	need(epoll_ctl(epoll, EPOLL_CTL_ADD, waiting, &event) == 0, "epoll takes a session");
	is(woken_by(epoll, write_later), EPOLLIN, "a mark wakes");
	drain(waiting);
	need(ioctl(waiting, TPROF_IOC_START) == 0, "it starts");
	is(epoll_wait(epoll, &event, 1, 0), 1, "the records of the start are reported");
	is(epoll_wait(epoll, &event, 1, 0), 0, "once");
	drain(waiting);
	is(woken_by(epoll, write_later), EPOLLIN, "a mark wakes again");
	drain(waiting);
	events = woken_by(epoll, stop_later);
	/* The first event may be for records. */
	if (events == EPOLLIN && epoll_wait(epoll, &event, 1, 10000) == 1)
		events = event.events;
	is(events, EPOLLIN | EPOLLHUP, "a stop wakes");
	close(waiting);
	is(epoll_wait(epoll, &event, 1, 0), 0, "a session that is closed is forgotten");
	close(epoll);
}

int main(void)
{
	device = open_device();
	/* Marks are written to the stream of the current CPU. */
	pin(0);
	states(0, "without a stream");
	states(BYTES, "with a stream");
	enough();
	full(0, "default");
	full(TPROF_CONFIG_STALL, "stall");
	waking();
	is(open_sessions(device), 0, "no session is left");
	return done_testing();
}
