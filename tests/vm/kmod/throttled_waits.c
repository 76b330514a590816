// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits that take too much of a CPU are added up: there are fewer samples, and they weigh as much as the thread waited,
 * by a program of the test at the same tracepoint, except for what the host takes between the two. When the limit is
 * gone, each wait is a sample again, and no time has vanished in between.
 *
 * vm: machines=x86-64,arm64,next seconds=120 not=debug,race
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"

#define PERCENT	"/sys/module/tprof/parameters/cpu_time_max_percent"

/* The waits of the child, as the program at sched_switch measures them. */
struct truth {
	uint64_t from_ns;		/* where a wait began, 0: it runs */
	uint64_t task;			/* its struct task_struct */
	uint64_t waited_ns, waits;	/* that are over */
};

static int session, truth_map;
static pid_t child;

#define LOAD(to, from, at) \
	{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = (to), .src_reg = (from), .off = (at) }
#define STORE(to, at, from) \
	{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = (to), .src_reg = (from), .off = (at) }
#define TRUTH(member)	((int16_t)offsetof(struct truth, member))

/* The arguments of the tracepoint: whether it was preempted, the task that leaves the CPU, and the next one. */
static void measure_child(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_ns },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_7, .src_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_pid_tgid },
		ADDRESS_OF_COUNTER(BPF_REG_8, truth_map),
		{ .code = BPF_JMP32 | BPF_JNE | BPF_K, .dst_reg = BPF_REG_0, .off = 4, .imm = child },
		LOAD(BPF_REG_1, BPF_REG_6, 8),
		STORE(BPF_REG_8, TRUTH(task), BPF_REG_1),
		STORE(BPF_REG_8, TRUTH(from_ns), BPF_REG_7),
		{ .code = BPF_JMP | BPF_JA, .off = 13 },
		LOAD(BPF_REG_1, BPF_REG_6, 16),
		LOAD(BPF_REG_2, BPF_REG_8, TRUTH(task)),
		{ .code = BPF_JMP | BPF_JNE | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_2, .off = 10 },
		LOAD(BPF_REG_2, BPF_REG_8, TRUTH(from_ns)),
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_2, .off = 8 },
		{ .code = BPF_ALU64 | BPF_SUB | BPF_X, .dst_reg = BPF_REG_7, .src_reg = BPF_REG_2 },
		LOAD(BPF_REG_2, BPF_REG_8, TRUTH(waited_ns)),
		{ .code = BPF_ALU64 | BPF_ADD | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_7 },
		STORE(BPF_REG_8, TRUTH(waited_ns), BPF_REG_2),
		LOAD(BPF_REG_2, BPF_REG_8, TRUTH(waits)),
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = 1 },
		STORE(BPF_REG_8, TRUTH(waits), BPF_REG_2),
		{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_8, .off = TRUTH(from_ns) },
		ANSWER(0),
	};
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT, .insn_cnt = sizeof(insns) / sizeof(insns[0]),
		.insns = (uintptr_t)insns, .license = (uintptr_t)"GPL",
	};
	union bpf_attr attach = { .raw_tracepoint = { .name = (uintptr_t)"sched_switch" } };
	int program = (int)filter_bpf(BPF_PROG_LOAD, &load, sizeof(load));

	need(program >= 0, "a program for sched_switch");
	attach.raw_tracepoint.prog_fd = (uint32_t)program;
	need(filter_bpf(BPF_RAW_TRACEPOINT_OPEN, &attach, sizeof(attach)) >= 0, "it is attached");
	close(program);
}

/* The waits of the child so far, by the program, and the ledger of the session. */
struct state {
	struct truth truth;
	struct tprof_ledger_read ledger;
};

static struct state look(void)
{
	const uint64_t cookie = 0;
	struct state s;

	need(ioctl(session, TPROF_IOC_FLUSH, &cookie) == 0, "flush");
	read_value(truth_map, &s.truth);
	s.ledger = read_ledger(session, -1);
	return s;
}

static uint32_t factor(void)
{
	return read_counts(session, 0, -1).period_factor;
}

static double mean_ns;		/* of the samples of the last look_on() */

/* Three seconds. Returns how many waits each sample represents. */
static double look_on(const char *when)
{
	const struct tprof_tally *from, *to;
	struct state before = look(), after;
	uint64_t waited, waits, told, samples;

	sleep(3);
	after = look();
	waited = after.truth.waited_ns - before.truth.waited_ns;
	waits = after.truth.waits - before.truth.waits;
	from = &before.ledger.outcomes[TPROF_OUTCOME_DONE];
	to = &after.ledger.outcomes[TPROF_OUTCOME_DONE];
	told = to->weight - from->weight;
	samples = to->samples - from->samples;
	diag("%s: waited %llu ns, told %llu, %llu waits, %llu samples", when, (unsigned long long)waited,
	     (unsigned long long)told, (unsigned long long)waits, (unsigned long long)samples);
	check(samples > 0 && told > waited - waited / 10 && told < waited + waited / 10,
	      "%s: they weigh as much as it waited", when);
	check(closes(&after.ledger) && !lost(&after.ledger), "%s: the ledger closes, nothing is lost", when);
	mean_ns = (double)told / (double)samples;
	return (double)waits / (double)samples;
}

int main(void)
{
	const struct tprof_event event = { .size = sizeof(event), .source = "off-cpu", .period = 1 };
	struct tprof_target target = { .size = sizeof(target), .kind = TPROF_TARGET_THREAD };
	double waits, least;

	session = create_session(open_device());
	pin(0);
	child = take_turns();
	pin(1);
	target.id = (uint64_t)child;
	truth_map = new_value(sizeof(struct truth));
	measure_child();
	need(ioctl(session, TPROF_IOC_ADD_EVENT, &event) == 0 && ioctl(session, TPROF_IOC_ATTACH, &target) == 0,
	     "a session of the child");
	need(write_file(PERCENT, "1") == 0, "the limit is 1 %%");
	need(ioctl(session, TPROF_IOC_START) == 0, "start");
	/* The factor grows until what is added up is longer than most waits. */
	for (int i = 0; i < 300 && factor() < 256; i++)
		usleep(100000);
	check(factor() > 1, "the waits take more than that: factor %u", factor());
	least = factor();
	waits = look_on("added up");
	/* Waits are added up to the square of the factor, ns, which may be half as large in between. */
	if (factor() < least)
		least = factor();
	check(mean_ns >= least * least / 4, "added up: %.0f ns in a sample, with a factor of %.0f", mean_ns, least);
	/* How many depends on how fast the machine is: it takes so many samples as fit in 1 %. Later it is fewer. */
	check(waits > 1.1, "added up: %.1f waits in a sample", waits);

	need(write_file(PERCENT, "100") == 0, "the limit is gone");
	waits = look_on("while the limit goes");
	for (int i = 0; i < 10 && (!i || waits > 1.1); i++)
		waits = look_on("later");
	check(waits > 0.8 && waits < 1.1, "later: each wait is a sample, %.2f", waits);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "stop");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return done_testing();
}
