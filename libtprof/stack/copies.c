// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Stack copies made by filters. */
#include "copies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "copy_ring.h"
#include "filter/filter_params.h"

/* Bytes of the kernel's record header. */
#define RECORD_HEADER 8

/*
 * Target time that a ring holds, within the size bounds. It is read when half full, so a reader on a busy machine may
 * be late by half of this. The bounds are powers of two and multiples of any page size.
 */
#define WANTED_MS 500
#define MIN_RING_BYTES (4U << 20)
#define MAX_RING_BYTES (64U << 20)

/* Bytes of the longest record: whole pieces, and one more for the offset of the first. */
#define MAX_RECORD_BYTES (RECORD_HEADER + sizeof(struct tprof_copy) + TPROF_COPY_MAX + 2 * TPROF_COPY_PIECE)

/*
 * A mapped BPF ring: a page of the reader, a page of the writer, and the data. The kernel maps the data twice in a row;
 * here the second mapping is only as long as a record, because each mapped page counts as resident memory.
 */
struct mapped {
	int fd;				/* owned by the filter */
	uint64_t *tail;			/* in the reader's page */
	const uint64_t *head;		/* in the kernel's page, which the data follows */
	size_t page_bytes;
	struct copy_ring ring;
};

struct copies {
	struct mapped *rings;
	size_t nr, capacity;
};

/* Bytes of the mapping that begins with the page of the writer. */
static size_t mapped_bytes(const struct mapped *mapped)
{
	return mapped->page_bytes + mapped->ring.size + mapped->ring.again;
}

struct copies *copies_new(void)
{
	return calloc(1, sizeof(struct copies));
}

void copies_free(struct copies *copies)
{
	if (!copies)
		return;
	for (size_t i = 0; i < copies->nr; i++) {
		struct mapped *mapped = &copies->rings[i];

		munmap(mapped->tail, mapped->page_bytes);
		munmap((void *)mapped->head, mapped_bytes(mapped));
	}
	free(copies->rings);
	free(copies);
}

bool copies_made_by(const struct tprof_filter *filter)
{
	return filter_map(filter, TPROF_COPIES_NAME);
}

/* Bytes of a stack that are copied, as configured or by the filter's default; 0 if the object does not say. */
static uint32_t stack_bytes(const struct tprof_filter *filter)
{
	for (size_t i = 0; i < filter->nr_params; i++) {
		if (!strcmp(filter->params[i].name, TPROF_COPY_PARAM))
			return (uint32_t)strtoul(filter->params[i].value, NULL, 10);
	}
	return 0;
}

/* The filter's own formula: whole pieces, and one more for the offset of the first. */
static uint64_t record_bytes(const struct tprof_filter *filter)
{
	uint64_t pieces = (stack_bytes(filter) + TPROF_COPY_PIECE - 1) / TPROF_COPY_PIECE + 1;

	return RECORD_HEADER + sizeof(struct tprof_copy) + pieces * TPROF_COPY_PIECE;
}

int copies_prepare(struct tprof_filter *filter, uint64_t samples_per_second, struct tprof_error *error)
{
	uint32_t bytes = stack_bytes(filter), ring = MIN_RING_BYTES;
	uint64_t wanted = record_bytes(filter) * samples_per_second * WANTED_MS / 1000;
	int err;

	if (!copies_made_by(filter))
		return 0;
	/* For the default of the object; tprof_filter__set() has checked any other size. */
	err = filter_check_copy_bytes(filter, bytes, error);
	if (err)
		return err;
	while (ring < MAX_RING_BYTES && ring < wanted)
		ring *= 2;
	err = bpf_map__set_max_entries(filter_map(filter, TPROF_COPIES_NAME), ring);
	return err ? error_set(error, -err, "filter %s: the size of its ring cannot be set: %s",
			       tprof_filter__name(filter), strerror(-err)) : 0;
}

int copies_add(struct copies *copies, const struct tprof_filter *filter)
{
	struct mapped *grown = array_grow(copies->rings, copies->nr, &copies->capacity, sizeof(*grown));
	struct mapped *mapped;
	int err;

	if (!grown)
		return -ENOMEM;
	copies->rings = grown;
	mapped = &grown[copies->nr];
	*mapped = (struct mapped){
		.fd = filter_map_fd(filter, TPROF_COPIES_NAME),
		.page_bytes = (size_t)sysconf(_SC_PAGESIZE),
		.ring.size = bpf_map__max_entries(filter_map(filter, TPROF_COPIES_NAME)),
	};
	mapped->ring.again = (MAX_RECORD_BYTES + mapped->page_bytes - 1) / mapped->page_bytes * mapped->page_bytes;
	mapped->tail = mmap(NULL, mapped->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, mapped->fd, 0);
	if (mapped->tail == MAP_FAILED)
		return -errno;
	mapped->head = mmap(NULL, mapped_bytes(mapped), PROT_READ, MAP_SHARED, mapped->fd,
			    (off_t)mapped->page_bytes);
	if (mapped->head == MAP_FAILED) {
		err = -errno;
		munmap(mapped->tail, mapped->page_bytes);
		return err;
	}
	mapped->ring.data = (const unsigned char *)mapped->head + mapped->page_bytes;
	/* Another process may have read it before. */
	mapped->ring.tail = *mapped->tail;
	copies->nr++;
	return 0;
}

uint64_t copies_fill_ms(const struct tprof_filter *filter, uint64_t samples_per_second)
{
	if (!copies_made_by(filter))
		return UINT64_MAX;
	return bpf_map__max_entries(filter_map(filter, TPROF_COPIES_NAME)) * 500ULL /
	       (record_bytes(filter) * samples_per_second);
}

static uint64_t read_head(const struct mapped *mapped)
{
	return __atomic_load_n(mapped->head, __ATOMIC_ACQUIRE);
}

bool copies_are_many(const struct copies *copies)
{
	for (size_t i = 0; i < copies->nr; i++) {
		const struct mapped *mapped = &copies->rings[i];

		if (read_head(mapped) - mapped->ring.tail > mapped->ring.size / 2)
			return true;
	}
	return false;
}

/*
 * Edge-triggered: copies left in the ring because they are too recent must not wake the reader at once. The caller must
 * fetch the events.
 */
int copies_epoll_add(const struct copies *copies, int epoll_fd)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	for (size_t i = 0; i < copies->nr; i++) {
		if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, copies->rings[i].fd, &event) && errno != EEXIST)
			return -errno;
	}
	return 0;
}

/* Each copy is released at once, so that its space is free for others while the next one is handled. */
static int read_ring(struct mapped *mapped, uint64_t until_ns, void (*fn)(void *ctx, const struct tprof_copy *copy),
		     void *ctx)
{
	const struct tprof_copy *copy;
	uint64_t head = read_head(mapped), behind;
	int more;

	while ((more = copy_ring_peek(&mapped->ring, head, &copy, &behind)) > 0 && copy->time_ns <= until_ns) {
		fn(ctx, copy);
		mapped->ring.tail = behind;
		__atomic_store_n(mapped->tail, behind, __ATOMIC_RELEASE);
	}
	if (more < 0)
		mapped->ring.tail = head;
	__atomic_store_n(mapped->tail, mapped->ring.tail, __ATOMIC_RELEASE);
	return more < 0 ? more : 0;
}

int copies_read(struct copies *copies, uint64_t until_ns, void (*fn)(void *ctx, const struct tprof_copy *copy),
		void *ctx)
{
	int err = 0;

	for (size_t i = 0; i < copies->nr; i++) {
		int ring_err = read_ring(&copies->rings[i], until_ns, fn, ctx);

		if (ring_err)
			err = ring_err;
	}
	return err;
}
