/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Side-band events: the kernel's records of fork, exec, mmap, comm and exit of every process. They come from one dummy
 * perf event per online CPU, are merged in order of time, and update the address spaces.
 *
 * Ids are those of the pid namespace of the process that opens the events: only in the initial namespace are they the
 * ids in samples. CPUs that come online later have no event: their processes are known only from /proc.
 *
 * Call aspaces_scan() after sideband_open(), so that no process is missed in between.
 */
#ifndef TPROF_SIDEBAND_H
#define TPROF_SIDEBAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/log.h"
#include "rights/broker.h"
#include "sideband_processes.h"

struct sideband;

/*
 * Opens and enables the events. Errors: EPERM, EMFILE, ENOMEM, ... with a sentence. @listener is copied; may be NULL.
 */
struct sideband *sideband_open(struct aspaces *aspaces, const struct sideband_listener *listener,
			       const struct log *log, struct tprof_error *error);
void sideband_close(struct sideband *sideband);

/* Larger rings are opened through the broker from now on. */
void sideband_use_broker(struct sideband *sideband, struct broker *broker);

/* Adds the file descriptors of the rings to an epoll set, and later those of larger rings that replace them. */
int sideband_epoll_add(struct sideband *sideband, int epoll_fd);

/*
 * Handles all records up to now, oldest first, without blocking. Scans /proc again if records were lost. Returns the
 * number of records, or -errno.
 */
int sideband_drain(struct sideband *sideband);

/*
 * sideband_lost(): the number of lost (or malformed) records since open, as known to the last drain, which asks the
 * kernel only about rings that were full or reported a loss. sideband_count_lost() asks for all rings; call it at the
 * end.
 */
void sideband_count_lost(struct sideband *sideband);
uint64_t sideband_lost(const struct sideband *sideband);

#endif
