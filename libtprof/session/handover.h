/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A session that several processes can have, one after the other: tprof_session__fd() and tprof_session__from_fd().
 *
 * The descriptor is a socket. In its queue is a message with the descriptors that are the session: the memory below,
 * those of the engine, and for each filter its object and its maps. The message is only ever peeked at, so it stays.
 * While anybody has the socket, the kernel keeps what is in its queue, and the session goes on.
 *
 * The memory says what the session samples, and what has been read of it: its user notes that after each reading, in
 * the copy that is not valid, and then makes it the valid one. So the next user can continue wherever the last one was
 * killed.
 */
#ifndef TPROF_HANDOVER_H
#define TPROF_HANDOVER_H

#include <limits.h>

#include "session.h"
#include "uapi/tprof_device.h"

/* SCM_MAX_FD, the maximum of the kernel in a message. */
#define HANDOVER_FDS 253
#define HANDOVER_PARAMS 64

struct handover_event {
	struct sampled_event sampled;
	char unit[64];
};

struct handover_filter {
	char path[PATH_MAX];
	uint32_t stack_frames;
	uint32_t nr_maps;
	uint32_t nr_params;
	char params[HANDOVER_PARAMS][sizeof(((struct filter_param *)0)->value)];
};

enum handover_unread {
	HANDOVER_READ,			/* nothing is left */
	HANDOVER_READING,		/* a part of them is left */
	HANDOVER_SWAPPED,		/* they were swapped, and are not in the ledgers yet */
};

/* How far the tables and counters have been read. */
struct handover_read {
	uint32_t state;				/* enum session_state */
	uint32_t unread;			/* enum handover_unread: of the generations not in use */
	uint32_t stream_taken;			/* the client reads the kept samples itself */
	uint32_t current[TPROF_MAX_FILTERS];	/* generation of each filter */
	uint64_t started_ns, stopped_ns, snapshot_ns, settled_ns;	/* clock_now_ns() */
	uint64_t halted_ns, settled_halted_ns;
	uint64_t counted_kept;
	uint64_t unreported;			/* samples that users have read, and not reported */
	uint64_t rates_hz[TPROF_EVENTS_MAX];	/* 0: the period is fixed */
	uint64_t periods[TPROF_EVENTS_MAX];
	/* The counts, on all CPUs, of the generation that is used next; HANDOVER_SWAPPED: that is used since then. */
	struct tprof_program_ledger retired[TPROF_MAX_FILTERS][TPROF_EVENTS_MAX];
	struct tprof_ledger settled, reported, cleared;
	struct tprof_ledger settled_events[TPROF_EVENTS_MAX];
	struct tprof_ledger reported_events[TPROF_EVENTS_MAX];
};

/* The memory. The lists and the states of the engine follow. */
struct handover {
	char magic[16];
	char version[32];			/* of the library */
	uint32_t size;				/* sizeof(struct handover) */
	uint32_t nr_engine_fds, nr_filters, nr_cpus, nr_targets;
	uint32_t engine_bytes;			/* of one state of the engine */
	uint32_t nr_events;
	struct handover_event events[TPROF_EVENTS_MAX];
	char fallback[sizeof(((struct sampling *)0)->fallback)];
	struct tprof_object object;
	uint32_t stream_bytes;
	uint32_t stall, cpus_chosen;
	struct handover_filter filters[TPROF_MAX_FILTERS];
	uint32_t valid;				/* index of the copy that is valid */
	struct handover_read read[2];
};

#define HANDOVER_MAGIC "tprof session"

/* Bytes of the memory with its lists, and where these are. */
size_t handover_bytes(const struct handover *handover);
uint32_t *handover_cpus(struct handover *handover);
struct target *handover_targets(struct handover *handover);
void *handover_engine(struct handover *handover, unsigned int copy);
/* "the descriptor is not that of a session". Returns -EPROTO. */
int handover_refuse(struct tprof_error *error);

/* The memory as a process has it mapped. */
struct handover_mapped {
	struct handover *memory;		/* NULL: none */
	size_t bytes;
	int lock_fd;				/* locked: this process is the user of the session */
	struct handover *taken;			/* as it was when the session was taken; NULL: it was not */
	void *engine[2];			/* states of the engine, in the memory */
	bool swapped;				/* HANDOVER_SWAPPED; only in a session that was taken */
};

/*
 * Maps the memory and locks it. Errors: EBUSY (another process is the user), EPROTO (not the memory of a session), and
 * those of the kernel, with a sentence.
 */
int handover_map(struct handover_mapped *mapped, int fd, struct tprof_error *error);
/* Others can write to the memory at any time, so the places in it are those that @sound says, which they cannot. */
void handover_bind(struct handover_mapped *mapped, const struct handover *sound);
/* The session is then no longer one for others, but stays what it is. */
void handover_free(struct tprof_session *session);

/* Notes what has been read, if the session has such a memory. */
void handover_note(struct tprof_session *session);

#endif
