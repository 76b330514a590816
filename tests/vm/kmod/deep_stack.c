// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program cannot hold off interrupts by its stack: a filter that walks a stack of 8,000 frame records takes about as
 * long as for a stack that it keeps as a whole, wherever the records are. Of the deep stack the leaf's end is kept, and
 * the root's end if that is near; the cut is marked. So is the end of a stack whose next page is not present. A filter
 * with more room gets TPROF_STACK_MAX_FRAMES.
 *
 * vm: seconds=120
 */
#include <sys/mman.h>

#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"

#define PAGE		4096
#define ROOM		127
#define WHOLE		(ROOM - 1)	/* records of a stack that just fits: the leaf is not from a record */
#define DEEP		8000
#define MUCH		8192
#define PRESENT		10
#define ADDRESS(record)	(0x400000ULL + (record))
#define NR_CALLS	300

static int frames_map;			/* one stack, where the filter walks to */
static uint32_t room = ROOM;		/* frames that it has room for */
static uint32_t kept = ROOM;		/* and that it gets of a deep stack */

/* The filter: DONE if it gets these frames, else no verdict. */
static int attach(int session)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_1 },
		ADDRESS_OF_COUNTER(BPF_REG_2, frames_map),
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3,
		  .imm = (int32_t)(room * sizeof(uint64_t)) },
		CALL_WALK_USER,
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = TPROF_DONE },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_1, .off = 1,
		  .imm = (int32_t)(kept * sizeof(uint64_t)) },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 2 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int link = attach_filter(session, "walk", TPROF_FILTER_USER_STACK, insns, sizeof(insns) / sizeof(insns[0]));

	need(link >= 0, "the filter is attached");
	return link;
}

/* Frame records in memory that is there, which the child does not have to touch. */
static char *make_records(uint32_t nr, uint32_t apart)
{
	size_t size = (size_t)nr * apart + PAGE;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(memory != MAP_FAILED && small_pages(memory, size), "memory for frame records");
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t *record = (uint64_t *)(memory + (size_t)i * apart);

		record[0] = i + 1 < nr ? (uintptr_t)record + apart : 0;
		record[1] = ADDRESS(i);
	}
	return memory;
}

/* A child that spins with its frame pointer at the first record; a part of its memory is not present. */
static pid_t spin_with(char *records, char *absent, size_t absent_size)
{
	volatile int *spins = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	need(spins != MAP_FAILED, "memory to share");
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "a child is made");
	if (!pid) {
		pin(1);
		become_nobody(0);
		if (absent_size && madvise(absent, absent_size, MADV_DONTNEED))
			_exit(1);
		*spins = 1;
#if defined(__x86_64__)
		__asm__ volatile("mov %0, %%rbp\n1: jmp 1b" : : "r"(records));
#elif defined(__aarch64__)
		__asm__ volatile("mov x29, %0\n1: b 1b" : : "r"(records));
#endif
		__builtin_unreachable();
	}
	while (!*spins)
		usleep(1000);
	/* From the store to the loop */
	usleep(20000);
	munmap((void *)spins, PAGE);
	return pid;
}

/*
 * Returns the nanoseconds of a call of the filter for a stack of @nr records, 0 if it was switched off, and its last
 * frames. Those of the shortest of many intervals: other work of the host only adds to the time. @present: so many of
 * the records are in pages that are present.
 */
static uint64_t walk(int device, const char *what, uint32_t nr, uint32_t present, uint32_t apart, uint64_t *frames)
{
	int session = create_session(device), link = attach(session), tries = 2000;
	char *records = make_records(nr, apart);
	pid_t child = spin_with(records, records + (size_t)present * apart, (size_t)(nr - present) * apart);
	struct tprof_target target = { .size = sizeof(target), .kind = TPROF_TARGET_PROCESS, .id = child };
	struct tprof_filter_info info, last = { 0 };
	uint64_t shortest = UINT64_MAX;

	need(configure_on_cpu(session, 1, 0) == 0 && add_timer(session, 4 * MS) == 0 &&
	     ioctl(session, TPROF_IOC_ATTACH, &target) == 0 && ioctl(session, TPROF_IOC_START) == 0, "it starts");
	do {
		usleep(10000);
		info = read_filter_info(session, 0);
		if (info.calls > last.calls && (info.run_ns - last.run_ns) / (info.calls - last.calls) < shortest)
			shortest = (info.run_ns - last.run_ns) / (info.calls - last.calls);
		last = info;
	} while (info.calls < NR_CALLS && info.state == TPROF_FILTER_ACTIVE && --tries);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	kill(child, SIGKILL);
	need(waitpid(child, NULL, 0) == child, "the child ends");
	read_value(frames_map, frames);
	diag("%s: %llu ns a call, at least %llu ns, at most %llu ns", what,
	     (unsigned long long)(info.run_ns / (info.calls ? info.calls : 1)), (unsigned long long)shortest,
	     (unsigned long long)info.longest_ns);
	if (nr >= WHOLE)
		is(read_ledger(session, -1).lost[TPROF_LOST_BAD_VERDICT].samples, 0, "%s: %u frames", what, kept);
	munmap(records, (size_t)nr * apart + PAGE);
	close(link);
	close(session);
	return info.state == TPROF_FILTER_ACTIVE && info.calls ? shortest : 0;
}

/* @leaf frames from the leaf on, the mark, and then the last frames of a stack of @nr records, if there is room. */
static void has_ends(const char *what, const uint64_t *frames, uint32_t leaf, uint32_t nr)
{
	uint32_t wrong = 0;

	for (uint32_t i = 1; i < leaf; i++)
		wrong += frames[i] != ADDRESS(i - 1);
	for (uint32_t i = leaf + 1; i < ROOM; i++)
		wrong += frames[i] != ADDRESS(nr - ROOM + i);
	is(wrong, 0, "%s: the frames that are kept", what);
	is(frames[leaf], TPROF_FRAME_CUT, "%s: the mark", what);
}

int main(void)
{
	static uint64_t many[MUCH];
	uint64_t frames[ROOM], whole, deep;
	int device = open_device();

	pin(0);
	frames_map = new_value(ROOM * sizeof(uint64_t));
	/* One page more is read; the rest of the factor is for other work of the host. Without a limit it is 63. */
	whole = walk(device, "a page a frame", WHOLE, WHOLE, PAGE, frames);
	deep = walk(device, "deep, a page a frame", DEEP, DEEP, PAGE, frames);
	check(deep && deep < 4 * whole, "deep, a page a frame: takes no longer than what is kept");
	has_ends("deep, a page a frame", frames, ROOM - 1, DEEP);

	/* At most four times as many records, and the leaf's end once more: five times as many instructions. */
	whole = walk(device, "side by side", WHOLE, WHOLE, 16, frames);
	deep = walk(device, "deep, side by side", DEEP, DEEP, 16, frames);
	check(deep && deep < 8 * whole, "deep, side by side: takes little longer than what is kept");
	has_ends("deep, side by side", frames, ROOM - 1, DEEP);

	walk(device, "near", 3 * ROOM, 3 * ROOM, 16, frames);
	has_ends("near", frames, ROOM / 2, 3 * ROOM);

	walk(device, "absent", 2 * PRESENT, PRESENT, PAGE, frames);
	is(frames[PRESENT], ADDRESS(PRESENT - 1), "absent: the frames before");
	is(frames[PRESENT + 1], TPROF_FRAME_CUT, "absent: the mark");

	room = MUCH;
	kept = TPROF_STACK_MAX_FRAMES;
	frames_map = new_value(sizeof(many));
	walk(device, "much room", DEEP, DEEP, 16, many);
	is(many[kept - 1], TPROF_FRAME_CUT, "much room: the mark");
	is(many[kept], 0, "much room: nothing after it");
	return done_testing();
}
