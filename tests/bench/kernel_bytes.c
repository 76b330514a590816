// SPDX-License-Identifier: GPL-2.0-only
/*
 * A library to preload into a profiler: adds up the data about samples that it reads from the kernel. At its end,
 * writes two sums to the file $KERNEL_BYTES: keys and values from BPF maps, and data from perf events (records in their
 * rings, reads of counters). Files in /proc do not count, because every profiler reads them.
 */
#include <dlfcn.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_RINGS 1024

struct ring {
	struct perf_event_mmap_page *page;
	uint64_t start;		/* position when it was mapped */
};

static uint64_t from_maps, from_events;
static struct ring rings[MAX_RINGS];

static int is_perf_event(int fd)
{
	char path[32], target[32] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, target, sizeof(target) - 1) > 0 && !strcmp(target, "anon_inode:[perf_event]");
}

/* Per-CPU maps return one value for each CPU, rounded up to 8 bytes. */
static void add_map(int fd, uint64_t nr, int with_keys)
{
	struct bpf_map_info info = { 0 };
	union bpf_attr attr = { .info = { .bpf_fd = (uint32_t)fd, .info_len = sizeof(info) } };
	uint64_t value;

	attr.info.info = (uintptr_t)&info;
	if (syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)))
		return;
	value = info.value_size;
	if (info.type == BPF_MAP_TYPE_PERCPU_ARRAY || info.type == BPF_MAP_TYPE_PERCPU_HASH)
		value = (value + 7) / 8 * 8 * (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
	from_maps += nr * (value + (with_keys ? info.key_size : 0));
}

/* tprof reads its tables with a BPF program that moves entries into a mapped array (table_drain.c). */
static void add_drained(long command, const union bpf_attr *attr, long result)
{
	static uint64_t entry_bytes;

	if (command == BPF_MAP_CREATE && !strcmp(attr->map_name, "tprof_drained"))
		entry_bytes = attr->value_size;
	else if (command == BPF_PROG_TEST_RUN && result == 0)
		from_maps += (attr->test.retval & ((1U << 30) - 1)) * entry_bytes;
}

static void add_bpf(long command, const union bpf_attr *attr, long result)
{
	add_drained(command, attr, result);
	/* The batch with the last entries fails with ENOENT, but has returned them. */
	if (command == BPF_MAP_LOOKUP_BATCH || command == BPF_MAP_LOOKUP_AND_DELETE_BATCH)
		add_map((int)attr->batch.map_fd, attr->batch.count, 1);
	else if (result == 0 && (command == BPF_MAP_LOOKUP_ELEM || command == BPF_MAP_LOOKUP_AND_DELETE_ELEM))
		add_map((int)attr->map_fd, 1, 0);
	else if (result == 0 && command == BPF_MAP_GET_NEXT_KEY)
		add_map((int)attr->map_fd, 0, 1);
}

/* libbpf makes all its system calls through this function. */
long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long a[6], result;
	va_list args;

	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (number == SYS_bpf && a[0] != BPF_OBJ_GET_INFO_BY_FD)
		add_bpf(a[0], (const union bpf_attr *)a[1], result);
	return result;
}

ssize_t read(int fd, void *buffer, size_t bytes)
{
	static ssize_t (*real)(int, void *, size_t);
	ssize_t got;

	if (!real)
		real = (ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	got = real(fd, buffer, bytes);
	if (got > 0 && is_perf_event(fd))
		from_events += (uint64_t)got;
	return got;
}

void *mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	static void *(*real)(void *, size_t, int, int, int, off_t);
	void *page;

	if (!real)
		real = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
	page = real(where, bytes, protection, flags, fd, offset);
	if (page == MAP_FAILED || fd < 0 || offset || !is_perf_event(fd))
		return page;
	for (int i = 0; i < MAX_RINGS; i++) {
		if (!rings[i].page) {
			rings[i] = (struct ring){ page, ((struct perf_event_mmap_page *)page)->data_head };
			break;
		}
	}
	return page;
}

void *mmap64(void *where, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	return mmap(where, bytes, protection, flags, fd, offset);
}

static void add_ring(struct ring *ring)
{
	from_events += ring->page->data_head - ring->start;
	ring->page = NULL;
}

int munmap(void *page, size_t bytes)
{
	static int (*real)(void *, size_t);

	if (!real)
		real = (int (*)(void *, size_t))dlsym(RTLD_NEXT, "munmap");
	for (int i = 0; i < MAX_RINGS; i++) {
		if (page && rings[i].page == page)
			add_ring(&rings[i]);
	}
	return real(page, bytes);
}

__attribute__((destructor)) static void report(void)
{
	const char *path = getenv("KERNEL_BYTES");
	FILE *out = path ? fopen(path, "w") : NULL;

	for (int i = 0; i < MAX_RINGS; i++) {
		if (rings[i].page)
			add_ring(&rings[i]);
	}
	if (!out)
		return;
	fprintf(out, "%llu %llu\n", (unsigned long long)from_maps, (unsigned long long)from_events);
	fclose(out);
}
