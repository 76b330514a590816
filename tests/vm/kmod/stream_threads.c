// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads on one session: some read and poll its streams while others map them and change their size. There is no
 * deadlock and no use after free (which would be in the kernel log).
 *
 * vm: all=arm64
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "ktap.h"
#include "device.h"

/*
 * The minimum run time, and the maximum until each thread has done its work: many virtual CPUs on few real ones are
 * slow.
 */
#define SECONDS 3
#define SECONDS_MAX 40

static int session;
static long page;
static atomic_bool over;
static atomic_uint nr_reads, nr_busy, nr_maps, nr_polls, nr_sizes;

/* Reads into unpopulated memory, so that the copy faults, in a mapping that is not merged with others. */
static void *reader(void *unused)
{
	while (!over) {
		char *room = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (room == MAP_FAILED || mprotect(room + page, page, PROT_READ | PROT_WRITE))
			return "no memory";
		if (write(session, "mark", 4) != 4 && errno != ENOSPC && errno != EBADF)
			return "write";
		if (read(session, room + page, page) > 0)
			nr_reads++;
		else if (errno == EBUSY)
			nr_busy++;
		else if (errno != EAGAIN && errno != EBADF)
			return "read";
		munmap(room, 3 * page);
	}
	return unused;
}

static void *mapper(void *unused)
{
	while (!over) {
		void *control = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, session, TPROF_STREAM_CONTROL(0));

		if (control == MAP_FAILED) {
			if (errno != EBADF)
				return "mmap";
			continue;
		}
		nr_maps++;
		munmap(control, page);
	}
	return unused;
}

static void *poller(void *unused)
{
	struct pollfd fd = { .fd = session, .events = POLLIN };

	while (!over) {
		if (poll(&fd, 1, 0) < 0)
			return "poll";
		nr_polls++;
	}
	return unused;
}

static void *sizer(void *unused)
{
	for (unsigned int i = 0; !over; i++) {
		if (configure(session, 0, i % 3 ? page << i % 3 : 0) == 0)
			nr_sizes++;
		else if (errno != EBUSY)
			return "configure";
	}
	return unused;
}

static bool all_did(void)
{
	return nr_reads && nr_maps && nr_polls && nr_sizes;
}

int main(void)
{
	void *(*const work[])(void *) = { reader, mapper, poller, sizer };
	enum { NR = sizeof(work) / sizeof(work[0]) };
	pthread_t threads[NR];

	page = sysconf(_SC_PAGESIZE);
	session = create_session(open_device());
	need(session >= 0, "a session is made");
	need(fcntl(session, F_SETFL, O_NONBLOCK) == 0, "it does not block");
	for (int i = 0; i < NR; i++)
		need(!pthread_create(&threads[i], NULL, work[i], NULL), "a thread starts");
	for (int i = 0; i < SECONDS || (i < SECONDS_MAX && !all_did()); i++)
		sleep(1);
	over = true;
	for (int i = 0; i < NR; i++) {
		static const char *const names[] = { "reader", "mapper", "poller", "sizer" };
		void *what;

		need(!pthread_join(threads[i], &what), "a thread ends");
		check(!what, "the %s ends in order", names[i]);
		if (what)
			diag("%s", (char *)what);
	}
	diag("%u reads, %u refused for a mapping; %u mappings, %u polls, %u sizes", nr_reads, nr_busy, nr_maps,
	     nr_polls, nr_sizes);
	check(all_did(), "all of them did what they were to do");
	close(session);
	return done_testing();
}
