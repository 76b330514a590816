// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Assembles the programs. In C, the program at a context switch is
 *
 *	last = bpf_map_lookup_elem(&last_readings, &cpu);
 *	for (event = 0; event < nr_events; event++) {
 *		bpf_perf_event_read_value(&counters, event * nr_cpus + cpu, &now, sizeof(now));
 *		delta[event] = now - last[event];
 *		last[event] = now;
 *	}
 *	if (!in_scope())
 *		return 0;
 *	value = bpf_map_lookup_elem(&units, &key);	// which is inserted if it is new
 *	for (event = 0; event < nr_events; event++)
 *		value->readings[event] += delta[event];	// atomically
 *
 * The task that leaves the CPU is still the current one. Context switches are not read from their counter, because the
 * kernel counts a switch after this program has run: they are counted here, while the counter is enabled.
 */
#include "switch_program.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bpf_insn.h"

/* Offsets in the stack. */
enum { KEY = -8, TGID = -16, NOW = -40, INDEX = -44, ONE = -45 };

/* Registers that calls preserve. */
#define REG_CPU		BPF_REG_6
#define REG_VALUE	BPF_REG_7
#define REG_DELTA	BPF_REG_8
#define REG_LAST	BPF_REG_9

struct assembly {
	const struct switch_plan *plan;
	struct bpf_insn *insns;
	size_t nr, capacity;
	bool failed;
};

static void emit(struct assembly *to, struct bpf_insn insn)
{
	struct bpf_insn *insns = array_grow(to->insns, to->nr, &to->capacity, sizeof(*insns));

	to->failed |= !insns;
	if (!insns)
		return;
	to->insns = insns;
	insns[to->nr++] = insn;
}

static void emit_map(struct assembly *to, int reg, int fd)
{
	const struct bpf_insn pair[] = { BPF_LD_MAP_FD(reg, fd) };

	emit(to, pair[0]);
	emit(to, pair[1]);
}

/* A jump whose target is set by land(). Returns its place. */
static size_t jump(struct assembly *to, struct bpf_insn insn)
{
	emit(to, insn);
	return to->nr - 1;
}

static void land(struct assembly *to, size_t from)
{
	if (!to->failed)
		to->insns[from].off = (int16_t)(to->nr - from - 1);
}

/* r0 = bpf_map_lookup_elem(fd, frame pointer + at) */
static void emit_lookup(struct assembly *to, int fd, int at)
{
	emit_map(to, BPF_REG_1, fd);
	emit(to, BPF_MOV64_REG(BPF_REG_2, BPF_REG_FP));
	emit(to, BPF_ALU64_IMM(BPF_ADD, BPF_REG_2, at));
	emit(to, BPF_EMIT_CALL(BPF_FUNC_map_lookup_elem));
}

static void emit_return(struct assembly *to)
{
	emit(to, BPF_MOV64_IMM(BPF_REG_0, 0));
	emit(to, BPF_EXIT_INSN());
}

/* Returns from the program if r0 is NULL. */
static void emit_return_if_null(struct assembly *to)
{
	size_t past = jump(to, BPF_JMP_IMM(BPF_JNE, BPF_REG_0, 0, 0));

	emit_return(to);
	land(to, past);
}

static int reading_at(size_t event, size_t word)
{
	return (int)(event * sizeof(struct switch_reading) + word * sizeof(uint64_t));
}

#define WORDS (sizeof(struct switch_reading) / sizeof(uint64_t))
enum { RAW, ENABLED, RUNNING };

/* The delta of context switches: one while the counter runs. */
static void emit_switch_delta(struct assembly *to, size_t event, enum switch_kind kind)
{
	size_t past;

	emit(to, BPF_ST_MEM(BPF_DW, REG_DELTA, reading_at(event, RAW), 0));
	if (kind != SWITCH_PROGRAM)
		return;
	emit(to, BPF_LDX_MEM(BPF_DW, BPF_REG_1, REG_DELTA, reading_at(event, RUNNING)));
	past = jump(to, BPF_JMP_IMM(BPF_JEQ, BPF_REG_1, 0, 0));
	emit(to, BPF_ST_MEM(BPF_DW, REG_DELTA, reading_at(event, RAW), 1));
	land(to, past);
}

static void emit_delta(struct assembly *to, size_t event, enum switch_kind kind)
{
	size_t failed, past;

	emit_map(to, BPF_REG_1, to->plan->counters_fd);
	emit(to, BPF_MOV64_REG(BPF_REG_2, REG_CPU));
	emit(to, BPF_ALU64_IMM(BPF_ADD, BPF_REG_2, (int)(event * to->plan->nr_cpus)));
	emit(to, BPF_MOV64_REG(BPF_REG_3, BPF_REG_FP));
	emit(to, BPF_ALU64_IMM(BPF_ADD, BPF_REG_3, NOW));
	emit(to, BPF_MOV64_IMM(BPF_REG_4, sizeof(struct switch_reading)));
	emit(to, BPF_EMIT_CALL(BPF_FUNC_perf_event_read_value));
	failed = jump(to, BPF_JMP_IMM(BPF_JNE, BPF_REG_0, 0, 0));
	for (size_t word = 0; word < WORDS; word++) {
		int at = reading_at(event, word);

		emit(to, BPF_LDX_MEM(BPF_DW, BPF_REG_1, BPF_REG_FP, NOW + (int)(word * sizeof(uint64_t))));
		emit(to, BPF_LDX_MEM(BPF_DW, BPF_REG_2, REG_LAST, at));
		emit(to, BPF_STX_MEM(BPF_DW, REG_LAST, BPF_REG_1, at));
		emit(to, BPF_ALU64_REG(BPF_SUB, BPF_REG_1, BPF_REG_2));
		emit(to, BPF_STX_MEM(BPF_DW, REG_DELTA, BPF_REG_1, at));
	}
	if (to->plan->is_switches[event])
		emit_switch_delta(to, event, kind);
	past = jump(to, BPF_JMP_A(0));
	land(to, failed);
	for (size_t word = 0; word < WORDS; word++)
		emit(to, BPF_ST_MEM(BPF_DW, REG_DELTA, reading_at(event, word), 0));
	land(to, past);
}

static void emit_deltas(struct assembly *to, enum switch_kind kind)
{
	emit(to, BPF_EMIT_CALL(BPF_FUNC_get_smp_processor_id));
	emit(to, BPF_MOV64_REG(REG_CPU, BPF_REG_0));
	emit(to, BPF_STX_MEM(BPF_W, BPF_REG_FP, REG_CPU, INDEX));
	emit_lookup(to, to->plan->last_fd, INDEX);
	emit_return_if_null(to);
	emit(to, BPF_MOV64_REG(REG_LAST, BPF_REG_0));
	emit(to, BPF_ST_MEM(BPF_W, BPF_REG_FP, INDEX, 0));
	emit_lookup(to, to->plan->delta_fd, INDEX);
	emit_return_if_null(to);
	emit(to, BPF_MOV64_REG(REG_DELTA, BPF_REG_0));
	for (size_t event = 0; event < to->plan->nr_events; event++)
		if (to->plan->counted[event])
			emit_delta(to, event, kind);
}

/* r0 = the value of the unit of KEY; a new unit is inserted, and if the table is full, it is that of the others. */
static void emit_find_unit(struct assembly *to)
{
	size_t found, inserted;

	emit_lookup(to, to->plan->units_fd, KEY);
	found = jump(to, BPF_JMP_IMM(BPF_JNE, BPF_REG_0, 0, 0));
	emit(to, BPF_ST_MEM(BPF_W, BPF_REG_FP, INDEX, 0));
	emit_lookup(to, to->plan->empty_fd, INDEX);
	emit_return_if_null(to);
	emit(to, BPF_MOV64_REG(BPF_REG_3, BPF_REG_0));
	emit_map(to, BPF_REG_1, to->plan->units_fd);
	emit(to, BPF_MOV64_REG(BPF_REG_2, BPF_REG_FP));
	emit(to, BPF_ALU64_IMM(BPF_ADD, BPF_REG_2, KEY));
	emit(to, BPF_MOV64_IMM(BPF_REG_4, BPF_NOEXIST));
	emit(to, BPF_EMIT_CALL(BPF_FUNC_map_update_elem));
	emit_lookup(to, to->plan->units_fd, KEY);
	inserted = jump(to, BPF_JMP_IMM(BPF_JNE, BPF_REG_0, 0, 0));
	emit_lookup(to, to->plan->others_fd, INDEX);
	emit_return_if_null(to);
	land(to, found);
	land(to, inserted);
}

/* Thread and process of the unit, and its name: that of a process is the name of its first thread. */
static void emit_identity(struct assembly *to)
{
	size_t first = 0, past = 0;

	emit(to, BPF_EMIT_CALL(BPF_FUNC_get_current_pid_tgid));
	emit(to, BPF_MOV64_REG(BPF_REG_1, BPF_REG_0));
	emit(to, BPF_ALU64_IMM(BPF_RSH, BPF_REG_1, 32));
	emit(to, BPF_STX_MEM(BPF_W, REG_VALUE, BPF_REG_1, offsetof(struct switch_value, tgid)));
	emit(to, BPF_STX_MEM(BPF_W, REG_VALUE, BPF_REG_0, offsetof(struct switch_value, tid)));
	if (to->plan->per == TPROF_PER_PROCESS) {
		emit(to, BPF_ALU64_IMM(BPF_LSH, BPF_REG_0, 32));
		emit(to, BPF_ALU64_IMM(BPF_RSH, BPF_REG_0, 32));
		first = jump(to, BPF_RAW_INSN(BPF_JMP | BPF_JEQ | BPF_X, BPF_REG_0, BPF_REG_1, 0, 0));
		emit(to, BPF_LDX_MEM(BPF_B, BPF_REG_1, REG_VALUE, offsetof(struct switch_value, comm)));
		past = jump(to, BPF_JMP_IMM(BPF_JNE, BPF_REG_1, 0, 0));
		land(to, first);
	}
	emit(to, BPF_MOV64_REG(BPF_REG_1, REG_VALUE));
	emit(to, BPF_ALU64_IMM(BPF_ADD, BPF_REG_1, offsetof(struct switch_value, comm)));
	emit(to, BPF_MOV64_IMM(BPF_REG_2, sizeof(((struct switch_value *)NULL)->comm)));
	emit(to, BPF_EMIT_CALL(BPF_FUNC_get_current_comm));
	if (past)
		land(to, past);
}

/* Adds the deltas to the unit of KEY. */
static void emit_add(struct assembly *to)
{
	const struct switch_plan *plan = to->plan;

	emit_find_unit(to);
	emit(to, BPF_MOV64_REG(REG_VALUE, BPF_REG_0));
	if (plan->per == TPROF_PER_PROCESS || plan->per == TPROF_PER_THREAD)
		emit_identity(to);
	for (size_t event = 0; event < plan->nr_events; event++) {
		if (!plan->counted[event])
			continue;
		for (size_t word = 0; word < WORDS; word++) {
			int at = reading_at(event, word);

			emit(to, BPF_LDX_MEM(BPF_DW, BPF_REG_1, REG_DELTA, at));
			emit(to, BPF_RAW_INSN(BPF_STX | BPF_ATOMIC | BPF_DW, REG_VALUE, BPF_REG_1,
					      (int)offsetof(struct switch_value, readings) + at, BPF_ADD));
		}
	}
}

/* Stores the unit of the current task in KEY. */
static void emit_key(struct assembly *to)
{
	switch (to->plan->per) {
	case TPROF_PER_TOTAL:
		emit(to, BPF_MOV64_IMM(BPF_REG_0, 0));
		break;
	case TPROF_PER_CPU:
		emit(to, BPF_MOV64_REG(BPF_REG_0, REG_CPU));
		break;
	case TPROF_PER_THREAD:
		emit(to, BPF_EMIT_CALL(BPF_FUNC_get_current_pid_tgid));
		emit(to, BPF_ALU64_IMM(BPF_LSH, BPF_REG_0, 32));
		emit(to, BPF_ALU64_IMM(BPF_RSH, BPF_REG_0, 32));
		break;
	case TPROF_PER_PROCESS:
		emit(to, BPF_EMIT_CALL(BPF_FUNC_get_current_pid_tgid));
		emit(to, BPF_ALU64_IMM(BPF_RSH, BPF_REG_0, 32));
		break;
	case TPROF_PER_CGROUP:
		emit(to, BPF_EMIT_CALL(BPF_FUNC_get_current_cgroup_id));
		break;
	}
	emit(to, BPF_STX_MEM(BPF_DW, BPF_REG_FP, BPF_REG_0, KEY));
}

/* TGID = the process of the current task. */
static void emit_tgid(struct assembly *to)
{
	emit(to, BPF_EMIT_CALL(BPF_FUNC_get_current_pid_tgid));
	emit(to, BPF_ALU64_IMM(BPF_RSH, BPF_REG_0, 32));
	emit(to, BPF_STX_MEM(BPF_DW, BPF_REG_FP, BPF_REG_0, TGID));
}

/*
 * For each level of cgroups in scope, looks up the ancestor at this level of the cgroup of the task. Per cgroup, each
 * that is in scope is counted; otherwise the task is counted once.
 */
static void emit_cgroups(struct assembly *to)
{
	const struct switch_plan *plan = to->plan;

	for (size_t i = 0; i < plan->nr_levels; i++) {
		size_t past;

		emit(to, BPF_MOV64_IMM(BPF_REG_1, (int)plan->levels[i]));
		emit(to, BPF_EMIT_CALL(BPF_FUNC_get_current_ancestor_cgroup_id));
		emit(to, BPF_STX_MEM(BPF_DW, BPF_REG_FP, BPF_REG_0, KEY));
		emit_lookup(to, plan->scope_fd, KEY);
		past = jump(to, BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 0, 0));
		if (plan->per != TPROF_PER_CGROUP)
			emit_key(to);
		emit_add(to);
		if (plan->per != TPROF_PER_CGROUP)
			emit_return(to);
		land(to, past);
	}
}

static void emit_count(struct assembly *to, enum switch_kind kind)
{
	emit_deltas(to, kind);
	if (to->plan->has_cgroups) {
		emit_cgroups(to);
		return;
	}
	if (to->plan->has_tree) {
		emit_tgid(to);
		emit_lookup(to, to->plan->scope_fd, TGID);
		emit_return_if_null(to);
	}
	emit_key(to);
	emit_add(to);
}

/* Adds the process in KEY to the scope. */
static void emit_enter(struct assembly *to)
{
	emit(to, BPF_ST_MEM(BPF_B, BPF_REG_FP, ONE, 1));
	emit_map(to, BPF_REG_1, to->plan->scope_fd);
	emit(to, BPF_MOV64_REG(BPF_REG_2, BPF_REG_FP));
	emit(to, BPF_ALU64_IMM(BPF_ADD, BPF_REG_2, KEY));
	emit(to, BPF_MOV64_REG(BPF_REG_3, BPF_REG_FP));
	emit(to, BPF_ALU64_IMM(BPF_ADD, BPF_REG_3, ONE));
	emit(to, BPF_MOV64_IMM(BPF_REG_4, BPF_ANY));
	emit(to, BPF_EMIT_CALL(BPF_FUNC_map_update_elem));
}

/* Removes the process in KEY from the scope. */
static void emit_leave(struct assembly *to)
{
	emit_map(to, BPF_REG_1, to->plan->scope_fd);
	emit(to, BPF_MOV64_REG(BPF_REG_2, BPF_REG_FP));
	emit(to, BPF_ALU64_IMM(BPF_ADD, BPF_REG_2, KEY));
	emit(to, BPF_EMIT_CALL(BPF_FUNC_map_delete_elem));
}

/* r7 = a 32-bit member of the task in r6, which is also stored in KEY. */
static void emit_member(struct assembly *to, uint32_t offset)
{
	emit(to, BPF_MOV64_REG(BPF_REG_1, BPF_REG_FP));
	emit(to, BPF_ALU64_IMM(BPF_ADD, BPF_REG_1, INDEX));
	emit(to, BPF_MOV64_IMM(BPF_REG_2, sizeof(uint32_t)));
	emit(to, BPF_MOV64_REG(BPF_REG_3, BPF_REG_6));
	emit(to, BPF_ALU64_IMM(BPF_ADD, BPF_REG_3, (int)offset));
	emit(to, BPF_EMIT_CALL(BPF_FUNC_probe_read_kernel));
	emit(to, BPF_LDX_MEM(BPF_W, BPF_REG_7, BPF_REG_FP, INDEX));
	emit(to, BPF_STX_MEM(BPF_DW, BPF_REG_FP, BPF_REG_7, KEY));
}

/*
 * At sched_process_fork; its second argument is the child. Every process begins here, so one that has the id of a
 * process that was in scope leaves it again.
 */
static void emit_fork(struct assembly *to)
{
	size_t past;

	emit(to, BPF_LDX_MEM(BPF_DW, BPF_REG_6, BPF_REG_1, sizeof(uint64_t)));
	emit_member(to, to->plan->task_tgid);
	emit_tgid(to);
	/* A thread is in scope with its process. */
	past = jump(to, BPF_RAW_INSN(BPF_JMP | BPF_JNE | BPF_X, BPF_REG_0, BPF_REG_7, 0, 0));
	emit_return(to);
	land(to, past);
	emit_lookup(to, to->plan->scope_fd, TGID);
	past = jump(to, BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 0, 0));
	emit_enter(to);
	emit_return(to);
	land(to, past);
	emit_leave(to);
}

/* At sched_process_free, for the first thread of a process, which is freed last. */
static void emit_free(struct assembly *to)
{
	size_t past;

	emit(to, BPF_LDX_MEM(BPF_DW, BPF_REG_6, BPF_REG_1, 0));
	emit_member(to, to->plan->task_pid);
	emit(to, BPF_MOV64_REG(BPF_REG_8, BPF_REG_7));
	emit_member(to, to->plan->task_tgid);
	past = jump(to, BPF_RAW_INSN(BPF_JMP | BPF_JNE | BPF_X, BPF_REG_8, BPF_REG_7, 0, 0));
	emit_leave(to);
	land(to, past);
}

/* At sched_process_exec. What was counted since the last switch belongs to the time before. */
static void emit_exec(struct assembly *to)
{
	size_t past;

	emit_tgid(to);
	past = jump(to, BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, (int)to->plan->exec_tgid, 0));
	emit_return(to);
	land(to, past);
	emit_lookup(to, to->plan->scope_fd, TGID);
	past = jump(to, BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 0, 0));
	emit_return(to);
	land(to, past);
	emit_deltas(to, SWITCH_EXEC);
	emit_tgid(to);
	emit(to, BPF_STX_MEM(BPF_DW, BPF_REG_FP, BPF_REG_0, KEY));
	emit_enter(to);
}

struct bpf_insn *switch_program(const struct switch_plan *plan, enum switch_kind kind, size_t *nr)
{
	struct assembly to = { .plan = plan };

	if (kind == SWITCH_FORK)
		emit_fork(&to);
	else if (kind == SWITCH_FREE)
		emit_free(&to);
	else if (kind == SWITCH_EXEC)
		emit_exec(&to);
	else
		emit_count(&to, kind);
	emit_return(&to);
	if (to.failed) {
		free(to.insns);
		return NULL;
	}
	*nr = to.nr;
	return to.insns;
}
