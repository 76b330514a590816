// SPDX-License-Identifier: GPL-2.0-only
/*
 * read() and write() on a session: errors, blocking, wakeups, and the end of the stream.
 *
 * vm: all=arm64
 */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "stream.h"

#define BYTES (1 << 16)

static int device;
static struct records r;

static int session_with(uint32_t stream_bytes)
{
	int session = create_session(device);

	need(session >= 0 && configure(session, 0, stream_bytes) == 0 && add_timer(session, MS) == 0, "a session");
	return session;
}

static void refused(void)
{
	int session = session_with(0);
	char mark[TPROF_MAX_MARK_BYTES + 1] = "x";
	static char megabyte[1 << 20];
	void *volatile nowhere = NULL;

	refuses(read_records(session, &r, 4096), EBADF, "read() without a stream");
	refuses(write(session, mark, 1), EBADF, "write() without a stream");
	close(session);

	session = session_with(BYTES);
	refuses(write(session, mark, 0), EINVAL, "an empty mark");
	refuses(write(session, mark, sizeof(mark)), EINVAL, "a mark that is too long");
	refuses(write(session, megabyte, sizeof(megabyte)), EINVAL, "a mark of a megabyte");
	refuses(write(session, nowhere, 1), EFAULT, "a mark that is nowhere");
	is(write(session, mark, TPROF_MAX_MARK_BYTES), TPROF_MAX_MARK_BYTES, "the longest mark");
	refuses(read_records(session, &r, 0), EINVAL, "read() without room");
	refuses(read_records(session, &r, 8), EINVAL, "read() with room for a header");
	refuses(read_records(session, &r, 8 + 16 + TPROF_MAX_MARK_BYTES - 1), EINVAL, "read() with a byte too little");
	refuses(read(session, nowhere, 4096), EFAULT, "read() to nowhere");
	is(read_records(session, &r, 8 + 16 + TPROF_MAX_MARK_BYTES), 8 + 16 + TPROF_MAX_MARK_BYTES, "just enough");
	refuses(lseek(session, 0, SEEK_SET), ESPIPE, "there is no place to seek");
	close(session);
}

/* read() returns complete records, as many as fit into the buffer. */
static void pieces(void)
{
	int session = session_with(BYTES), nr = 0;

	for (int i = 0; i < 10; i++)
		write(session, "12345678", 8);
	is(read_records(session, &r, 100), 96, "three records of 32 bytes fit into 100");
	is(read_records(session, &r, 64), 64, "two into 64");
	is(read_records(session, &r, sizeof(r.bytes)), 5 * 32, "the rest is five");
	while (next_read(&r))
		nr++;
	is(nr, 5, "of them");
	close(session);
}

static void nonblocking(void)
{
	int session = session_with(BYTES);

	need(fcntl(session, F_SETFL, O_NONBLOCK) == 0, "it does not wait");
	refuses(read_records(session, &r, 4096), EAGAIN, "nothing to read in a new one");
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	check(read_records(session, &r, sizeof(r.bytes)) > 0, "the records of the start");
	refuses(read_records(session, &r, 4096), EAGAIN, "nothing to read in one that runs");
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	check(read_records(session, &r, sizeof(r.bytes)) > 0, "the records of the stop");
	is(read_records(session, &r, 4096), 0, "the end");
	is(read_records(session, &r, 4096), 0, "remains the end");
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts again");
	check(read_records(session, &r, sizeof(r.bytes)) > 0, "and is not at the end any more");
	refuses(read_records(session, &r, 4096), EAGAIN, "there is more to come");
	close(session);
}

static int waiting;

static void *write_later(void *unused)
{
	usleep(100000);
	write(waiting, "wake", 4);
	return unused;
}

static void *flush_later(void *unused)
{
	usleep(100000);
	flush(waiting);
	return unused;
}

static void *stop_later(void *unused)
{
	usleep(100000);
	ioctl(waiting, TPROF_IOC_STOP);
	return unused;
}

/* Waits for a record while @work runs in a thread; returns its type. */
static int woken_by(void *(*work)(void *))
{
	const struct tprof_record *record;
	pthread_t thread;

	need(!pthread_create(&thread, NULL, work, NULL), "a thread");
	need(read_records(waiting, &r, sizeof(r.bytes)) > 0, "read() returns");
	record = next_read(&r);
	pthread_join(thread, NULL);
	return record ? record->type : -1;
}

static void interrupt(int signal)
{
	(void)signal;
}

static void blocking(void)
{
	/* The signal repeats, because the first one may arrive before the read. */
	const struct itimerval soon = { .it_value.tv_sec = 1, .it_interval.tv_sec = 1 }, never = { 0 };
	struct sigaction action = { .sa_handler = interrupt };

	waiting = session_with(BYTES);
	is(woken_by(write_later), TPROF_RECORD_MARK, "a mark wakes who reads a new session");
	need(ioctl(waiting, TPROF_IOC_START) == 0, "it starts");
	check(read_records(waiting, &r, sizeof(r.bytes)) > 0, "the records of the start");
	is(woken_by(write_later), TPROF_RECORD_MARK, "a mark wakes");
	is(woken_by(flush_later), TPROF_RECORD_FLUSH, "a flush wakes");
	/* Records of the flush may still arrive in the streams of other CPUs. */
	fcntl(waiting, F_SETFL, O_NONBLOCK);
	while (read_records(waiting, &r, sizeof(r.bytes)) > 0)
		;
	fcntl(waiting, F_SETFL, 0);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	refuses(read_records(waiting, &r, 4096), EINTR, "a signal interrupts");
	setitimer(ITIMER_REAL, &never, NULL);
	is(woken_by(stop_later), TPROF_RECORD_STOP, "a stop wakes");
	close(waiting);
}

int main(void)
{
	device = open_device();
	refused();
	pieces();
	nonblocking();
	blocking();
	return done_testing();
}
