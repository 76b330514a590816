// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Reads the samples that filters kept from the module's streams. */
#include "stream.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/kmod_device.h"
#include "stream_ring.h"

/* No kernel has CPUs with higher numbers; see cpus.c. */
#define CPU_MAX 16384

/* One CPU's stream. The module writes the state and the data, the reader writes the control. */
struct cpu_stream {
	struct tprof_stream_control *control;
	const struct tprof_stream_state *state;		/* the first page of the data */
	struct stream_ring ring;
};

struct stream {
	int session_fd;
	int epoll_fd;
	bool mapped;
	size_t page_bytes, data_bytes;			/* of each mapping */
	struct cpu_stream *cpus;
	size_t nr;
};

struct stream *stream_new(int session_fd)
{
	struct stream *stream = calloc(1, sizeof(*stream));
	int err;

	if (!stream)
		return NULL;
	stream->session_fd = session_fd;
	stream->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	stream->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (stream->epoll_fd >= 0)
		return stream;
	err = errno;
	stream_free(stream);
	errno = err;
	return NULL;
}

void stream_free(struct stream *stream)
{
	if (!stream)
		return;
	for (size_t i = 0; i < stream->nr; i++) {
		munmap(stream->cpus[i].control, stream->page_bytes);
		munmap((void *)stream->cpus[i].state, stream->data_bytes);
	}
	free(stream->cpus);
	if (stream->epoll_fd >= 0)
		close(stream->epoll_fd);
	free(stream);
}

int stream_epoll_fd(const struct stream *stream)
{
	return stream->epoll_fd;
}

int stream_started(struct stream *stream)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(stream->epoll_fd, EPOLL_CTL_ADD, stream->session_fd, &event) && errno != EEXIST ? -errno : 0;
}

/* A stopped session reports EPOLLHUP for good, which would make epoll return again and again. */
void stream_stopped(struct stream *stream)
{
	epoll_ctl(stream->epoll_fd, EPOLL_CTL_DEL, stream->session_fd, NULL);
}

/* 1: the CPU has a stream, 0: it has none, or -errno. */
static int map_cpu(struct stream *stream, unsigned int cpu, uint32_t ring_bytes)
{
	struct cpu_stream *into = &stream->cpus[stream->nr];
	void *control, *data;
	int err;

	control = mmap(NULL, stream->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, stream->session_fd,
		       (off_t)TPROF_STREAM_CONTROL(cpu));
	if (control == MAP_FAILED)
		return errno == EINVAL || errno == ENXIO ? 0 : -errno;
	data = mmap(NULL, stream->data_bytes, PROT_READ, MAP_SHARED, stream->session_fd,
		    (off_t)TPROF_STREAM_DATA(cpu));
	if (data == MAP_FAILED) {
		err = -errno;
		munmap(control, stream->page_bytes);
		return err;
	}
	into->control = control;
	into->state = data;
	into->ring = (struct stream_ring){
		.data = (const unsigned char *)data + stream->page_bytes,
		.bytes = ring_bytes,
		.tail = into->control->tail,
	};
	stream->nr++;
	return 1;
}

static int map_all(struct stream *stream)
{
	struct tprof_session_info info = { .size = sizeof(info) };
	int err = kmod_call(stream->session_fd, TPROF_IOC_SESSION, &info);

	if (err < 0 || !info.stream_cpus)
		return err;
	stream->data_bytes = stream->page_bytes + info.stream_bytes;
	stream->cpus = calloc(info.stream_cpus, sizeof(*stream->cpus));
	if (!stream->cpus)
		return -ENOMEM;
	for (unsigned int cpu = 0; err >= 0 && stream->nr < info.stream_cpus && cpu < CPU_MAX; cpu++)
		err = map_cpu(stream, cpu, info.stream_bytes);
	return err < 0 ? err : 0;
}

/* The acquire load pairs with the module's release store of head after the record. */
static int look(struct stream *stream)
{
	int err = 0;

	for (size_t i = 0; i < stream->nr; i++) {
		struct cpu_stream *cpu = &stream->cpus[i];

		if (stream_ring_advance(&cpu->ring, __atomic_load_n(&cpu->state->head, __ATOMIC_ACQUIRE)))
			err = -EPROTO;
	}
	return err;
}

/* The release store pairs with the module's acquire load of tail before it overwrites what was read. */
static void give_back(struct cpu_stream *cpu)
{
	__atomic_store_n(&cpu->control->tail, cpu->ring.tail, __ATOMIC_RELEASE);
}

/* Finds the CPU with the oldest next sample; NULL if there is none. */
static struct cpu_stream *oldest(struct stream *stream, const struct tprof_sample **sample, int *err)
{
	struct cpu_stream *found = NULL;
	const struct tprof_sample *next;

	for (size_t i = 0; i < stream->nr; i++) {
		struct cpu_stream *cpu = &stream->cpus[i];

		if (stream_ring_peek(&cpu->ring, &next))
			*err = -EPROTO;
		if (next && (!found || next->time_ns < (*sample)->time_ns)) {
			found = cpu;
			*sample = next;
		}
	}
	return found;
}

int stream_read(struct stream *stream, int (*fn)(void *ctx, const struct tprof_sample *sample), void *ctx)
{
	const struct tprof_sample *sample;
	struct cpu_stream *cpu;
	int nr = 0, stop = 0, err;

	if (!stream->mapped) {
		err = map_all(stream);
		if (err)
			return err;
		stream->mapped = true;
	}
	err = look(stream);
	while (!stop && (cpu = oldest(stream, &sample, &err))) {
		stop = fn(ctx, sample);
		stream_ring_take(&cpu->ring);
		give_back(cpu);
		nr++;
	}
	/* Also releases records that were skipped at the end. */
	for (size_t i = 0; i < stream->nr; i++)
		give_back(&stream->cpus[i]);
	return stop ? stop : err ? err : nr;
}
