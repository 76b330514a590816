// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples whose address was recorded before the interrupt: the address, the mode and the leaf of call stacks are those
 * of the record, and callers are unwound from the interrupt, behind a mark. The same for the events of perf with
 * precise_ip, in a real NMI where the machine has one, and for a source that passes both.
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"
#include "samples.h"
#include "source.h"

#define ROOM	16
#define NR	5

enum { KERNEL_STACK, USER_STACK };

static int device, frames_map;

/* The filter keeps the sample, and its last call stack in the map. */
static int attach(int session, int which)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_1 },
		ADDRESS_OF_COUNTER(BPF_REG_2, frames_map),
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = ROOM * sizeof(uint64_t) },
		CALL_WALK(which),
		ANSWER(TPROF_KEEP),
	};
	int link = attach_filter(session, "walk", which == USER_STACK ? TPROF_FILTER_USER_STACK :
				 TPROF_FILTER_KERNEL_STACK, insns, sizeof(insns) / sizeof(insns[0]));

	need(link >= 0, "the filter is attached");
	return link;
}

struct seen {
	struct tprof_sample last;
	unsigned int nr;
	uint64_t frames[ROOM];
	uint64_t recorded, interrupted;		/* of the last sample */
};

static void look(const struct tprof_sample *sample, void *ctx)
{
	struct seen *seen = ctx;

	seen->last = *sample;
	seen->nr++;
}

static int add(int session, bool perf)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .precise_ip = 2 };
	struct tprof_event event = {
		.size = sizeof(event), .source = "perf", .attr = (uintptr_t)&attr, .attr_size = sizeof(attr),
		.period = 1,
	};

	if (!perf)
		return add_source(session, "precise", NULL, 1);
	attr.type = (uint32_t)atoi(read_file("/sys/bus/event_source/devices/tprof_precise/type"));
	return ioctl(session, TPROF_IOC_ADD_EVENT, &event);
}

static void set(const char *parameter, const char *value)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/module/tprof_precise/parameters/%s", parameter);
	need(write_file(path, value) == 0, "%s is %s", parameter, value);
}

/* Takes some samples, and returns the last one. */
static struct seen take(bool perf, const char *record, int which)
{
	int session = create_session(device), link;
	uint64_t none[ROOM] = { 0 };
	struct tprof_ledger_read ledger;
	struct seen seen = { 0 };
	FILE *file;

	set("record", record);
	set_value(frames_map, none);
	need(session >= 0 && configure_on_cpu(session, 0, 65536) == 0 && add(session, perf) == 0, "a session");
	link = attach(session, which);
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	need(write_parameter("tprof_precise", "fire", NR), "samples fire");
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	is(read_samples(session, look, &seen), NR, "%s: all samples", record);
	ledger = read_ledger(session, -1);
	is(ledger.outcomes[TPROF_OUTCOME_KEPT].samples, NR, "%s: all are in the ledger", record);
	check(closes(&ledger), "%s: it closes", record);
	read_value(frames_map, seen.frames);
	file = open_parameter("tprof_precise", "recorded", "r");
	need(fscanf(file, "%lx %lx", (unsigned long *)&seen.recorded, (unsigned long *)&seen.interrupted) == 2,
	     "the addresses are read");
	fclose(file);
	close(link);
	close(session);
	return seen;
}

#define MODE(seen)	((seen).last.flags & (TPROF_SAMPLE_USER | TPROF_SAMPLE_KERNEL))

static unsigned int count(const struct seen *seen)
{
	unsigned int nr = 0;

	while (nr < ROOM && seen->frames[nr])
		nr++;
	return nr;
}

/* Kernel and kernel: the record, the mark, the interrupted address, its callers. */
static void in_kernel(bool perf, const char *record)
{
	struct seen seen = take(perf, record, KERNEL_STACK);

	is(MODE(seen), TPROF_SAMPLE_KERNEL, "%s: in the kernel", record);
	is(seen.last.ip, seen.recorded, "%s: the address is the record's", record);
	is(seen.frames[0], seen.recorded, "%s: so is the leaf", record);
	is(seen.frames[1], TPROF_FRAME_SKID, "%s: the mark", record);
	is(seen.frames[2], seen.interrupted, "%s: the stack of the interrupt", record);
	check(count(&seen) > 6 && (int64_t)seen.frames[5] < 0, "%s: its callers", record);
}

static void equal(bool perf)
{
	struct seen seen = take(perf, "interrupted", KERNEL_STACK);

	is(seen.frames[0], seen.interrupted, "equal addresses: the leaf");
	check(seen.frames[1] != TPROF_FRAME_SKID && count(&seen) > 4, "equal addresses: callers, without a mark");
}

/* The record is of user mode, the interrupt came in the kernel. */
static void entered_kernel(bool perf)
{
	struct seen seen = take(perf, "user", KERNEL_STACK);

	is(MODE(seen), TPROF_SAMPLE_USER, "user: in user mode");
	is(seen.last.ip, seen.recorded, "user: the address is the record's");
	is(count(&seen), 0, "user: it has no kernel stack");
	seen = take(perf, "user", USER_STACK);
	is(seen.frames[0], seen.recorded, "user: the leaf of the user stack is the record's");
	check((int64_t)seen.frames[1] >= 0, "user: callers without a mark: the system call is at that address");
}

static void test(bool perf)
{
	diag(perf ? "events of perf" : "the source");
	equal(perf);
	in_kernel(perf, "kernel");
	in_kernel(perf, "function");
	entered_kernel(perf);
}

/* The record is of the kernel, and its interrupt came in user mode: the kernel stack is gone. */
static void left_kernel(void)
{
	struct seen seen;

	set("regs", "user");
	seen = take(false, "kernel", KERNEL_STACK);
	is(MODE(seen), TPROF_SAMPLE_KERNEL, "left: in the kernel");
	is(seen.frames[0], seen.recorded, "left: the leaf");
	is(seen.frames[1], TPROF_FRAME_CUT, "left: the callers are unknown");
	is(seen.frames[2], 0, "left: and nothing else");
	seen = take(false, "kernel", USER_STACK);
	is(seen.frames[0], seen.interrupted, "left: the user stack begins at the interrupt");
}

static void without_registers(void)
{
	struct seen seen;

	set("regs", "none");
	seen = take(false, "kernel", KERNEL_STACK);
	is(MODE(seen), TPROF_SAMPLE_KERNEL, "no registers: in the kernel");
	is(seen.last.ip, seen.recorded, "no registers: the address is known");
	is(seen.frames[0], 0, "no registers: the stack is not");
	seen = take(false, "user", USER_STACK);
	is(MODE(seen), TPROF_SAMPLE_USER, "no registers: in user mode");
	is(seen.frames[0], seen.recorded, "no registers: the user stack is known");
}

int main(void)
{
	device = open_device();
	pin(0);
	need(load_source("tprof_precise", "") == 0, "the source is there");
	frames_map = new_value(ROOM * sizeof(uint64_t));
	test(false);
	test(true);
	left_kernel();
	without_registers();
	is(unload_source("tprof_precise"), 0, "the source goes");
	return done_testing();
}
