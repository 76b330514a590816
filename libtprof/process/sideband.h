/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Side-band events: the kernel's own word on fork, exec, mmap, comm and exit of every process, from a dummy
 * perf event per online CPU, brought into order of time and told to the address spaces.
 *
 * Ids are those of the pid namespace of whoever opens the events: only in the initial one are they the ids
 * that samples carry. CPUs that come online later are not watched: what happens on them is known from /proc
 * alone.
 *
 * aspaces_scan() comes after sideband_open(), so that nothing falls between the two.
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
 * Opens and enables the events. Errors: EPERM, EMFILE, ENOMEM, ... with a sentence. @listener is
 * copied; may be NULL.
 */
struct sideband *sideband_open(struct aspaces *aspaces, const struct sideband_listener *listener,
			       const struct log *log, struct tprof_error *error);
void sideband_close(struct sideband *sideband);

/* From now on, larger rings are asked for. */
void sideband_use_broker(struct sideband *sideband, struct broker *broker);

/* Adds the rings' descriptors to an epoll set, and those of larger ones that take their places. */
int sideband_epoll_add(struct sideband *sideband, int epoll_fd);

/*
 * Handles all that happened up to now, oldest first, without waiting; reads all of /proc again if the kernel
 * had no room for some. Returns how many records, or -errno.
 */
int sideband_drain(struct sideband *sideband);

/*
 * How many records the kernel had no room for (or made no sense), since open, as far as the last drain knew: where a
 * ring was seen to be full, or a record told. sideband_count_lost() asks for all, for the end.
 */
void sideband_count_lost(struct sideband *sideband);
uint64_t sideband_lost(const struct sideband *sideband);

#endif
