// SPDX-License-Identifier: GPL-2.0-only
/*
 * The helpers and functions of the kernel that filters may call: an allow list, because what a later kernel adds was
 * not examined. docs/filters.md has the same list.
 *
 * A filter runs with interrupts disabled, anywhere in the kernel, and its session may be sealed. So it may not wait for
 * another CPU (bpf_spin_lock; the helpers that print take a lock, and pad numbers to a width of millions), do work
 * whose length it does not state (bpf_for_each_map_elem, bpf_user_ringbuf_drain) or that the verifier has not walked
 * (bpf_loop), leave work that runs after it, outside its budget (bpf_timer, bpf_wq), run a program that can be changed
 * behind a seal (bpf_tail_call), or own objects of the kernel (kptr, storage), whose release may do any of these.
 *
 * The verifier walks every path of a program to its end, each round of a loop too, and gives up after a million
 * instructions. So a call of a filter executes at most as many, of which at most MAX_CALLS are calls of helpers.
 * That does not hold for loops of may_goto, of which the verifier walks a few rounds, and for functions that are not
 * static, which it walks once and not where they are called: these are refused.
 */
#include <linux/bpf_verifier.h>
#include <linux/btf.h>
#include <linux/mutex.h>

#include "filter_calls.h"

/* Each takes about a tenth of a microsecond. A filter makes some tens; the verifier walks all its paths. */
#define MAX_CALLS	8192

static const enum bpf_func_id helpers[] = {
	/* Maps. Those that are not preallocated use an allocator that works in interrupts. */
	BPF_FUNC_map_lookup_elem, BPF_FUNC_map_update_elem, BPF_FUNC_map_delete_elem,
	BPF_FUNC_map_lookup_percpu_elem, BPF_FUNC_map_push_elem, BPF_FUNC_map_pop_elem, BPF_FUNC_map_peek_elem,
	BPF_FUNC_per_cpu_ptr, BPF_FUNC_this_cpu_ptr,
	BPF_FUNC_ringbuf_output, BPF_FUNC_ringbuf_reserve, BPF_FUNC_ringbuf_submit, BPF_FUNC_ringbuf_discard,
	BPF_FUNC_ringbuf_query, BPF_FUNC_ringbuf_reserve_dynptr, BPF_FUNC_ringbuf_submit_dynptr,
	BPF_FUNC_ringbuf_discard_dynptr, BPF_FUNC_dynptr_from_mem, BPF_FUNC_dynptr_read, BPF_FUNC_dynptr_write,
	BPF_FUNC_dynptr_data,
	/* Clocks, CPUs, numbers. */
	BPF_FUNC_ktime_get_ns, BPF_FUNC_ktime_get_boot_ns, BPF_FUNC_ktime_get_tai_ns, BPF_FUNC_jiffies64,
	BPF_FUNC_get_smp_processor_id, BPF_FUNC_get_numa_node_id, BPF_FUNC_get_prandom_u32,
	/* The current task, and memory. */
	BPF_FUNC_get_current_pid_tgid, BPF_FUNC_get_ns_current_pid_tgid, BPF_FUNC_get_current_task,
	BPF_FUNC_get_current_task_btf, BPF_FUNC_task_pt_regs, BPF_FUNC_get_current_cgroup_id,
	BPF_FUNC_get_current_ancestor_cgroup_id, BPF_FUNC_probe_read_user, BPF_FUNC_probe_read_user_str,
	BPF_FUNC_probe_read_kernel, BPF_FUNC_probe_read_kernel_str,
	/* Text. */
	BPF_FUNC_strncmp, BPF_FUNC_strtol, BPF_FUNC_strtoul,
};

static DEFINE_MUTEX(protos_mutex);	/* a leaf lock */
static struct bpf_func_proto protos[ARRAY_SIZE(helpers)];	/* under protos_mutex, then I */

/*
 * The verifier asks at each call of a helper that it walks. It uses the member only after the walk, when it writes to
 * it how many instructions it has walked.
 */
static bool count_call(const struct bpf_prog *prog)
{
	return ++prog->aux->verified_insns <= MAX_CALLS;
}

/* Returns the prototype with calls counted. */
static const struct bpf_func_proto *counted(const struct bpf_func_proto *proto, struct bpf_func_proto *copy)
{
	if (!proto || proto->allowed)
		return proto;
	mutex_lock(&protos_mutex);
	if (!copy->func) {
		*copy = *proto;
		copy->allowed = count_call;
	}
	mutex_unlock(&protos_mutex);
	return copy;
}

const struct bpf_func_proto *tprof_filter_helper(enum bpf_func_id id, const struct bpf_prog *prog)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(helpers); i++) {
		if (helpers[i] == id)
			return counted(bpf_base_func_proto(id, prog), &protos[i]);
	}
	return NULL;
}

/*
 * The functions of the kernel itself are refused, all of them: their BTF IDs cannot be told apart, because the kernel
 * exports no names of types. Those of modules have an offset, the index of the BTF of the module. Besides the ones of
 * this module, modules only offer some of congestion control, which take a socket that a filter does not have.
 */
static bool is_kernel_function(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_KFUNC_CALL && !insn->off;
}

/* All instructions of this class are loops that the kernel ends at run time. */
static bool is_may_goto(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_JCOND);
}

/* The first function is the program. */
static bool functions_are_static(const struct bpf_prog_aux *aux)
{
	u32 i;

	for (i = 1; i < aux->func_info_cnt; i++) {
		if (!aux->func_info_aux || aux->func_info_aux[i].linkage != BTF_FUNC_STATIC)
			return false;
	}
	return true;
}

bool tprof_filter_program_allowed(const struct bpf_prog *prog)
{
	u32 i;

	for (i = 0; i < prog->len; i++) {
		if (is_kernel_function(&prog->insnsi[i]) || is_may_goto(&prog->insnsi[i]))
			return false;
	}
	return functions_are_static(prog->aux);
}
