// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The rings of the side-band events: merged in order of time, and replaced by larger ones when they fill up. */
#include "sideband_rings.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "rights/sideband_event.h"

/* Longer than any record of these events: a path of PATH_MAX and the other fields. */
#define RECORD_MAX 8192

/*
 * Time during which the kernel writes to both rings. The two copies of a record get separate timestamps, so around the
 * change a record can be too old for the larger ring and too new for the smaller one. Duplicate records do no harm.
 */
#define OVERLAP_NS 20000000ULL
/* A record is written slightly later than its timestamp. */
#define WRITTEN_NS 1000000ULL

struct sideband_ring {
	struct sideband_event event;
	uint64_t head_ns;		/* time of its oldest record; UINT64_MAX: none for now */
	uint64_t from_ns, to_ns;	/* records outside of this time belong to another ring */
	bool replaced;			/* a larger ring exists */
	bool lost;			/* a record reported a loss */
};

/* Opening ------------------------------------------------------------------------------------------------ */

static int add_to_epoll(const struct sideband_rings *rings, const struct sideband_ring *ring)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = ring->event.fd };

	if (rings->epoll_fd < 0)
		return 0;
	return epoll_ctl(rings->epoll_fd, EPOLL_CTL_ADD, ring->event.fd, &event) ? -errno : 0;
}

/* The caller has checked the capacity. */
static int add(struct sideband_rings *rings, unsigned int cpu, struct sideband_limits *limits, uint64_t from_ns)
{
	struct sideband_ring *ring = &rings->rings[rings->nr];
	int err;

	*ring = (struct sideband_ring){ .from_ns = from_ns, .to_ns = UINT64_MAX };
	err = sideband_event_open(&ring->event, cpu, limits, rings->broker);
	if (err)
		return err;
	err = add_to_epoll(rings, ring);
	if (err) {
		sideband_event_close(&ring->event);
		return err;
	}
	rings->nr++;
	rings->nr_pages += ring->event.nr_pages;
	return 0;
}

int sideband_rings_open(struct sideband_rings *rings, const struct cpus *cpus, const struct log *log)
{
	struct sideband_limits limits = { .nr_pages = SIDEBAND_PAGES };

	/* Two per CPU, while a larger one replaces the other. */
	*rings = (struct sideband_rings){ .epoll_fd = -1, .max = 2 * cpus->nr, .log = log };
	rings->rings = calloc(rings->max, sizeof(*rings->rings));
	rings->scratch = malloc(PERF_RECORD_SIZE_MAX);
	if (!rings->rings || !rings->scratch)
		return -ENOMEM;
	for (size_t i = 0; i < cpus->nr; i++) {
		int err = add(rings, cpus->ids[i], &limits, 0);

		/* ENODEV: the CPU went offline meanwhile. */
		if (err && err != -ENODEV)
			return err;
	}
	rings->cannot_grow = limits.nr_pages < SIDEBAND_PAGES;
	if (rings->cannot_grow)
		log_info(log, "perf_event_mlock_kb limits the side-band rings to %u pages", limits.nr_pages);
	return 0;
}

void sideband_rings_close(struct sideband_rings *rings)
{
	for (size_t i = 0; i < rings->nr; i++)
		sideband_event_close(&rings->rings[i].event);
	rings->nr = 0;
	free(rings->scratch);
	free(rings->rings);
}

int sideband_rings_watch(struct sideband_rings *rings, int epoll_fd)
{
	int err = 0;

	rings->epoll_fd = epoll_fd;
	for (size_t i = 0; i < rings->nr && !err; i++)
		err = add_to_epoll(rings, &rings->rings[i]);
	return err;
}

/* Reading ------------------------------------------------------------------------------------------------ */

/* Gets the oldest valid record that belongs to the ring; false if there is none. Skips others. */
static bool ring_head(struct sideband_rings *rings, struct sideband_ring *ring, struct sideband_record *record)
{
	const struct perf_event_header *header;

	while ((header = perf_ring_peek(&ring->event.ring, rings->scratch))) {
		if (sideband_parse(header, header->size, record)) {
			rings->nr_lost++;
		} else if (record->kind == SIDEBAND_LOST) {
			ring->lost = true;
			if (!ring->event.counts_lost && !ring->replaced)
				rings->nr_lost += record->nr_lost;
		} else if (record->time_ns > ring->from_ns && record->time_ns <= ring->to_ns) {
			return true;
		}
		perf_ring_pop(&ring->event.ring);
	}
	return false;
}

static void note_head(struct sideband_rings *rings, struct sideband_ring *ring, uint64_t until_ns)
{
	struct sideband_record record;

	ring->head_ns = UINT64_MAX;
	if (ring_head(rings, ring, &record) && record.time_ns <= until_ns)
		ring->head_ns = record.time_ns;
}

static struct sideband_ring *oldest_ring(const struct sideband_rings *rings)
{
	struct sideband_ring *oldest = &rings->rings[0];

	for (size_t i = 1; i < rings->nr; i++)
		if (rings->rings[i].head_ns < oldest->head_ns)
			oldest = &rings->rings[i];
	return oldest;
}

/* Records that a replaced ring loses are in its replacement. */
static void count_lost(struct sideband_rings *rings, struct sideband_ring *ring)
{
	if (!ring->replaced)
		rings->nr_lost += sideband_event_lost(&ring->event);
	ring->lost = false;
}

void sideband_rings_count_lost(struct sideband_rings *rings)
{
	for (size_t i = 0; i < rings->nr; i++)
		count_lost(rings, &rings->rings[i]);
}

/* Replaces a ring if the kernel grants a larger one. */
static void replace(struct sideband_rings *rings, size_t i)
{
	const unsigned int cpu = rings->rings[i].event.cpu, nr_pages = rings->rings[i].event.nr_pages;
	struct sideband_limits limits = { .nr_pages = 4 * nr_pages };
	int err;

	if (limits.nr_pages > SIDEBAND_GROWN_PAGES)
		limits.nr_pages = SIDEBAND_GROWN_PAGES;
	if (limits.nr_pages <= nr_pages || rings->nr == rings->max ||
	    rings->nr_pages + limits.nr_pages > SIDEBAND_ALL_PAGES)
		return;
	limits.no_lost_count = !rings->rings[i].event.counts_lost;
	err = add(rings, cpu, &limits, 0);
	if (!err && limits.nr_pages <= nr_pages) {
		rings->nr_pages -= limits.nr_pages;
		sideband_event_close(&rings->rings[--rings->nr].event);
		err = -ENOMEM;
	}
	rings->cannot_grow = err != 0;
	if (err)
		return log_info(rings->log, "CPU %u: the side-band ring cannot grow beyond %u pages", cpu, nr_pages);
	/* Until now this was the only ring. */
	count_lost(rings, &rings->rings[i]);
	rings->rings[rings->nr - 1].from_ns = clock_now_ns();
	rings->rings[i].to_ns = rings->rings[rings->nr - 1].from_ns + OVERLAP_NS;
	rings->rings[i].replaced = true;
	log_debug(rings->log, "CPU %u: the side-band ring has grown to %u pages", cpu, limits.nr_pages);
}

static void remove_ring(struct sideband_rings *rings, size_t i)
{
	rings->nr_pages -= rings->rings[i].event.nr_pages;
	sideband_event_close(&rings->rings[i].event);
	rings->rings[i] = rings->rings[--rings->nr];
}

/* After a read: counts lost records, removes rings that were replaced, and replaces rings that are too small. */
static void end(struct sideband_rings *rings, uint64_t until_ns)
{
	for (size_t i = rings->nr; i-- > 0;) {
		struct sideband_ring *ring = &rings->rings[i];
		struct perf_ring *perf = &ring->event.ring;

		rings->nr_lost += perf->corrupt;
		perf_ring_end(perf);
		if (ring->lost || perf->used > perf->size - RECORD_MAX || perf->size < 2 * RECORD_MAX)
			count_lost(rings, ring);
		if (ring->replaced && until_ns > ring->to_ns + WRITTEN_NS)
			remove_ring(rings, i);
		else if (!ring->replaced && !rings->cannot_grow && perf->used > perf->size / 2)
			replace(rings, i);
	}
}

int sideband_rings_read(struct sideband_rings *rings, uint64_t until_ns,
			void (*fn)(void *ctx, const struct sideband_record *record), void *ctx)
{
	struct sideband_record record;
	int nr = 0;

	for (size_t i = 0; i < rings->nr; i++) {
		perf_ring_begin(&rings->rings[i].event.ring);
		note_head(rings, &rings->rings[i], until_ns);
	}
	while (rings->nr) {
		struct sideband_ring *ring = oldest_ring(rings);

		if (ring->head_ns == UINT64_MAX || !ring_head(rings, ring, &record))
			break;
		fn(ctx, &record);
		perf_ring_pop(&ring->event.ring);
		note_head(rings, ring, until_ns);
		nr++;
	}
	end(rings, until_ns);
	return nr;
}
