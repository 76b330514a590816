// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Side-band events, brought into order of time and told to the address spaces.
 *
 * Each ring is in order of time by itself; what comes from several is merged by the heads. A drain handles
 * what is older than its own beginning and leaves the rest: otherwise a ring that is looked at later would
 * show effects (exec) whose causes (fork) stand, unseen, in a ring that was looked at earlier.
 */
#include "sideband.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

#include "cpus.h"
#include "proc.h"
#include "sideband_event.h"
#include "sideband_record.h"

/* A process whose first thread has ended; it has ended itself when the others have. */
struct leaving {
	pid_t tgid;
	uint64_t time_ns;
};

struct sideband {
	struct aspaces *aspaces;
	struct sideband_listener listener;
	const struct log *log;
	struct sideband_event *events;
	uint64_t *heads_ns;		/* time of the oldest record of each; UINT64_MAX: none for now */
	size_t nr_events;
	void *scratch;			/* for records that wrap around; PERF_RECORD_SIZE_MAX bytes */
	struct leaving *leaving;
	size_t nr_leaving, max_leaving;
	struct proc_text text;
	uint64_t nr_lost;
};

/* Opening ------------------------------------------------------------------------------------------------ */

static int open_error(int err, struct tprof_error *error)
{
	error_set(error, -err, "cannot watch processes come and go: %s", strerror(-err));
	if (err == -EPERM || err == -EACCES)
		error_hint(error, "run as root, or with CAP_PERFMON");
	error_hint_files(error, -err);
	return err;
}

static int events_open(struct sideband *sideband, const struct cpus *cpus)
{
	struct sideband_limits limits = { .nr_pages = SIDEBAND_MAX_PAGES };

	sideband->events = calloc(cpus->nr, sizeof(*sideband->events));
	sideband->heads_ns = calloc(cpus->nr, sizeof(*sideband->heads_ns));
	sideband->scratch = malloc(PERF_RECORD_SIZE_MAX);
	if (!sideband->events || !sideband->heads_ns || !sideband->scratch)
		return -ENOMEM;
	for (size_t i = 0; i < cpus->nr; i++) {
		int err = sideband_event_open(&sideband->events[sideband->nr_events], cpus->ids[i], &limits);

		/* Gone offline in the meantime. */
		if (err == -ENODEV)
			continue;
		if (err)
			return err;
		sideband->nr_events++;
	}
	if (limits.nr_pages < SIDEBAND_MAX_PAGES)
		log_info(sideband->log, "perf_event_mlock_kb: side-band rings of %u pages only",
			 limits.nr_pages);
	return 0;
}

struct sideband *sideband_open(struct aspaces *aspaces, const struct sideband_listener *listener,
			       const struct log *log, struct tprof_error *error)
{
	struct sideband *sideband = calloc(1, sizeof(*sideband));
	struct cpus cpus;
	int err;

	if (!sideband) {
		errno = -open_error(-ENOMEM, error);
		return NULL;
	}
	sideband->aspaces = aspaces;
	sideband->log = log;
	if (listener)
		sideband->listener = *listener;
	err = cpus_init(&cpus, NULL, error);
	if (err)
		goto out_free;
	err = events_open(sideband, &cpus);
	cpus_release(&cpus);
	if (err) {
		open_error(err, error);
		goto out_free;
	}
	return sideband;

out_free:
	sideband_close(sideband);
	errno = -err;
	return NULL;
}

void sideband_close(struct sideband *sideband)
{
	if (!sideband)
		return;
	for (size_t i = 0; i < sideband->nr_events; i++)
		sideband_event_close(&sideband->events[i]);
	proc_text_fini(&sideband->text);
	free(sideband->leaving);
	free(sideband->scratch);
	free(sideband->heads_ns);
	free(sideband->events);
	free(sideband);
}

int sideband_epoll_add(const struct sideband *sideband, int epoll_fd)
{
	for (size_t i = 0; i < sideband->nr_events; i++) {
		struct epoll_event event = { .events = EPOLLIN };

		event.data.fd = sideband->events[i].fd;
		if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, event.data.fd, &event))
			return -errno;
	}
	return 0;
}

/* The end of processes ----------------------------------------------------------------------------------- */

static void process_ended(struct sideband *sideband, pid_t tgid, uint64_t time_ns)
{
	aspaces_exit(sideband->aspaces, tgid, time_ns);
	if (sideband->listener.exited)
		sideband->listener.exited(sideband->listener.ctx, tgid);
}

/* The event is of the past, so /proc can tell what came of it: most often, nothing is left. */
static bool process_goes_on(struct sideband *sideband, pid_t tgid)
{
	struct proc_stat stat;

	return !proc_read(&sideband->text, "%d/stat", tgid) && !proc_parse_stat(sideband->text.text, &stat) &&
	       !proc_stat_is_dead(&stat);
}

/* The first thread ended: with others still running, or to make room for one of them that calls exec. */
static void leader_exited(struct sideband *sideband, pid_t tgid, uint64_t time_ns)
{
	struct leaving *leaving = sideband->leaving;

	if (!process_goes_on(sideband, tgid))
		return process_ended(sideband, tgid, time_ns);
	if (sideband->nr_leaving == sideband->max_leaving) {
		size_t max = sideband->max_leaving ? sideband->max_leaving * 2 : 16;

		leaving = realloc(leaving, max * sizeof(*leaving));
		if (!leaving)
			return process_ended(sideband, tgid, time_ns);
		sideband->leaving = leaving;
		sideband->max_leaving = max;
	}
	leaving[sideband->nr_leaving++] = (struct leaving){ .tgid = tgid, .time_ns = time_ns };
}

/* Takes a process off the list. Returns whether it was there. */
static bool leaving_take(struct sideband *sideband, pid_t tgid, struct leaving *leaving)
{
	for (size_t i = 0; i < sideband->nr_leaving; i++) {
		if (sideband->leaving[i].tgid != tgid)
			continue;
		*leaving = sideband->leaving[i];
		sideband->leaving[i] = sideband->leaving[--sideband->nr_leaving];
		return true;
	}
	return false;
}

static void leaving_check(struct sideband *sideband, uint64_t now_ns)
{
	for (size_t i = sideband->nr_leaving; i-- > 0;) {
		struct leaving leaving = sideband->leaving[i];

		if (process_goes_on(sideband, leaving.tgid))
			continue;
		sideband->leaving[i] = sideband->leaving[--sideband->nr_leaving];
		process_ended(sideband, leaving.tgid, now_ns);
	}
}

/* Reading ------------------------------------------------------------------------------------------------ */

static void handle_fork(struct sideband *sideband, const struct sideband_record *record)
{
	struct leaving leaving;

	/* The id is used again, so the other one is gone. */
	if (leaving_take(sideband, record->pid, &leaving))
		process_ended(sideband, leaving.tgid, leaving.time_ns);
	aspaces_fork(sideband->aspaces, record->ppid, record->pid, record->time_ns);
	if (sideband->listener.forked)
		sideband->listener.forked(sideband->listener.ctx, record->ppid, record->pid);
}

static void handle_exec(struct sideband *sideband, const struct sideband_record *record)
{
	struct leaving leaving;

	leaving_take(sideband, record->pid, &leaving);
	aspaces_exec(sideband->aspaces, record->pid, record->comm, record->time_ns);
}

static void handle(struct sideband *sideband, const struct sideband_record *record)
{
	struct aspaces *aspaces = sideband->aspaces;

	if (record->kind == SIDEBAND_PROGRAM) {
		if (sideband->listener.program)
			sideband->listener.program(sideband->listener.ctx, record->comm, record->start, record->length,
						   record->gone);
		return;
	}
	/* -1: a task that is not visible in our pid namespace. */
	if (record->kind != SIDEBAND_LOST && (record->pid <= 0 || record->tid <= 0))
		return;
	switch (record->kind) {
	case SIDEBAND_FORK:
		return handle_fork(sideband, record);
	case SIDEBAND_THREAD:
		return aspaces_thread_fork(aspaces, record->pid, record->ptid, record->tid);
	case SIDEBAND_EXIT:
		if (record->tid == record->pid)
			return leader_exited(sideband, record->pid, record->time_ns);
		return aspaces_exit(aspaces, record->tid, record->time_ns);
	case SIDEBAND_EXEC:
		return handle_exec(sideband, record);
	case SIDEBAND_COMM:
		return aspaces_comm(aspaces, record->pid, record->tid, record->comm);
	case SIDEBAND_MMAP:
		return aspaces_mmap(aspaces, record->pid, record->start, record->length, record->pgoff,
				    &record->id, record->time_ns);
	case SIDEBAND_LOST:
		sideband->nr_lost += record->nr_lost;
		return;
	case SIDEBAND_PROGRAM:
	case SIDEBAND_OTHER:
		return;
	}
}

/* The oldest record of a ring that makes sense; NULL if there is none. */
static bool ring_head(struct sideband *sideband, struct perf_ring *ring, struct sideband_record *record)
{
	const struct perf_event_header *header;

	while ((header = perf_ring_peek(ring, sideband->scratch))) {
		if (!sideband_parse(header, header->size, record))
			return true;
		sideband->nr_lost++;
		perf_ring_pop(ring);
	}
	return false;
}

static void ring_note_head(struct sideband *sideband, size_t i, uint64_t until_ns)
{
	struct sideband_record record;

	sideband->heads_ns[i] = UINT64_MAX;
	if (ring_head(sideband, &sideband->events[i].ring, &record) && record.time_ns <= until_ns)
		sideband->heads_ns[i] = record.time_ns;
}

static size_t oldest_ring(const struct sideband *sideband)
{
	size_t oldest = 0;

	for (size_t i = 1; i < sideband->nr_events; i++)
		if (sideband->heads_ns[i] < sideband->heads_ns[oldest])
			oldest = i;
	return oldest;
}

static int rings_merge(struct sideband *sideband, uint64_t until_ns)
{
	struct sideband_record record;
	int nr = 0;

	for (size_t i = 0; i < sideband->nr_events; i++) {
		perf_ring_begin(&sideband->events[i].ring);
		ring_note_head(sideband, i, until_ns);
	}
	while (sideband->nr_events) {
		size_t i = oldest_ring(sideband);
		struct perf_ring *ring = &sideband->events[i].ring;

		if (sideband->heads_ns[i] == UINT64_MAX || !ring_head(sideband, ring, &record))
			break;
		handle(sideband, &record);
		perf_ring_pop(ring);
		ring_note_head(sideband, i, until_ns);
		nr++;
	}
	for (size_t i = 0; i < sideband->nr_events; i++) {
		sideband->nr_lost += sideband->events[i].ring.corrupt;
		perf_ring_end(&sideband->events[i].ring);
	}
	return nr;
}

int sideband_drain(struct sideband *sideband)
{
	uint64_t nr_lost = sideband->nr_lost, until_ns;
	struct timespec now;
	int nr, err = 0;

	clock_gettime(CLOCK_MONOTONIC, &now);
	until_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	nr = rings_merge(sideband, until_ns);
	leaving_check(sideband, until_ns);
	if (sideband->nr_lost != nr_lost) {
		if (!nr_lost)
			log_warn(sideband->log, "events of processes were lost: reading /proc again, "
				 "but what was short-lived may lack its name");
		err = aspaces_scan(sideband->aspaces);
	}
	return err < 0 ? err : nr;
}

uint64_t sideband_lost(const struct sideband *sideband)
{
	return sideband->nr_lost;
}
