/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The samples that filters kept, out of the module's streams: one for each CPU, mapped at the first reading.
 */
#ifndef TPROF_STREAM_H
#define TPROF_STREAM_H

#include "tprof.h"

struct stream;

/* @session_fd stays the caller's, and outlives the stream. Errors: ENOMEM, EMFILE, ... */
struct stream *stream_new(int session_fd);
void stream_free(struct stream *stream);

/* Becomes readable when the module says that reading is worth while; not any more once the session is stopped. */
int stream_epoll_fd(const struct stream *stream);
void stream_stopped(struct stream *stream);

/*
 * Hands over what is there, the oldest of all CPUs first. Returns how many, or what fn returned if that was not 0, or
 * -errno; EPROTO: a stream made no sense, and was skipped.
 */
int stream_read(struct stream *stream, int (*fn)(void *ctx, const struct tprof_sample *sample), void *ctx);

#endif
