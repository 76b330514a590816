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
#include "sideband_event.h"
#include "sideband_processes.h"
#include "sideband_record.h"

struct sideband {
	struct sideband_processes processes;
	const struct log *log;
	struct sideband_event *events;
	uint64_t *heads_ns;		/* time of the oldest record of each; UINT64_MAX: none for now */
	size_t nr_events;
	void *scratch;			/* for records that wrap around; PERF_RECORD_SIZE_MAX bytes */
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
	sideband->processes.aspaces = aspaces;
	sideband->log = log;
	if (listener)
		sideband->processes.listener = *listener;
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
	sideband_processes_fini(&sideband->processes);
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

/* Reading ------------------------------------------------------------------------------------------------ */

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
		if (record.kind == SIDEBAND_LOST)
			sideband->nr_lost += record.nr_lost;
		sideband_processes_handle(&sideband->processes, &record);
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
	sideband_processes_check(&sideband->processes, until_ns);
	if (sideband->nr_lost != nr_lost) {
		if (!nr_lost)
			log_warn(sideband->log, "events of processes were lost: reading /proc again, "
				 "but what was short-lived may lack its name");
		err = aspaces_scan(sideband->processes.aspaces);
	}
	return err < 0 ? err : nr;
}

uint64_t sideband_lost(const struct sideband *sideband)
{
	return sideband->nr_lost;
}
