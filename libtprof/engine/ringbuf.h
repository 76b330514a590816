/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The samples that filters kept, out of the ring buffers of the perf engine. */
#ifndef TPROF_RINGBUF_H
#define TPROF_RINGBUF_H

#include "filter/filter.h"

struct ringbuf;

struct ringbuf *ringbuf_new(void);
void ringbuf_free(struct ringbuf *ringbuf);

/* Reads from this filter too. Returns 0 or -errno. */
int ringbuf_add(struct ringbuf *ringbuf, const struct tprof_filter *filter);

/* Becomes readable when there are samples; -1 if there is no filter. */
int ringbuf_epoll_fd(const struct ringbuf *ringbuf);

/* Hands over what is there when it begins. Returns how many, or what fn returned if that was not 0. */
int ringbuf_read(struct ringbuf *ringbuf, int (*fn)(void *ctx, const struct tprof_sample *sample), void *ctx);

#endif
