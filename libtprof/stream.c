// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The samples that filters kept. */
#include "stream.h"

#include <errno.h>
#include <stdlib.h>

struct stream {
	struct ring_buffer *rings;
	int (*fn)(void *ctx, const struct tprof_sample *sample);
	void *ctx;
	int stopped;			/* what fn returned when it had enough */
};

struct stream *stream_new(void)
{
	return calloc(1, sizeof(struct stream));
}

void stream_free(struct stream *stream)
{
	if (!stream)
		return;
	ring_buffer__free(stream->rings);
	free(stream);
}

/* A negative value stops libbpf, after the sample: it counts as read. */
static int take(void *ctx, void *data, size_t size)
{
	struct stream *stream = ctx;

	if (size < sizeof(struct tprof_sample))
		return 0;
	stream->stopped = stream->fn(stream->ctx, data);
	return stream->stopped ? -ECANCELED : 0;
}

int stream_add(struct stream *stream, const struct tprof_filter *filter)
{
	int fd = filter_map_fd(filter, TPROF_STREAM_NAME);

	if (stream->rings)
		return ring_buffer__add(stream->rings, fd, take, stream);
	stream->rings = ring_buffer__new(fd, take, stream, NULL);
	return stream->rings ? 0 : -errno;
}

int stream_epoll_fd(const struct stream *stream)
{
	return stream->rings ? ring_buffer__epoll_fd(stream->rings) : -1;
}

int stream_read(struct stream *stream, int (*fn)(void *ctx, const struct tprof_sample *sample), void *ctx)
{
	int nr;

	if (!stream->rings)
		return 0;
	stream->fn = fn;
	stream->ctx = ctx;
	stream->stopped = 0;
	nr = ring_buffer__consume(stream->rings);
	return stream->stopped ? stream->stopped : nr;
}
