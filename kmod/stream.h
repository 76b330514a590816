/* SPDX-License-Identifier: GPL-2.0-only */
/* The streams of a session: one ring for each CPU, of samples that filters kept. See the uapi for the grammar. */
#ifndef _TPROF_STREAM_H
#define _TPROF_STREAM_H

#include <linux/irq_work.h>
#include <linux/wait.h>

#include "uapi/tprof_device.h"

struct file;
struct poll_table_struct;
struct tprof_session;
struct vm_area_struct;

/* The producer trusts nothing in a page that the client sees: its positions are here. */
struct tprof_stream {
	u32 cpu;				/* I */
	u32 bytes;				/* I: of the ring */
	u64 head;				/* c */
	struct tprof_tally dropped;		/* c: not yet told by a LOST record */
	u64 lost;				/* c: records */
	struct tprof_stream_control *control;	/* U: the client writes it */
	struct tprof_stream_state *state;	/* the client reads it; one page, then the ring */
	void *ring;				/* the same */
};

struct tprof_streams {
	u32 bytes;				/* s until started, then I: of each ring; 0: there are none */
	struct tprof_stream *list;		/* likewise; by CPU. Who has no lock reads it under RCU */
	atomic_t nr_mapped;			/* A */
	struct mutex read_mutex;		/* one reader at a time */
	struct mutex map_mutex;			/* no mapping while the list is replaced */
	wait_queue_head_t wait;
	struct irq_work wake;			/* a waiter cannot be woken from everywhere */
};

extern unsigned int tprof_stream_limit_mb;

void tprof_streams_init(struct tprof_streams *streams);
void tprof_streams_fini(struct tprof_streams *streams);
/*
 * Replaces the rings. ENOSPC: beyond the limit for all sessions; EBUSY while they are mapped. The session is not
 * running and its mutex is held.
 */
int tprof_streams_resize(struct tprof_streams *streams, u32 bytes);

/* On the CPU of the stream, interrupts off. 0, or ENOSPC: that is accounted in the stream. */
int tprof_stream_keep(struct tprof_session *session, const struct tprof_sample *sample);
/* For a session that has a stream and waits for room in it. If there is none, that is accounted in the stream. */
bool tprof_stream_has_room(struct tprof_session *session, const struct tprof_sample *sample);
/* On its CPU with interrupts off, or while that is offline. */
void tprof_stream_clear(struct tprof_session *session, unsigned int cpu);

/* Puts START or STOP records into all streams. Process context. */
void tprof_streams_event(struct tprof_session *session, u32 type);
void tprof_streams_flush(struct tprof_session *session, u64 cookie);
int tprof_stream_mark(struct tprof_session *session, const void *bytes, u32 length);
void tprof_streams_wake(struct tprof_streams *streams);

/* stream_file.c: what a session's file does with them. */
ssize_t tprof_streams_read(struct tprof_session *session, struct file *file, char __user *buffer, size_t room);
__poll_t tprof_streams_poll(struct tprof_session *session, struct file *file, struct poll_table_struct *table);
int tprof_streams_mmap(struct tprof_session *session, struct vm_area_struct *vma);

#endif
