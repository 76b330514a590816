// SPDX-License-Identifier: GPL-2.0-only
/*
 * Thousands of records of all lengths pass through a ring of one page, with a fast and with a slow reader: each record
 * arrives complete and in order, or is refused and counted as such.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "stream.h"

#define BYTES	4096
#define CPU	0
#define NR	20000

static int session;
static struct records r;

struct mark {
	uint32_t number;
	unsigned char bytes[TPROF_MAX_MARK_BYTES - 4];
};

/* Writes a record whose length and contents depend on its number. Returns 0 or -1. */
static int put(uint32_t number)
{
	struct mark mark = { .number = number };
	size_t length = 4 + number * 7919 % sizeof(mark.bytes);

	memset(mark.bytes, number, length - 4);
	return write(session, &mark, length) == (ssize_t)length ? 0 : -1;
}

static bool is_number(const struct tprof_record *record, uint32_t number)
{
	const struct tprof_record_mark *head = content(record);
	const struct mark *mark = (const void *)(head + 1);

	if (record->type != TPROF_RECORD_MARK || record->cpu != CPU || mark->number != number ||
	    head->length != 4 + number * 7919 % sizeof(mark->bytes))
		return false;
	for (uint32_t i = 0; i < head->length - 4; i++) {
		if (mark->bytes[i] != (number & 0xff))
			return false;
	}
	return true;
}

static void in_step(void)
{
	uint32_t wrong = 0, seen = 0;

	for (uint32_t number = 0; number < NR; number++) {
		const struct tprof_record *record;

		wrong += put(number) != 0;
		/* Reads after each record, or after every seventh. */
		if (number % 2000 < 1000 && number % 7)
			continue;
		while (read_records(session, &r, 100 + number % 1000 + BYTES) > 0) {
			while ((record = next_read(&r)))
				wrong += !is_number(record, seen++);
		}
	}
	while (read_records(session, &r, sizeof(r.bytes)) > 0) {
		const struct tprof_record *record;

		while ((record = next_read(&r)))
			wrong += !is_number(record, seen++);
	}
	is(wrong, 0, "in step: each is what was written");
	is(seen, NR, "in step: all of them came");
}

/* With a slow reader, exactly the refused records are missing. */
static void behind(void)
{
	static bool refused[NR];
	struct mapped m = map_stream(session, CPU, BYTES);
	uint64_t tail = m.control->tail, lost_before = m.state->lost;
	uint32_t wrong = 0, seen = 0, nr_refused = 0, next = 0;
	const struct tprof_record *record;

	for (uint32_t number = 0; number < NR; number++) {
		refused[number] = put(number) != 0;
		wrong += refused[number] && errno != ENOSPC;
		nr_refused += refused[number];
		if (number % 3 && number != NR - 1)
			continue;
		for (int i = 0; (i < 2 || number == NR - 1) && (record = next_mapped(&m, &tail)); i++) {
			while (refused[next])
				next++;
			wrong += !is_number(record, next++);
			seen++;
		}
	}
	is(wrong, 0, "behind: each is what was written");
	check(nr_refused > 100, "behind: %u found no room", nr_refused);
	is(seen, NR - nr_refused, "behind: all others came");
	is(m.state->lost - lost_before, nr_refused, "behind: those are counted");
	is(m.state->head, m.control->tail, "behind: nothing is left");
	unmap_stream(&m);
}

int main(void)
{
	pin(CPU);
	session = create_session(open_device());
	need(session >= 0 && configure(session, 0, BYTES) == 0, "a session with a stream");
	need(fcntl(session, F_SETFL, O_NONBLOCK) == 0, "it does not wait");
	in_step();
	behind();
	close(session);
	return done_testing();
}
