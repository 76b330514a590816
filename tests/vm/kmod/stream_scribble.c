// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client writes invalid tails: with a tail that is not within the ring, the stream counts as full, nothing is written
 * outside of the ring, and with a valid tail the stream continues. A later read() returns records or nothing.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "stream.h"

#define BYTES	4096
#define CPU	0

static int session;
static struct mapped m;
static struct records r;

/* Writes some records to advance the head. */
static void advance(unsigned int nr)
{
	while (nr--) {
		__atomic_store_n(&m.control->tail, m.state->head, __ATOMIC_RELEASE);
		need(write(session, "something", 9) == 9, "a mark");
	}
	__atomic_store_n(&m.control->tail, m.state->head, __ATOMIC_RELEASE);
}

/* Checks whether the stream counts as full with this tail. */
static void with_tail(const char *name, uint64_t tail, bool full)
{
	uint64_t head = m.state->head, lost = m.state->lost;

	__atomic_store_n(&m.control->tail, tail, __ATOMIC_RELEASE);
	flush(session);
	is(m.state->head != head, !full, "%s: %s", name, full ? "is full" : "has room");
	is(m.state->lost - lost, full, "%s: is counted", name);
	__atomic_store_n(&m.control->tail, m.state->head, __ATOMIC_RELEASE);
	head = m.state->head;
	flush(session);
	check(m.state->head > head, "%s: it goes on", name);
}

static void tails(void)
{
	uint64_t head;

	advance(100);
	head = m.state->head;
	with_tail("the head", head, false);
	head = m.state->head;
	with_tail("a ring behind the head", head - BYTES, true);
	head = m.state->head;
	with_tail("more than a ring behind", head - BYTES - 8, true);
	head = m.state->head;
	with_tail("before the head", head + 1, true);
	head = m.state->head;
	with_tail("far before the head", head + (1ULL << 63), true);
	with_tail("0", 0, true);
	with_tail("the largest", UINT64_MAX, true);
	with_tail("the largest of 32 bits", UINT32_MAX, true);
	head = m.state->head;
	with_tail("half a ring", head - BYTES / 2, false);
	head = m.state->head;
	with_tail("an odd one", head - 3, false);
}

/* Random tails at random times: the head only grows, by records that fit. */
static void storm(void)
{
	unsigned int wrong = 0;

	srand(1);
	for (int i = 0; i < 20000; i++) {
		uint64_t head = m.state->head, tail = rand() % 3 ? head - rand() % (2 * BYTES) : (uint64_t)rand() << 33;

		__atomic_store_n(&m.control->tail, tail, __ATOMIC_RELEASE);
		write(session, "0123456789abcdef", 1 + rand() % 16);
		wrong += m.state->head < head || m.state->head > head + 2 * 48 || m.state->head % 8;
	}
	is(wrong, 0, "20,000 random tails: the head is where it should be");
}

static void then_read(uint64_t back)
{
	uint64_t head = m.state->head;
	int nr = 0;

	__atomic_store_n(&m.control->tail, head - back, __ATOMIC_RELEASE);
	unmap_stream(&m);
	for (int i = 0; i < 1000 && (read_records(session, &r, sizeof(r.bytes)) > 0 || errno == EINVAL); i++)
		nr++;
	check(nr < 1000 && errno == EAGAIN, "read() from %llu behind the head comes to an end",
	      (unsigned long long)back);
	need(write(session, "after", 5) == 5, "a mark");
	is(read_records(session, &r, sizeof(r.bytes)), 8 + 16 + 8, "and reads what comes then");
	m = map_stream(session, CPU, BYTES);
	is(m.control->tail, m.state->head, "the tail is where it should be");
	advance(10);
}

int main(void)
{
	static const uint64_t backs[] = { 8, 1, 100, BYTES, BYTES + 8, -8ULL, -1ULL << 40, 1ULL << 40, BYTES - 8, 4 };

	pin(CPU);
	session = create_session(open_device());
	need(session >= 0 && configure(session, 0, BYTES) == 0, "a session with a stream");
	need(fcntl(session, F_SETFL, O_NONBLOCK) == 0, "it does not wait");
	m = map_stream(session, CPU, BYTES);
	tails();
	storm();
	for (size_t i = 0; i < sizeof(backs) / sizeof(backs[0]); i++)
		then_read(backs[i]);
	close(session);
	return done_testing();
}
