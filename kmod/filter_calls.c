// SPDX-License-Identifier: GPL-2.0-only
/*
 * The helpers and functions of the kernel that filters may call: an allow list, because what a later kernel adds was
 * not examined. docs/filters.md has the same list.
 *
 * A filter runs with interrupts disabled, anywhere in the kernel, and its session may be sealed. So it may not wait for
 * another CPU (bpf_spin_lock), do work whose length it does not state (bpf_for_each_map_elem, bpf_user_ringbuf_drain),
 * leave work that runs after it, outside its budget (bpf_timer, bpf_wq), run a program that can be changed behind a
 * seal (bpf_tail_call), or own objects of the kernel (kptr, storage), whose release may do any of these.
 */

#include "filter_calls.h"

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
	BPF_FUNC_loop,
	/* The current task, and memory. */
	BPF_FUNC_get_current_pid_tgid, BPF_FUNC_get_ns_current_pid_tgid, BPF_FUNC_get_current_task,
	BPF_FUNC_get_current_task_btf, BPF_FUNC_task_pt_regs, BPF_FUNC_get_current_cgroup_id,
	BPF_FUNC_get_current_ancestor_cgroup_id, BPF_FUNC_probe_read_user, BPF_FUNC_probe_read_user_str,
	BPF_FUNC_probe_read_kernel, BPF_FUNC_probe_read_kernel_str,
	/* Text. */
	BPF_FUNC_strncmp, BPF_FUNC_strtol, BPF_FUNC_strtoul, BPF_FUNC_snprintf, BPF_FUNC_trace_printk,
	BPF_FUNC_trace_vprintk,
};

const struct bpf_func_proto *tprof_filter_helper(enum bpf_func_id id, const struct bpf_prog *prog)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(helpers); i++) {
		if (helpers[i] == id)
			return bpf_base_func_proto(id, prog);
	}
	return NULL;
}

/*
 * The functions of the kernel itself are refused, all of them: their BTF IDs cannot be told apart, because the kernel
 * exports no names of types. Those of modules have an offset, the index of the BTF of the module. Besides the ones of
 * this module, modules only offer some of congestion control, which take a socket that a filter does not have.
 */
bool tprof_filter_kfuncs_allowed(const struct bpf_prog *prog)
{
	u32 i;

	for (i = 0; i < prog->len; i++) {
		const struct bpf_insn *insn = &prog->insnsi[i];

		if (insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_KFUNC_CALL && !insn->off)
			return false;
	}
	return true;
}
