// SPDX-License-Identifier: GPL-2.0-only
/*
 * busy_bpf KIND SECONDS: uses BPF nearly all the time.
 *
 *	tracepoint, kprobe, raw_tp	its system calls run a program of that kind, for some microseconds each
 *	map				reads a map with bpf(2)
 *
 * Uses bare system calls, because guests have no libbpf. Exit code 2: the kernel does not support this kind.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NAME "busy_bpf"
#if defined(__x86_64__)
#define SYSCALL_PREFIX "x64"
#else
#define SYSCALL_PREFIX "arm64"
#endif
#define FUNCTION "__" SYSCALL_PREFIX "_sys_getppid"
#define KPROBE_TYPE "/sys/bus/event_source/devices/kprobe/type"
#define TRACEPOINT_ID "/sys/kernel/tracing/events/raw_syscalls/sys_enter/id"

/* 20,000 multiplications; the program returns 0, so that the event is not stored. */
static const struct bpf_insn insns[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 20000 },
	{ .code = BPF_ALU64 | BPF_MUL | BPF_K, .dst_reg = BPF_REG_0, .imm = 3 },
	{ .code = BPF_ALU64 | BPF_SUB | BPF_K, .dst_reg = BPF_REG_1, .imm = 1 },
	{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_1, .off = -3 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static uint64_t address_of(const void *object)
{
	return (uint64_t)(uintptr_t)object;
}

/* Ends this program if @fd is an error. */
static int need(int fd, const char *what)
{
	if (fd >= 0)
		return fd;
	fprintf(stderr, "busy_bpf: %s: %s\n", what, strerror(errno));
	exit(2);
}

static long long now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

static int number_in(const char *path)
{
	FILE *file = fopen(path, "re");
	int number = -1;

	if (file && fscanf(file, "%d", &number) != 1)
		number = -1;
	if (file)
		fclose(file);
	return need(number, path);
}

static int load(enum bpf_prog_type type)
{
	union bpf_attr attr = {
		.prog_type = type,
		.insns = address_of(insns),
		.insn_cnt = sizeof(insns) / sizeof(insns[0]),
		.license = address_of("GPL"),
		.prog_name = NAME,
	};

	return need(bpf(BPF_PROG_LOAD, &attr), "BPF_PROG_LOAD");
}

static void attach(struct perf_event_attr *attr, enum bpf_prog_type type)
{
	int program = load(type);
	int event;

	attr->size = sizeof(*attr);
	attr->sample_period = 1;
	event = need((int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC), "perf_event_open");
	need(ioctl(event, PERF_EVENT_IOC_SET_BPF, program), "PERF_EVENT_IOC_SET_BPF");
}

static void start(const char *kind)
{
	struct perf_event_attr event = { 0 };
	union bpf_attr open = { 0 };

	if (strcmp(kind, "tracepoint") == 0) {
		event.type = PERF_TYPE_TRACEPOINT;
		event.config = (uint64_t)number_in(TRACEPOINT_ID);
		attach(&event, BPF_PROG_TYPE_TRACEPOINT);
	} else if (strcmp(kind, "kprobe") == 0) {
		event.type = (uint32_t)number_in(KPROBE_TYPE);
		event.kprobe_func = address_of(FUNCTION);
		attach(&event, BPF_PROG_TYPE_KPROBE);
	} else if (strcmp(kind, "raw_tp") == 0) {
		open.raw_tracepoint.name = address_of("sys_enter");
		open.raw_tracepoint.prog_fd = (uint32_t)load(BPF_PROG_TYPE_RAW_TRACEPOINT);
		need(bpf(BPF_RAW_TRACEPOINT_OPEN, &open), "BPF_RAW_TRACEPOINT_OPEN");
	} else {
		errno = EINVAL;
		need(-1, kind);
	}
}

/* Reads a map with many empty buckets, over which the kernel iterates in one call. */
static void read_map(long long end_ms)
{
	static uint32_t keys[64], values[64];
	union bpf_attr create = { .map_type = BPF_MAP_TYPE_HASH, .key_size = 4, .value_size = 4, .map_name = NAME,
				  .max_entries = 100000 };
	int map = need(bpf(BPF_MAP_CREATE, &create), "BPF_MAP_CREATE");

	while (now_ms() < end_ms) {
		uint32_t cursor;
		union bpf_attr read = { .batch = { .map_fd = (uint32_t)map, .keys = address_of(keys),
						   .values = address_of(values), .count = 64,
						   .out_batch = address_of(&cursor) } };

		bpf(BPF_MAP_LOOKUP_BATCH, &read);
	}
}

int main(int argc, char **argv)
{
	long long end_ms;

	if (argc != 3)
		return 2;
	end_ms = now_ms() + atoll(argv[2]) * 1000;
	if (strcmp(argv[1], "map") == 0) {
		read_map(end_ms);
		return 0;
	}
	start(argv[1]);
	while (now_ms() < end_ms) {
		for (int i = 0; i < 100; i++)
			syscall(SYS_getppid);
	}
	return 0;
}
