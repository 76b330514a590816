// SPDX-License-Identifier: GPL-2.0-only
/*
 * read() returns complete and correct records, also while CLEAR permits that they are overwritten: marks of all
 * lengths, each filled with one letter, are written and cleared on one CPU and read on another.
 *
 * vm: machines=x86-64
 */
#include <pthread.h>
#include <stdatomic.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "stream.h"

#define BYTES	(1 << 16)
#define SECONDS	3

static int session;
static atomic_bool over;

static bool is_whole(const struct tprof_record *record)
{
	const struct tprof_record_mark *mark = content(record);
	const char *text = (const char *)(mark + 1);

	if (record->type != TPROF_RECORD_MARK || !mark->length ||
	    record->size < sizeof(*record) + sizeof(*mark) + mark->length)
		return false;
	for (uint32_t i = 1; i < mark->length; i++) {
		if (text[i] != text[0])
			return false;
	}
	return true;
}

static void *writer(void *unused)
{
	char text[TPROF_MAX_MARK_BYTES];
	unsigned int nr = 0;

	pin(1);
	while (!over) {
		memset(text, 'a' + nr % 26, sizeof(text));
		if (write(session, text, 1 + nr++ * 7 % sizeof(text)) < 0 && errno == ENOSPC)
			need(ioctl(session, TPROF_IOC_CLEAR) == 0, "CLEAR");
	}
	return unused;
}

int main(void)
{
	static struct records r __attribute__((aligned(4096)));
	const struct tprof_record *record;
	uint64_t end = now_ns() + SECONDS * 1000 * MS;
	unsigned int whole = 0, broken = 0;
	pthread_t thread;

	session = create_session(open_device());
	need(session >= 0 && configure(session, 0, BYTES) == 0, "a session with a stream");
	need(fcntl(session, F_SETFL, O_NONBLOCK) == 0, "it does not wait");
	need(!pthread_create(&thread, NULL, writer, NULL), "a thread");
	pin(0);
	while (now_ns() < end) {
		/* Each page faults again during the copy, which makes it slow. */
		madvise(r.bytes, sizeof(r.bytes), MADV_DONTNEED);
		if (read_records(session, &r, BYTES) < 0)
			need(errno == EAGAIN, "read()");
		while ((record = next_read(&r))) {
			whole += is_whole(record);
			broken += !is_whole(record);
		}
	}
	over = true;
	pthread_join(thread, NULL);
	check(whole > 100, "%u marks were read", whole);
	is(broken, 0, "all of them as they were written");
	close(session);
	return done_testing();
}
