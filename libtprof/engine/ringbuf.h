/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Reads the samples that filters kept from the ring buffers of the perf engine. */
#ifndef TPROF_RINGBUF_H
#define TPROF_RINGBUF_H

#include "filter/filter.h"

struct ringbuf;

struct ringbuf *ringbuf_new(void);
void ringbuf_free(struct ringbuf *ringbuf);

/* Adds the ring buffer of a filter. Returns 0 or -errno. */
int ringbuf_add(struct ringbuf *ringbuf, const struct tprof_filter *filter);

/* Readable when there are samples; -1 if there is no filter. */
int ringbuf_epoll_fd(const struct ringbuf *ringbuf);

/*
 * Passes the samples that are present at the start of the call to fn. Returns their number, or the value of fn if not
 * 0.
 */
int ringbuf_read(struct ringbuf *ringbuf, int (*fn)(void *ctx, const struct tprof_sample *sample), void *ctx);

#endif
