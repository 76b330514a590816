/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads streams record by record, mapped or with read(), for guest tests in C. Include ktap.h and device.h first. */
#ifndef TPROF_TESTS_STREAM_H
#define TPROF_TESTS_STREAM_H

#include <sys/mman.h>

/* The stream of one CPU, mapped. */
struct mapped {
	struct tprof_stream_control *control;
	const struct tprof_stream_state *state;
	const char *ring;
	uint32_t bytes;
};

__attribute__((unused))
static struct mapped map_stream(int session, int cpu, uint32_t bytes)
{
	size_t page = getpagesize();
	struct mapped m = { .bytes = bytes };
	void *control = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, session, TPROF_STREAM_CONTROL(cpu));
	void *data = mmap(NULL, page + bytes, PROT_READ, MAP_SHARED, session, TPROF_STREAM_DATA(cpu));

	need(control != MAP_FAILED && data != MAP_FAILED, "the stream of CPU %d is mapped", cpu);
	m.control = control;
	m.state = data;
	m.ring = (const char *)data + page;
	return m;
}

__attribute__((unused))
static void unmap_stream(struct mapped *m)
{
	size_t page = getpagesize();

	munmap(m->control, page);
	munmap((void *)m->state, page + m->bytes);
}

/* Returns the next record, skipping PAD, or NULL. It is valid until next_mapped() is called again. */
__attribute__((unused))
static const struct tprof_record *next_mapped(struct mapped *m, uint64_t *tail)
{
	uint64_t head = __atomic_load_n(&m->state->head, __ATOMIC_ACQUIRE);

	__atomic_store_n(&m->control->tail, *tail, __ATOMIC_RELEASE);
	while (*tail != head) {
		const struct tprof_record *record = (const void *)(m->ring + *tail % m->bytes);

		if (record->size < sizeof(*record) || record->size % 8 || record->size > head - *tail ||
		    record->size > m->bytes - *tail % m->bytes) {
			check(false, "what is at %llu is a record", (unsigned long long)*tail);
			*tail = head;
			return NULL;
		}
		*tail += record->size;
		if (record->type != TPROF_RECORD_PAD)
			return record;
	}
	return NULL;
}

/* The result of read(). */
struct records {
	char bytes[1 << 17];
	ssize_t length;
	ssize_t place;
};

/* Reads once; returns the result of read(). */
__attribute__((unused))
static ssize_t read_records(int session, struct records *r, size_t room)
{
	r->place = 0;
	r->length = read(session, r->bytes, room < sizeof(r->bytes) ? room : sizeof(r->bytes));
	return r->length;
}

/* Returns the next record, or NULL. */
__attribute__((unused))
static const struct tprof_record *next_read(struct records *r)
{
	const struct tprof_record *record = (const void *)(r->bytes + r->place);

	if (r->place >= r->length)
		return NULL;
	if (r->length - r->place < (ssize_t)sizeof(*record) || record->size < sizeof(*record) || record->size % 8 ||
	    (ssize_t)record->size > r->length - r->place || record->type == TPROF_RECORD_PAD) {
		check(false, "what was read at %zd is a record", r->place);
		r->place = r->length;
		return NULL;
	}
	r->place += record->size;
	return record;
}

/* Returns the data after the header. */
__attribute__((unused))
static const void *content(const struct tprof_record *record)
{
	return record + 1;
}

#endif
