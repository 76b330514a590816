// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Reads the samples that filters kept from ring buffers. */
#include "ringbuf.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>

#include "base/libbpf_log.h"

struct ringbuf {
	struct ring_buffer *rings;
	size_t left_bytes;		/* bytes left of those present when reading this ring began */
	int nr;				/* passed to fn */
	int (*fn)(void *ctx, const struct tprof_sample *sample);
	void *ctx;
	int stopped;			/* the value of fn that ended the reading */
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

/*
 * A negative value stops libbpf, which still consumes the sample. Without it, libbpf would read for as long as samples
 * arrive at least as fast as they are read.
 */
static int take(void *ctx, void *data, size_t size)
{
	size_t whole = BPF_RINGBUF_HDR_SZ + (size + 7) / 8 * 8;
	struct ringbuf *ringbuf = ctx;

	ringbuf->left_bytes -= whole < ringbuf->left_bytes ? whole : ringbuf->left_bytes;
	if (size >= sizeof(struct tprof_sample)) {
		ringbuf->stopped = ringbuf->fn(ringbuf->ctx, data);
		ringbuf->nr++;
	}
	return ringbuf->stopped || !ringbuf->left_bytes ? -ECANCELED : 0;
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
	struct ring *ring;

	if (!ringbuf->rings)
		return 0;
	ringbuf->fn = fn;
	ringbuf->ctx = ctx;
	ringbuf->stopped = ringbuf->nr = 0;
	for (unsigned int i = 0; !ringbuf->stopped && (ring = ring_buffer__ring(ringbuf->rings, i)); i++) {
		ringbuf->left_bytes = ring__avail_data_size(ring);
		if (ringbuf->left_bytes)
			ring__consume(ring);
	}
	return ringbuf->stopped ? ringbuf->stopped : ringbuf->nr;
}
