// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Side-band events: merged in order of time, and applied to the address spaces.
 *
 * Each ring is in order of time by itself; several rings are merged by their oldest records. A drain handles records
 * older than its own start and leaves the rest. Otherwise a ring that is read later could show effects (exec) whose
 * causes (fork) are still unread in a ring that was read earlier.
 */
#include "sideband.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "event/cpus.h"
#include "sideband_processes.h"
#include "sideband_rings.h"

struct sideband {
	struct sideband_processes processes;
	const struct log *log;
	struct sideband_rings rings;
	bool told_lost;
};

/* Opening ------------------------------------------------------------------------------------------------ */

static int open_error(int err, struct tprof_error *error)
{
	error_set(error, -err, "side-band events (fork, exec, mmap) cannot be opened: %s", strerror(-err));
	if (err == -EPERM || err == -EACCES)
		error_hint(error, "run as root, or with CAP_PERFMON");
	error_hint_files(error, -err);
	return err;
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
	err = sideband_rings_open(&sideband->rings, &cpus, log);
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
	sideband_rings_close(&sideband->rings);
	sideband_processes_fini(&sideband->processes);
	free(sideband);
}

void sideband_use_broker(struct sideband *sideband, struct broker *broker)
{
	sideband->rings.broker = broker;
}

int sideband_epoll_add(struct sideband *sideband, int epoll_fd)
{
	return sideband_rings_watch(&sideband->rings, epoll_fd);
}

/* Reading ------------------------------------------------------------------------------------------------ */

static void handle(void *ctx, const struct sideband_record *record)
{
	sideband_processes_handle(ctx, record);
}

static void say_lost(struct sideband *sideband)
{
	if (!sideband->told_lost)
		log_warn(sideband->log, "side-band events (fork, exec, mmap) were lost: /proc is read again, but "
			 "short-lived processes may lack names; %s", sideband->rings.cannot_grow ?
			 "run tprof as root, or raise kernel.perf_event_mlock_kb, for larger buffers" :
			 "run tprof with nice -n -20 to read the events in time");
	sideband->told_lost = true;
}

int sideband_drain(struct sideband *sideband)
{
	uint64_t nr_lost = sideband->rings.nr_lost, until_ns = clock_now_ns();
	int nr = sideband_rings_read(&sideband->rings, until_ns, handle, &sideband->processes), err;

	sideband_processes_check(&sideband->processes, until_ns);
	if (sideband->rings.nr_lost == nr_lost)
		return nr;
	say_lost(sideband);
	err = aspaces_scan(sideband->processes.aspaces);
	return err < 0 ? err : nr;
}

void sideband_count_lost(struct sideband *sideband)
{
	sideband_rings_count_lost(&sideband->rings);
}

uint64_t sideband_lost(const struct sideband *sideband)
{
	return sideband->rings.nr_lost;
}
