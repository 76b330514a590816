// SPDX-License-Identifier: GPL-2.0-only
/*
 * Valid mappings of a stream, and refused ones; a mapped stream cannot be read with read().
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "stream.h"

#define BYTES (1 << 16)

static int session;
static size_t page;
static int nr_cpus;

static int map(size_t size, int prot, int flags, uint64_t offset)
{
	void *at = mmap(NULL, size, prot, flags, session, offset);

	if (at == MAP_FAILED)
		return -1;
	munmap(at, size);
	return 0;
}

static void places(void)
{
	const int rw = PROT_READ | PROT_WRITE;

	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		is(map(page, rw, MAP_SHARED, TPROF_STREAM_CONTROL(cpu)), 0, "control of CPU %d", cpu);
		is(map(page + BYTES, PROT_READ, MAP_SHARED, TPROF_STREAM_DATA(cpu)), 0, "data of CPU %d", cpu);
	}
	refuses(map(page, rw, MAP_SHARED, TPROF_STREAM_CONTROL(nr_cpus)), EINVAL, "control of a CPU behind the last");
	refuses(map(page + BYTES, PROT_READ, MAP_SHARED, TPROF_STREAM_DATA(nr_cpus)), EINVAL, "data of that");
	refuses(map(page, rw, MAP_SHARED, TPROF_STREAM_CONTROL(0x7fffffff)), EINVAL, "control of CPU 2147483647");
	refuses(map(page, rw, MAP_SHARED, TPROF_STREAM_CONTROL(0) + page), EINVAL, "what is behind the control");
	refuses(map(page, PROT_READ, MAP_SHARED, TPROF_STREAM_DATA(0) - page), EINVAL, "what is before the data");
	refuses(map(BYTES, PROT_READ, MAP_SHARED, TPROF_STREAM_DATA(0) + page), EINVAL, "the ring alone");
	refuses(map(2 * page, rw, MAP_SHARED, TPROF_STREAM_CONTROL(0)), EINVAL, "two pages of control");
	refuses(map(page, PROT_READ, MAP_SHARED, TPROF_STREAM_DATA(0)), EINVAL, "the state alone");
	refuses(map(BYTES, PROT_READ, MAP_SHARED, TPROF_STREAM_DATA(0)), EINVAL, "a page too little of data");
	refuses(map(page + 2 * BYTES, PROT_READ, MAP_SHARED, TPROF_STREAM_DATA(0)), EINVAL, "too much of data");
}

static void rights(void)
{
	char *data;

	refuses(map(page + BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, TPROF_STREAM_DATA(0)), EPERM, "data to write");
	refuses(map(page + BYTES, PROT_WRITE, MAP_SHARED, TPROF_STREAM_DATA(0)), EPERM, "data only to write");
	refuses(map(page + BYTES, PROT_READ, MAP_PRIVATE, TPROF_STREAM_DATA(0)), EINVAL, "a private copy of data");
	refuses(map(page, PROT_READ | PROT_WRITE, MAP_PRIVATE, TPROF_STREAM_CONTROL(0)), EINVAL,
		"a private copy of control");
	is(map(page, PROT_READ, MAP_SHARED, TPROF_STREAM_CONTROL(0)), 0, "control only to read");

	data = mmap(NULL, page + BYTES, PROT_READ, MAP_SHARED, session, TPROF_STREAM_DATA(0));
	need(data != MAP_FAILED, "data is mapped");
	refuses(mprotect(data, page, PROT_READ | PROT_WRITE), EACCES, "the state cannot be made writable");
	refuses(mprotect(data + page, BYTES, PROT_WRITE), EACCES, "nor the ring");
	refuses(mremap(data, page + BYTES, 2 * (page + BYTES), MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0, EFAULT,
		"it cannot be made longer");
	munmap(data, page + BYTES);
}

static struct mapped inherited;

static int look(void)
{
	return inherited.state->head == *(volatile __u64 *)&inherited.state->head ? 0 : 1;
}

static void or_read(void)
{
	char *data, buffer[4096];

	need(fcntl(session, F_SETFL, O_NONBLOCK) == 0, "it does not wait");
	refuses(read(session, buffer, sizeof(buffer)), EAGAIN, "read() without a mapping");
	inherited = map_stream(session, 0, BYTES);
	refuses(read(session, buffer, sizeof(buffer)), EBUSY, "read() with one");
	refuses(configure(session, 0, 2 * BYTES), EBUSY, "another size with one");
	is(configure(session, 0, BYTES), 0, "the same size is none");
	is(in_child(look), 0, "a child has the mapping");
	refuses(read(session, buffer, sizeof(buffer)), EBUSY, "that is gone with it; ours is not");
	unmap_stream(&inherited);
	refuses(read(session, buffer, sizeof(buffer)), EAGAIN, "read() without it");

	data = mmap(NULL, page + BYTES, PROT_READ, MAP_SHARED, session, TPROF_STREAM_DATA(1));
	need(data != MAP_FAILED, "data is mapped");
	need(munmap(data + 2 * page, page) == 0, "a page in its middle is unmapped");
	refuses(read(session, buffer, sizeof(buffer)), EBUSY, "two parts are left");
	need(munmap(data, 2 * page) == 0, "the first one goes");
	refuses(read(session, buffer, sizeof(buffer)), EBUSY, "one is left");
	data = mremap(data + 3 * page, BYTES - 2 * page, BYTES - 2 * page, MREMAP_MAYMOVE | MREMAP_FIXED,
		      mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	need(data != MAP_FAILED, "it moves");
	refuses(read(session, buffer, sizeof(buffer)), EBUSY, "it is still there");
	need(munmap(data, BYTES - 2 * page) == 0, "it goes");
	refuses(read(session, buffer, sizeof(buffer)), EAGAIN, "none is left");
	is(configure(session, 0, 2 * BYTES), 0, "another size");
}

int main(void)
{
	page = getpagesize();
	nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	session = create_session(open_device());
	need(session >= 0, "a session is made");
	refuses(map(page, PROT_READ, MAP_SHARED, TPROF_STREAM_CONTROL(0)), EBADF,
		"without a stream there is nothing to map");
	need(configure(session, 0, BYTES) == 0, "it has a stream");
	places();
	rights();
	or_read();
	close(session);
	return done_testing();
}
