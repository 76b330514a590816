// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The side-band event of one CPU, and its ring. */
#include "sideband_event.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "broker.h"

/* Wakeup threshold, independent of the size of the ring. The rest of the ring is the reader's time to respond. */
#define WAKEUP_BYTES 65536U

/*
 * Does not set attr.build_id: for that the kernel sets a bit in a header that all events share, including those of
 * other programs, and their readers then take the inode for a build id. Build ids are read from the opened files
 * instead.
 */
int sideband_event_new(unsigned int cpu, const struct sideband_limits *limits)
{
	const unsigned int ring = limits->nr_pages * (unsigned int)sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = limits->no_lost_count ? 0 : PERF_FORMAT_LOST,
		.sample_type = SIDEBAND_SAMPLE_TYPE,
		.sample_id_all = 1,
		.mmap = 1,		/* executable mappings only, as mmap_data is 0 */
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.ksymbol = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = ring / 4 < WAKEUP_BYTES ? ring / 4 : WAKEUP_BYTES,
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int event_map(struct sideband_event *event, unsigned int nr_pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	event->map_size = (nr_pages + 1) * page;
	event->map = mmap(NULL, event->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, event->fd, 0);
	if (event->map == MAP_FAILED)
		return -errno;
	perf_ring_init(&event->ring, event->map, (uint8_t *)event->map + page, nr_pages * page);
	return 0;
}

static int event_ask(struct broker *broker, unsigned int cpu, const struct sideband_limits *limits)
{
	const struct broker_request request = {
		.question = BROKER_SIDEBAND, .pid = (int32_t)cpu, .start = limits->nr_pages,
		.end = limits->no_lost_count,
	};

	return broker ? broker_ask(broker, &request) : broker_serve(&request);
}

static int event_try(struct sideband_event *event, unsigned int cpu, const struct sideband_limits *limits,
		     struct broker *broker)
{
	int err;

	*event = (struct sideband_event){
		.cpu = cpu, .nr_pages = limits->nr_pages, .counts_lost = !limits->no_lost_count,
	};
	event->fd = event_ask(broker, cpu, limits);
	if (event->fd < 0)
		return event->fd;
	err = event_map(event, limits->nr_pages);
	if (err)
		close(event->fd);
	return err;
}

int sideband_event_open(struct sideband_event *event, unsigned int cpu, struct sideband_limits *limits,
			struct broker *broker)
{
	for (;;) {
		int err = event_try(event, cpu, limits, broker);

		if (err == -EINVAL && !limits->no_lost_count)
			limits->no_lost_count = true;
		else if ((err == -EPERM || err == -ENOMEM) && limits->nr_pages > 1)
			/*
			 * EPERM beyond perf_event_mlock_kb. If EPERM is about the event itself, the last try fails too.
			 */
			limits->nr_pages /= 2;
		else
			return err;
	}
}

void sideband_event_close(struct sideband_event *event)
{
	munmap(event->map, event->map_size);
	close(event->fd);
}

uint64_t sideband_event_lost(struct sideband_event *event)
{
	uint64_t counts[2], more;

	/* The value of the event, which is unused, and the number of lost records. */
	if (!event->counts_lost || read(event->fd, counts, sizeof(counts)) != sizeof(counts))
		return 0;
	more = counts[1] - event->nr_lost;
	event->nr_lost = counts[1];
	return more;
}
