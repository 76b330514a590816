// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf_run NAME MILLISECONDS [LOOPS]: loads a BPF program of that name, runs it for that time, and unloads it. With few
 * loops, most of the time is spent in calling it.
 */
#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOPS 1000

/* One multiplication for each loop. */
static struct bpf_insn insns[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = LOOPS },
	{ .code = BPF_ALU64 | BPF_MUL | BPF_K, .dst_reg = BPF_REG_0, .imm = 3 },
	{ .code = BPF_ALU64 | BPF_SUB | BPF_K, .dst_reg = BPF_REG_1, .imm = 1 },
	{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_1, .off = -3, .imm = 0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

static long long now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	char packet[64] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet, .data_size_in = sizeof(packet), .repeat = 1000);
	long long end;
	int fd;

	if (argc < 3 || argc > 4)
		return 2;
	if (argc == 4)
		insns[1].imm = atoi(argv[3]);
	fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, argv[1], "GPL", insns, sizeof(insns) / sizeof(insns[0]), NULL);
	if (fd < 0) {
		perror("bpf_prog_load");
		return 1;
	}
	end = now_ms() + atol(argv[2]);
	while (now_ms() < end) {
		if (bpf_prog_test_run_opts(fd, &run)) {
			perror("bpf_prog_test_run");
			return 1;
		}
	}
	close(fd);
	return 0;
}
