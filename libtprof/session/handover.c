// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The memory of a session that several processes can have: mapping, locking, and noting what has been read. */
#include "handover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* All parts begin at multiples of 8 bytes. */
static size_t aligned(size_t bytes)
{
	return (bytes + 7) / 8 * 8;
}

static size_t cpus_at(void)
{
	return aligned(sizeof(struct handover));
}

static size_t targets_at(const struct handover *handover)
{
	return cpus_at() + aligned(handover->nr_cpus * sizeof(uint32_t));
}

static size_t engine_at(const struct handover *handover)
{
	return targets_at(handover) + aligned(handover->nr_targets * sizeof(struct target));
}

size_t handover_bytes(const struct handover *handover)
{
	return engine_at(handover) + 2 * aligned(handover->engine_bytes);
}

uint32_t *handover_cpus(struct handover *handover)
{
	return (uint32_t *)((char *)handover + cpus_at());
}

struct target *handover_targets(struct handover *handover)
{
	return (struct target *)((char *)handover + targets_at(handover));
}

static size_t state_at(const struct handover *handover, unsigned int copy)
{
	return engine_at(handover) + copy * aligned(handover->engine_bytes);
}

void *handover_engine(struct handover *handover, unsigned int copy)
{
	return (char *)handover + state_at(handover, copy);
}

static int refuse(int err, struct tprof_error *error)
{
	if (err == -EPROTO)
		return handover_refuse(error);
	if (err != -EBUSY) {
		error_set(error, -err, "session: its memory cannot be mapped: %s", strerror(-err));
		error_hint_files(error, -err);
		return err;
	}
	error_set(error, EBUSY, "session: another process has it");
	error_hint(error, "it is free when that process closes it, or ends with the children that it has forked");
	return -EBUSY;
}

int handover_refuse(struct tprof_error *error)
{
	error_set(error, EPROTO, "session: the descriptor is not that of a session");
	error_hint(error, "it comes from tprof_session__fd() of another process");
	return -EPROTO;
}

/* Without the seals, it could be cut while it is used. */
static bool is_sealed(int fd)
{
	const int needed = F_SEAL_SHRINK | F_SEAL_GROW;
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & needed) == needed;
}

/*
 * A lock belongs to an open file. That of the descriptor is the same in all processes, so the file is opened again.
 */
static int lock(int fd)
{
	char path[32];
	int own;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = open(path, O_RDWR | O_CLOEXEC);
	if (own < 0)
		return -errno;
	if (flock(own, LOCK_EX | LOCK_NB)) {
		int err = errno == EWOULDBLOCK ? -EBUSY : -errno;

		close(own);
		return err;
	}
	return own;
}

int handover_map(struct handover_mapped *mapped, int fd, struct tprof_error *error)
{
	struct stat st;
	void *memory;
	int own = lock(fd), err;

	if (own < 0)
		return refuse(own, error);
	err = !is_sealed(own) || fstat(own, &st) || (size_t)st.st_size < sizeof(struct handover) ? -EPROTO : 0;
	if (err) {
		close(own);
		return refuse(err, error);
	}
	memory = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, own, 0);
	if (memory == MAP_FAILED) {
		err = -errno;
		close(own);
		return refuse(err, error);
	}
	*mapped = (struct handover_mapped){ .memory = memory, .bytes = (size_t)st.st_size, .lock_fd = own };
	return 0;
}

void handover_bind(struct handover_mapped *mapped, const struct handover *sound)
{
	for (unsigned int copy = 0; copy < 2; copy++)
		mapped->engine[copy] = (char *)mapped->memory + state_at(sound, copy);
}

void handover_free(struct tprof_session *session)
{
	struct handover_mapped *mapped = session->handover;

	if (mapped && mapped->memory) {
		munmap(mapped->memory, mapped->bytes);
		/* A child that was forked has it, too. */
		flock(mapped->lock_fd, LOCK_UN);
		close(mapped->lock_fd);
	}
	if (mapped)
		free(mapped->taken);
	free(mapped);
	session->handover = NULL;
}

void handover_note(struct tprof_session *session)
{
	struct handover *memory = session->handover ? session->handover->memory : NULL;
	struct handover_read *read;
	unsigned int other;

	if (!memory)
		return;
	other = !(memory->valid & 1);
	read = &memory->read[other];
	*read = (struct handover_read){
		.state = session->state,
		.unread = session->handover->swapped ? HANDOVER_SWAPPED : session->unread ? HANDOVER_READING :
			  HANDOVER_READ,
		.started_ns = session->started_ns, .stopped_ns = session->stopped_ns,
		.snapshot_ns = session->snapshot_ns, .settled_ns = session->settled_ns,
		.halted_ns = session->halted_ns, .settled_halted_ns = session->settled_halted_ns,
		.stream_taken = session->stream_taken, .counted_kept = session->counted_kept,
		.unreported = session->unreported,
		.settled = session->settled, .reported = session->reported, .cleared = session->cleared,
	};
	for (size_t e = 0; e < session->sampling.nr_events; e++) {
		read->rates_hz[e] = session->sampling.events[e].rate_hz;
		read->periods[e] = session->sampling.events[e].period;
	}
	for (size_t i = 0; i < session->filters.nr && i < TPROF_MAX_FILTERS; i++) {
		read->current[i] = session->filters.all[i]->current;
		for (size_t e = 0; e < session->sampling.nr_events; e++)
			read->retired[i][e] = session->handover->swapped ? filter_rested(session->filters.all[i], e) :
					      filter_retired(session->filters.all[i], e);
	}
	memcpy(read->settled_events, session->settled_events, sizeof(read->settled_events));
	memcpy(read->reported_events, session->reported_events, sizeof(read->reported_events));
	session->ops->note(session->engine, session->handover->engine[other]);
	/* A process that is killed before this has noted nothing. */
	__atomic_store_n(&memory->valid, other, __ATOMIC_RELEASE);
}
