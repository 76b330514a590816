/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Reads the samples that filters kept from the module's streams: one for each CPU, mapped at the first reading. */
#ifndef TPROF_STREAM_H
#define TPROF_STREAM_H

#include "tprof.h"

struct stream;

/* The caller owns @session_fd, which must outlive the stream. Errors: ENOMEM, EMFILE, ... */
struct stream *stream_new(int session_fd);
void stream_free(struct stream *stream);

/* Readable when the module's wakeup threshold is reached, between stream_started() and stream_stopped(). */
int stream_epoll_fd(const struct stream *stream);
/* 0 or -errno. */
int stream_started(struct stream *stream);
void stream_stopped(struct stream *stream);

/*
 * Passes the samples to fn, the oldest of all CPUs first. Returns their number, the value of fn if not 0, or -errno;
 * EPROTO: a stream was corrupt and was skipped.
 */
int stream_read(struct stream *stream, int (*fn)(void *ctx, const struct tprof_sample *sample), void *ctx);

#endif
