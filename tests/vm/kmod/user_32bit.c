// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frame records of 32-bit code have another layout: its user stack has only the address of the sample, and no other
 * word of the stack is taken for a caller.
 *
 * vm: machines=x86-64,next
 */
#include <sys/mman.h>

#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "process.h"

#define ROOM		64	/* bytes for addresses, on the stack of the filter */
#define NO_VERDICT	2
#define NR(array)	(sizeof(array) / sizeof((array)[0]))

/* Returns KEEP for user mode with one frame, an invalid verdict for more frames, DONE for everything else. */
static const struct bpf_insn one_frame[] = {
	{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1 },
	{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = BPF_REG_7, .src_reg = BPF_REG_6,
	  .off = offsetof(struct tprof_sample, flags) },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = TPROF_DONE },
	{ .code = BPF_ALU64 | BPF_AND | BPF_K, .dst_reg = BPF_REG_7, .imm = TPROF_SAMPLE_USER },
	{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_7, .off = 9 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_6 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10 },
	{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -ROOM },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = ROOM },
	CALL_WALK_USER,
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_0 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = NO_VERDICT },
	{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_1, .off = 1, .imm = sizeof(uint64_t) },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = TPROF_KEEP },
	{ .code = BPF_JMP | BPF_EXIT },
};

#if defined(__x86_64__)
/* A child that spins in 32-bit code, with a frame as compilers make it: saved ebp, return address, two arguments. */
static pid_t spin_in_32bit(void)
{
	static const uint8_t jump_to_itself[] = { 0xeb, 0xfe };
	uint8_t *low = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
			    -1, 0);
	uint32_t *frame = (uint32_t *)(low + (1 << 15));
	pid_t pid;

	need(low != MAP_FAILED, "memory below 4 GiB");
	memcpy(low, jump_to_itself, sizeof(jump_to_itself));
	frame[0] = 0;
	frame[1] = (uint32_t)(uintptr_t)low + 16;
	frame[2] = (uint32_t)(uintptr_t)low + 32;
	frame[3] = 0;
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "a child is made");
	if (!pid) {
		/* 0x23 is the code segment selector of 32-bit programs. */
		__asm__ volatile("mov %0, %%rbp\n\tpushq $0x23\n\tpush %1\n\tlretq" : : "r"((uint64_t)(uintptr_t)frame),
				 "r"((uint64_t)(uintptr_t)low));
		__builtin_unreachable();
	}
	return pid;
}
#else
/* On other architectures the test is compiled, but does not run. */
static pid_t spin_in_32bit(void)
{
	return -1;
}
#endif

int main(void)
{
	int session = create_session(open_device());
	int link = attach_filter(session, "one_frame", 0, one_frame, NR(one_frame));
	pid_t child = spin_in_32bit();
	struct tprof_target target = { .size = sizeof(target), .kind = TPROF_TARGET_PROCESS, .id = child };
	struct tprof_ledger_read ledger;
	int tries = 1000;

	need(link >= 0 && add_timer(session, MS) == 0, "a filter, and a timer");
	need(ioctl(session, TPROF_IOC_ATTACH, &target) == 0 && ioctl(session, TPROF_IOC_START) == 0, "it starts");
	do {
		usleep(10000);
		ledger = read_ledger(session, -1);
		/* Without a stream, kept samples are lost. */
	} while (lost(&ledger) < 100 && --tries);
	kill(child, SIGKILL);
	need(waitpid(child, NULL, 0) == child, "the child ends");
	check(ledger.lost[TPROF_LOST_STREAM_FULL].samples > 0, "there are stacks of 32-bit code");
	is(ledger.lost[TPROF_LOST_BAD_VERDICT].samples, 0, "none of them has a caller");
	close(link);
	close(session);
	return done_testing();
}
