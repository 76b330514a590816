// SPDX-License-Identifier: GPL-2.0-only
/*
 * The records of a stream that need no filter: START and EVENT, MARK, FLUSH, STOP, in this order on each CPU, with the
 * same result from read() and mmap().
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "stream.h"

#define BYTES	(1 << 16)
#define COOKIE	0x1234567890abcdefULL
#define PERIOD	MS
#define OTHER	(3600000 * MS)
#define MAX_CPUS 64

/* The progress of a CPU in the expected sequence. */
struct progress {
	unsigned int nr, wrong;
	bool marked;
};

static int nr_cpus;
static uint64_t began, ended;
static struct progress progress[MAX_CPUS];

static bool is_session(const void *at, uint32_t size)
{
	const struct tprof_record_session *s = at;

	return size == 8 + sizeof(*s) && s->time_ns >= began && s->time_ns <= ended && s->epoch == 1 &&
		s->nr_events == 2;
}

static bool is_event(const void *at, uint32_t size, uint32_t index)
{
	const struct tprof_record_event *e = at;

	return size == 8 + sizeof(*e) && e->index == index && !e->pad && !strcmp(e->source, "timer") &&
	       e->period == (index ? OTHER : PERIOD);
}

static bool is_mark(const void *at, uint32_t size)
{
	const struct tprof_record_mark *m = at;

	/* Five bytes, padded to a multiple of 8. */
	return size == 8 + sizeof(*m) + 8 && m->length == 5 && m->tid == (uint32_t)gettid() && m->time_ns >= began &&
	       m->time_ns <= ended && !memcmp(m + 1, "hello\0\0\0", 8);
}

static bool is_cookie(const void *at, uint32_t size)
{
	return size == 16 && !memcmp(at, &(uint64_t){ COOKIE }, 8);
}

/* The expected sequence: START, two of EVENT, MARK on this CPU, FLUSH, STOP. */
static void take(const struct tprof_record *record)
{
	static const uint16_t types[] = {
		TPROF_RECORD_START, TPROF_RECORD_EVENT, TPROF_RECORD_EVENT, TPROF_RECORD_FLUSH, TPROF_RECORD_STOP,
	};
	struct progress *p = &progress[record->cpu % MAX_CPUS];
	const void *at = content(record);
	bool good = false;

	if (record->type == TPROF_RECORD_MARK) {
		p->wrong += p->nr != 3 || p->marked || !is_mark(at, record->size);
		p->marked = true;
		return;
	}
	if (p->nr < 5 && record->type == types[p->nr]) {
		if (record->type == TPROF_RECORD_EVENT)
			good = is_event(at, record->size, p->nr - 1);
		else if (record->type == TPROF_RECORD_FLUSH)
			good = is_cookie(at, record->size);
		else
			good = is_session(at, record->size);
	}
	p->wrong += !good;
	p->nr++;
}

static int run(void)
{
	struct tprof_config config = { .size = sizeof(config), .stream_bytes = BYTES };
	int session = create_session(open_device());
	uint64_t cookie = COOKIE;

	need(session >= 0 && ioctl(session, TPROF_IOC_CONFIGURE, &config) == 0, "a session with a stream");
	need(add_timer(session, PERIOD) == 0 && add_timer(session, OTHER) == 1, "two events");
	need(ioctl(session, TPROF_IOC_CLEAR) == 0, "another epoch");
	memset(progress, 0, sizeof(progress));
	began = now_ns();
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	is(write(session, "hello", 5), 5, "a mark is written");
	burn(10 * MS);
	need(ioctl(session, TPROF_IOC_FLUSH, &cookie) == 0, "it is flushed");
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	ended = now_ns();
	return session;
}

static void verdict(const char *how)
{
	int marks = 0;

	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		is(progress[cpu].nr, 5, "%s: CPU %d: START, two of EVENT, FLUSH, STOP", how, cpu);
		is(progress[cpu].wrong, 0, "%s: CPU %d: they say what they should", how, cpu);
		marks += progress[cpu].marked;
		if (cpu == 1)
			check(progress[cpu].marked, "%s: the mark is in the stream of the CPU that it was made on",
			      how);
	}
	is(marks, 1, "%s: once", how);
}

static void mapped(void)
{
	int session = run();

	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		struct mapped m = map_stream(session, cpu, BYTES);
		const struct tprof_record *record;
		uint64_t tail = 0;

		is(m.control->tail, 0, "CPU %d: the tail begins at 0", cpu);
		while ((record = next_mapped(&m, &tail))) {
			progress[record->cpu % MAX_CPUS].wrong += record->cpu != cpu;
			take(record);
		}
		is(tail, m.state->head, "CPU %d: nothing is left", cpu);
		is(m.state->lost, 0, "CPU %d: nothing is lost", cpu);
		unmap_stream(&m);
	}
	verdict("mapped");
	close(session);
}

static void by_read(void)
{
	static struct records r;
	const struct tprof_record *record;
	int session = run();

	check(read_records(session, &r, sizeof(r.bytes)) > 0, "all is read at once");
	while ((record = next_read(&r)))
		take(record);
	is(read_records(session, &r, sizeof(r.bytes)), 0, "then it is the end");
	verdict("read");
	close(session);
}

int main(void)
{
	nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	pin(1);
	mapped();
	by_read();
	return done_testing();
}
