/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/* The stream of a session of /dev/tprof. Included by tprof_device.h, which has the rules for structs and errors. */
#ifndef _UAPI_TPROF_DEVICE_STREAM_H
#define _UAPI_TPROF_DEVICE_STREAM_H

#include <linux/types.h>

#include "tprof.h"

/*
 * The stream: one ring per possible CPU, for the samples that filters keep. A stream is either mapped or read with
 * read(2), not both: read() returns EBUSY while there is a mapping.
 *
 * mmap(2): two mappings for each CPU, at these offsets:
 *
 *	TPROF_STREAM_CONTROL(cpu)  one page, readable and writable: struct tprof_stream_control, written by the reader
 *	TPROF_STREAM_DATA(cpu)     one page and stream_bytes, read-only: struct tprof_stream_state, then the ring
 *
 * Positions are in bytes and never wrap; the offset in the ring is the position modulo stream_bytes. The reader loads
 * head with acquire semantics, reads the records from tail to head, and stores the new tail with release semantics. A
 * record does not wrap: where it would, a TPROF_RECORD_PAD fills the end of the ring. Of all that the reader can write,
 * the module reads only tail; if tail is not within [head - stream_bytes, head], the stream is treated as full.
 * Errors of mmap(2): EBADF (no stream), EPERM (writable mapping of the data), EINVAL (no such offset and length, or a
 * private mapping).
 *
 * read(2): returns whole records only, without PAD records, one CPU after the other; 0 when the session is stopped and
 * everything has been read. Errors: EINVAL (the buffer is too small for the first record), EAGAIN (nothing to read, and
 * O_NONBLOCK is set), EBUSY (the stream is mapped), EBADF (no stream), EINTR.
 * poll(2): POLLIN when there is something to read (see stream_wakeup), or the session is stopped; POLLHUP when it is
 * stopped.
 *
 * write(2): adds a record TPROF_RECORD_MARK with the given content, at most TPROF_MAX_MARK_BYTES, to the stream of the
 * CPU that the caller runs on. Errors: EINVAL (empty, or too long), ENOSPC (the stream is full), EBADF (no stream).
 */
#define TPROF_STREAM_CONTROL(cpu)	((__u64)(cpu) << 32)
#define TPROF_STREAM_DATA(cpu)		(((__u64)(cpu) << 32) | (1ULL << 31))

struct tprof_stream_control {
	__u64 tail;
};

struct tprof_stream_state {
	__u64 head;
	__u64 lost;			/* records dropped because the ring was full, since CONFIGURE allocated it */
};

/* Header of every record. A reader must skip records of types that it does not know. */
struct tprof_record {
	__u16 type;			/* TPROF_RECORD_* */
	__u16 cpu;
	__u32 size;			/* bytes, including this header; a multiple of 8 */
};

#define TPROF_RECORD_PAD	0	/* no content; extends to the end of the ring */
#define TPROF_RECORD_SAMPLE	1	/* struct tprof_sample */
#define TPROF_RECORD_LOST	2	/* struct tprof_tally: samples dropped before this position */
#define TPROF_RECORD_FLUSH	3	/* __u64 cookie */
#define TPROF_RECORD_MARK	4	/* struct tprof_record_mark, then the bytes that were written */
#define TPROF_RECORD_START	5	/* struct tprof_record_session: the session was started */
#define TPROF_RECORD_STOP	6	/* struct tprof_record_session: stopped; no sample follows before a START */
#define TPROF_RECORD_EVENT	7	/* struct tprof_record_event: after START, one for each event */

struct tprof_record_mark {
	__u64 time_ns;
	__u32 length;
	__u32 tid;
};

struct tprof_record_session {
	__u64 time_ns;
	__u32 epoch;
	__u32 nr_events;
};

struct tprof_record_event {
	__u32 index;
	__u32 pad;
	__u64 period;
	char  source[TPROF_NAME_LEN];
};

TPROF_ASSERT(sizeof(struct tprof_record) == 8);

#endif /* _UAPI_TPROF_DEVICE_STREAM_H */
