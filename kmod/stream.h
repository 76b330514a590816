/* SPDX-License-Identifier: GPL-2.0-only */
/* The streams of a session: one ring per CPU for kept samples. The format is in uapi/tprof_device.h. */
#ifndef _TPROF_STREAM_H
#define _TPROF_STREAM_H

#include <linux/irq_work.h>
#include <linux/wait.h>

#include "uapi/tprof_device.h"

struct tprof_payer;
struct tprof_session;

/* The producer does not trust the pages that are mapped to user space; its own positions are kept here. */
struct tprof_stream {
	u32 cpu;				/* I */
	u32 bytes;				/* I: size of the ring */
	u64 head;				/* c */
	struct tprof_tally dropped;		/* c: dropped samples that no LOST record has reported yet */
	u64 lost;				/* c: dropped records */
	struct tprof_stream_control *control;	/* U: written by user space; one page */
	struct tprof_stream_state *state;	/* I: mapped read-only to user space; one page, then the ring */
	void *ring;				/* I: likewise */
};

struct tprof_streams {
	const struct tprof_payer *payer;	/* I: of the session */
	u32 bytes;				/* s until started, then I: size of each ring; 0: no streams */
	struct tprof_stream *list;		/* likewise, by CPU; also R: without a lock, read under RCU */
	atomic_t nr_mapped;			/* A */
	struct mutex read_mutex;		/* one reader at a time */
	struct mutex map_mutex;			/* excludes mmap() while the list is replaced */
	wait_queue_head_t wait;
	struct irq_work wake;			/* wakes waiters; the sample path cannot take the lock of the queue */
};

/*
 * Writes a sample to the stream of this CPU. Interrupts disabled. Returns 0, or -ENOSPC: the session has no streams, or
 * the sample is dropped, which the next LOST record reports.
 */
int tprof_stream_keep(struct tprof_session *session, const struct tprof_sample *sample);
/*
 * For TPROF_CONFIG_STALL: tests whether the stream of this CPU can take a sample. If not, the sample is dropped, which
 * the next LOST record reports. The session has streams. Interrupts disabled.
 */
bool tprof_stream_has_space(struct tprof_session *session, const struct tprof_sample *sample);
/* Discards all records. On @cpu with interrupts disabled, or while @cpu is offline. */
void tprof_stream_clear(struct tprof_session *session, unsigned int cpu);

/* Writes START or STOP records to all streams. Process context, with the session's mutex held. */
void tprof_streams_event(struct tprof_session *session, u32 type);
void tprof_streams_flush(struct tprof_session *session, u64 cookie);
int tprof_stream_mark(struct tprof_session *session, const void *bytes, u32 length);
void tprof_streams_wake(struct tprof_streams *streams);

#endif
