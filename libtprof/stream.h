/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The samples that filters kept, out of the ring buffers of the perf engine. */
#ifndef TPROF_STREAM_H
#define TPROF_STREAM_H

#include "filter.h"

struct stream;

struct stream *stream_new(void);
void stream_free(struct stream *stream);

/* Reads from this filter too. Returns 0 or -errno. */
int stream_add(struct stream *stream, const struct tprof_filter *filter);

/* Becomes readable when there are samples; -1 if there is no filter. */
int stream_epoll_fd(const struct stream *stream);

/* Hands over what is there. Returns how many, or what fn returned if that was not 0, or -errno. */
int stream_read(struct stream *stream, int (*fn)(void *ctx, const struct tprof_sample *sample), void *ctx);

#endif
