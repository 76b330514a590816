// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions do not see data of other sessions: a new stream contains zeros, whatever its memory contained before, and
 * two sessions at the same time have only their own records.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "stream.h"

#define BYTES	(1 << 18)
#define ROUNDS	20
#define SECRET	0xa5

static int device;

static int new_session(void)
{
	int session = create_session(device);

	need(session >= 0 && configure(session, 0, BYTES) == 0, "a session with a stream");
	return session;
}

/* Writes records until the streams are full. */
static void fill(int session, unsigned char byte)
{
	unsigned char mark[TPROF_MAX_MARK_BYTES];
	int written = 0;

	memset(mark, byte, sizeof(mark));
	while (write(session, mark, sizeof(mark)) == sizeof(mark))
		written++;
	need(written > BYTES / 2 / TPROF_MAX_MARK_BYTES, "a stream is filled");
}

/* Returns how often the byte occurs in the stream of a CPU. */
static size_t count(int session, int cpu, uint32_t bytes, unsigned char byte)
{
	struct mapped m = map_stream(session, cpu, bytes);
	size_t nr = 0;

	for (uint32_t i = 0; i < bytes; i++)
		nr += (unsigned char)m.ring[i] == byte;
	unmap_stream(&m);
	return nr;
}

static bool all_zero(int session, uint32_t bytes)
{
	for (int cpu = sysconf(_SC_NPROCESSORS_CONF) - 1; cpu >= 0; cpu--) {
		if (count(session, cpu, bytes, 0) != bytes)
			return false;
	}
	return true;
}

int main(void)
{
	int session, other, zero = 0;

	device = open_device();
	pin(0);
	for (int round = 0; round < ROUNDS; round++) {
		session = new_session();
		zero += all_zero(session, BYTES);
		fill(session, SECRET);
		close(session);
	}
	is(zero, ROUNDS, "new streams hold zeros, where those of a session before were filled");

	session = new_session();
	other = new_session();
	fill(session, SECRET);
	fill(other, SECRET ^ 0xff);
	check(count(session, 0, BYTES, SECRET) > BYTES / 2, "a session has its own records");
	/* Headers of records may contain the byte by chance. */
	check(count(session, 0, BYTES, SECRET ^ 0xff) < BYTES / 8, "and none of another session");
	check(count(other, 0, BYTES, SECRET ^ 0xff) > BYTES / 2, "which has its own");
	check(count(other, 0, BYTES, SECRET) < BYTES / 8, "and none of the first");
	is(configure(session, 0, 2 * BYTES), 0, "the stream of the first is made anew");
	check(all_zero(session, 2 * BYTES), "and holds zeros");
	close(session);
	close(other);
	return done_testing();
}
