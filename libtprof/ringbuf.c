// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The samples that filters kept, out of ring buffers. */
#include "ringbuf.h"

#include <errno.h>
#include <stdlib.h>

#include "libbpf_log.h"

struct ringbuf {
	struct ring_buffer *rings;
	int (*fn)(void *ctx, const struct tprof_sample *sample);
	void *ctx;
	int stopped;			/* what fn returned when it had enough */
};

struct ringbuf *ringbuf_new(void)
{
	return calloc(1, sizeof(struct ringbuf));
}

void ringbuf_free(struct ringbuf *ringbuf)
{
	if (!ringbuf)
		return;
	ring_buffer__free(ringbuf->rings);
	free(ringbuf);
}

/* A negative value stops libbpf, after the sample: it counts as read. */
static int take(void *ctx, void *data, size_t size)
{
	struct ringbuf *ringbuf = ctx;

	if (size < sizeof(struct tprof_sample))
		return 0;
	ringbuf->stopped = ringbuf->fn(ringbuf->ctx, data);
	return ringbuf->stopped ? -ECANCELED : 0;
}

static int add(struct ringbuf *ringbuf, int fd)
{
	if (ringbuf->rings)
		return ring_buffer__add(ringbuf->rings, fd, take, ringbuf);
	ringbuf->rings = ring_buffer__new(fd, take, ringbuf, NULL);
	return ringbuf->rings ? 0 : -errno;
}

int ringbuf_add(struct ringbuf *ringbuf, const struct tprof_filter *filter)
{
	struct libbpf_log said;
	int err;

	libbpf_log_begin(&said, NULL);
	err = add(ringbuf, filter_map_fd(filter, TPROF_STREAM_NAME));
	libbpf_log_end(&said);
	return err;
}

int ringbuf_epoll_fd(const struct ringbuf *ringbuf)
{
	return ringbuf->rings ? ring_buffer__epoll_fd(ringbuf->rings) : -1;
}

int ringbuf_read(struct ringbuf *ringbuf, int (*fn)(void *ctx, const struct tprof_sample *sample), void *ctx)
{
	int nr;

	if (!ringbuf->rings)
		return 0;
	ringbuf->fn = fn;
	ringbuf->ctx = ctx;
	ringbuf->stopped = 0;
	nr = ring_buffer__consume(ringbuf->rings);
	return ringbuf->stopped ? ringbuf->stopped : nr;
}
