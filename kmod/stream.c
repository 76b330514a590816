// SPDX-License-Identifier: GPL-2.0-only
/*
 * The streams of a session: producer side. Each ring is written on its CPU with interrupts disabled; or on another CPU,
 * while no sample can be delivered to the session there (tprof_session_cpus()).
 *
 * The head is published with release semantics after the record is written; this pairs with the acquire of the reader.
 * The reader's release of its tail pairs with the acquire in stream_put() before space is reused.
 */
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "choice.h"
#include "ring.h"
#include "session.h"
#include "stream.h"

#define RECORD_BYTES(payload)	ALIGN(sizeof(struct tprof_record) + (payload), 8)

static void stream_publish(struct tprof_stream *stream, u64 head)
{
	stream->head = head;
	smp_store_release(&stream->state->head, head);
}

static void *write_header(struct tprof_stream *stream, u64 at, u32 size, u16 type)
{
	struct tprof_record *record = stream->ring + (at & (stream->bytes - 1));

	record->type = type;
	record->cpu = stream->cpu;
	record->size = size;
	return record + 1;
}

/* Writes a record whose payload has two parts. Returns 0, or -ENOSPC if the ring is full. */
static int stream_put(struct tprof_stream *stream, u16 type, const void *first, u32 first_length, const void *second,
		      u32 second_length)
{
	u32 size = RECORD_BYTES(first_length + second_length);
	u64 tail = smp_load_acquire(&stream->control->tail);
	u64 head = stream->head;
	u32 skip = ring_skip(head, size, stream->bytes);
	void *to;

	if (!ring_has_space(head, tail, size, stream->bytes))
		return -ENOSPC;
	if (skip)
		write_header(stream, head, skip, TPROF_RECORD_PAD);
	head += skip;
	to = write_header(stream, head, size, type);
	memset(to + size - sizeof(struct tprof_record) - 8, 0, 8);
	memcpy(to, first, first_length);
	memcpy(to + first_length, second, second_length);
	stream_publish(stream, head + size);
	return 0;
}

/* Writes a LOST record for dropped samples, if there are any. Returns 0, or -ENOSPC if the ring is still full. */
static int stream_tell_dropped(struct tprof_stream *stream)
{
	int err;

	if (likely(!stream->dropped.samples))
		return 0;
	err = stream_put(stream, TPROF_RECORD_LOST, &stream->dropped, sizeof(stream->dropped), NULL, 0);
	if (!err)
		memset(&stream->dropped, 0, sizeof(stream->dropped));
	return err;
}

static int stream_append(struct tprof_stream *stream, u16 type, const void *first, u32 first_length, const void *second,
			 u32 second_length)
{
	int err = stream_tell_dropped(stream);

	if (!err)
		err = stream_put(stream, type, first, first_length, second, second_length);
	if (err)
		WRITE_ONCE(stream->state->lost, ++stream->lost);
	return err;
}

static void wake_from_irq(struct tprof_streams *streams)
{
	if (wq_has_sleeper(&streams->wait))
		irq_work_queue(&streams->wake);
}

/*
 * Counts a dropped sample for the next LOST record, and wakes the reader: it may be waiting for more bytes than can be
 * added.
 */
static void stream_drop(struct tprof_streams *streams, struct tprof_stream *stream, const struct tprof_sample *sample)
{
	WRITE_ONCE(stream->dropped.samples, stream->dropped.samples + 1);
	stream->dropped.weight += sample->weight;
	wake_from_irq(streams);
}

int tprof_stream_keep(struct tprof_session *session, const struct tprof_sample *sample)
{
	struct tprof_streams *streams = &session->streams;
	struct tprof_stream *stream;
	int err;

	if (!streams->bytes)
		return -ENOSPC;
	stream = &streams->list[raw_smp_processor_id()];
	err = stream_append(stream, TPROF_RECORD_SAMPLE, sample, sizeof(*sample), NULL, 0);
	if (err) {
		stream_drop(streams, stream, sample);
		return err;
	}
	if (ring_used(stream->head, READ_ONCE(stream->control->tail), stream->bytes) >= max(session->wakeup_bytes, 1))
		wake_from_irq(streams);
	return 0;
}

bool tprof_stream_has_space(struct tprof_session *session, const struct tprof_sample *sample)
{
	struct tprof_stream *stream = &session->streams.list[raw_smp_processor_id()];
	u32 needed = RECORD_BYTES(sizeof(struct tprof_sample)) + RECORD_BYTES(sizeof(struct tprof_tally));

	if (ring_has_space(stream->head, READ_ONCE(stream->control->tail), needed, stream->bytes))
		return true;
	stream_drop(&session->streams, stream, sample);
	return false;
}

/* Discards all records: sets the reader's tail to the head. */
void tprof_stream_clear(struct tprof_session *session, unsigned int cpu)
{
	struct tprof_stream *stream = &session->streams.list[cpu];

	if (!session->streams.bytes)
		return;
	memset(&stream->dropped, 0, sizeof(stream->dropped));
	smp_store_release(&stream->control->tail, stream->head);
}

struct everywhere {
	struct tprof_session *session;
	u32 type;
	u64 cookie;
	u64 time_ns;
};

static void put_events(struct tprof_session *session, struct tprof_stream *stream)
{
	unsigned int i;

	for (i = 0; i < session->nr_events; i++) {
		struct tprof_record_event event = { .index = i, .period = READ_ONCE(session->events[i].period) };

		strscpy(event.source, session->events[i].choice->ops->name, sizeof(event.source));
		stream_append(stream, TPROF_RECORD_EVENT, &event, sizeof(event), NULL, 0);
	}
}

static void put_into(const struct everywhere *what, unsigned int cpu)
{
	struct tprof_session *session = what->session;
	struct tprof_stream *stream = &session->streams.list[cpu];
	struct tprof_record_session record = {
		.time_ns = what->time_ns,
		.epoch = session->epoch,
		.nr_events = session->nr_events,
	};

	if (what->type == TPROF_RECORD_FLUSH)
		stream_append(stream, what->type, &what->cookie, sizeof(what->cookie), NULL, 0);
	else
		stream_append(stream, what->type, &record, sizeof(record), NULL, 0);
	if (what->type == TPROF_RECORD_START)
		put_events(session, stream);
}

/* Called by on_each_cpu_mask() with interrupts disabled. */
static void put_here(void *what)
{
	put_into(what, smp_processor_id());
}

static void put_everywhere(struct everywhere *what)
{
	struct tprof_streams *streams = &what->session->streams;
	const struct cpumask *cpus = tprof_session_cpus(what->session);
	unsigned int cpu;

	lockdep_assert_held(&what->session->mutex);
	if (!streams->bytes)
		return;
	what->time_ns = ktime_get_mono_fast_ns();
	cpus_read_lock();
	on_each_cpu_mask(cpus, put_here, what, 1);
	for_each_possible_cpu(cpu) {
		if (!cpu_online(cpu) || !cpumask_test_cpu(cpu, cpus))
			put_into(what, cpu);
	}
	cpus_read_unlock();
	tprof_streams_wake(streams);
}

void tprof_streams_event(struct tprof_session *session, u32 type)
{
	put_everywhere(&(struct everywhere){ .session = session, .type = type });
}

void tprof_streams_flush(struct tprof_session *session, u64 cookie)
{
	put_everywhere(&(struct everywhere){ .session = session, .type = TPROF_RECORD_FLUSH, .cookie = cookie });
}

int tprof_stream_mark(struct tprof_session *session, const void *bytes, u32 length)
{
	struct tprof_record_mark mark = {
		.time_ns = ktime_get_mono_fast_ns(),
		.length = length,
		.tid = task_pid_nr(current),
	};
	unsigned long flags;
	int err;

	local_irq_save(flags);
	err = stream_append(&session->streams.list[smp_processor_id()], TPROF_RECORD_MARK, &mark, sizeof(mark), bytes,
			    length);
	local_irq_restore(flags);
	if (!err)
		tprof_streams_wake(&session->streams);
	return err;
}

void tprof_streams_wake(struct tprof_streams *streams)
{
	wake_up_all(&streams->wait);
}
