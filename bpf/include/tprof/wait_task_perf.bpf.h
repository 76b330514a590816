/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Describes a thread that is not the current one, for the programs of waits: a new thread, and those that wait when the
 * session starts. Its members are read by address, at the offsets that the loader found. Not for filter authors.
 */
#ifndef __TPROF_WAIT_TASK_PERF_BPF_H
#define __TPROF_WAIT_TASK_PERF_BPF_H

#include <tprof/scope_perf.bpf.h>
#include <tprof/wait_state_perf.bpf.h>

/* How deep pid namespaces are searched for that of the session. */
#define TPROF_WAIT_PID_LEVELS	8

#define tprof_task_u32(base, member) tprof_kernel_u32(base, tprof_object.layouts.member)
#define tprof_task_u64(base, member) tprof_kernel_u64(base, tprof_object.layouts.member)

/* The id of the task in the pid namespace of the session; 0: it is not visible there. */
static __always_inline __u32 tprof_task_ns_id(__u64 task)
{
	__u64 pid = tprof_task_u64(task, task_thread_pid), upid = pid + tprof_object.layouts.pid_numbers;
	__u32 level = tprof_task_u32(pid, pid_level), i;

	for (i = 0; i < TPROF_WAIT_PID_LEVELS && i <= level; i++) {
		if (tprof_task_u32(tprof_task_u64(upid, upid_ns), ns_inum) == (__u32)tprof_object.pidns_ino)
			return tprof_kernel_u32(upid, 0);
		upid += tprof_object.layouts.upid_size;
	}
	return 0;
}

static __always_inline __u64 tprof_task_cgroup(__u64 task)
{
	return tprof_task_u64(tprof_task_u64(task, task_cgroups), css_set_cgroup);
}

static __always_inline __u64 tprof_cgroup_id(__u64 cgroup)
{
	return tprof_task_u64(tprof_task_u64(cgroup, cgroup_kn), kn_id);
}

static __always_inline void tprof_task_describe(struct tprof_sample *s, __u64 task)
{
	__u64 mm = tprof_kernel_u64(task, tprof_object.task_mm);

	s->tgid = tprof_kernel_u32(task, tprof_object.task_tgid);
	s->tid = tprof_kernel_u32(task, tprof_object.task_pid);
	s->ns_tgid = s->tgid;
	s->ns_tid = s->tid;
	if (tprof_object.pidns_ino) {
		s->ns_tgid = tprof_task_ns_id(tprof_task_u64(task, task_group_leader));
		s->ns_tid = tprof_task_ns_id(task);
	}
	if (mm)
		s->exec_id = tprof_kernel_u64(mm, tprof_object.mm_start_code) >> 12;
	s->flags = TPROF_SAMPLE_WAIT | TPROF_SAMPLE_KERNEL | (mm ? 0 : TPROF_SAMPLE_KTHREAD);
	s->cgroup_id = tprof_cgroup_id(tprof_task_cgroup(task));
	s->ip = TPROF_IP_KERNEL;
	bpf_probe_read_kernel(s->comm, sizeof(s->comm), (const void *)(task + tprof_object.task_comm));
}

/* As tprof_scope_tasks() */
static __always_inline int tprof_task_in_tasks(const struct tprof_sample *s, __u64 task)
{
	__u32 tgid = s->tgid, i;

	if (tprof_scope_find(TPROF_SCOPE_KIND_TGID, tgid) || tprof_scope_find(TPROF_SCOPE_KIND_TID, s->tid))
		return 1;
	for (i = 0; i < TPROF_SCOPE_MAX_ANCESTORS && tgid > 1; i++) {
		task = tprof_kernel_u64(task, tprof_object.task_real_parent);
		tgid = tprof_kernel_u32(task, tprof_object.task_tgid);
		if (tprof_scope_find(TPROF_SCOPE_KIND_TGID, tgid))
			return 1;
	}
	return 0;
}

static __always_inline int tprof_task_in_cgroups(__u64 task)
{
	__u64 cgroup = tprof_task_cgroup(task), ancestor;
	const struct tprof_scope_cgroup *wanted;
	__u32 level = tprof_task_u32(cgroup, cgroup_level), i;

	for (i = 0; i < TPROF_SCOPE_MAX_CGROUPS; i++) {
		__u32 slot = i;

		wanted = bpf_map_lookup_elem(&tprof_cgroups, &slot);
		if (!wanted || !wanted->id)
			break;
		if (wanted->level > level)
			continue;
		ancestor = tprof_task_u64(cgroup + wanted->level * sizeof(ancestor), cgroup_ancestors);
		if (tprof_cgroup_id(ancestor) == wanted->id)
			return 1;
	}
	return 0;
}

/* As tprof_in_scope(). Waits have no mode. */
static __always_inline int tprof_task_in_scope(const struct tprof_sample *s, __u64 task)
{
	const __u32 scope = tprof_object.scope;
	struct tprof_comm_words own, wanted;

	if (scope & TPROF_SCOPE_COMM) {
		__builtin_memcpy(&own, s->comm, sizeof(own));
		__builtin_memcpy(&wanted, tprof_constants()->comm, sizeof(wanted));
		if (own.words[0] != wanted.words[0] || own.words[1] != wanted.words[1])
			return 0;
	}
	if ((scope & TPROF_SCOPE_CGROUPS) && !tprof_task_in_cgroups(task))
		return 0;
	return !(scope & TPROF_SCOPE_TASKS) || tprof_task_in_tasks(s, task);
}

static __always_inline int tprof_task_in_iowait(__u64 task)
{
	return tprof_task_u32(task, task_in_iowait) & tprof_object.layouts.in_iowait_mask;
}

/*
 * The number of the system call in which the thread is, or -1. @regs: the registers with which it entered the kernel.
 * @compat: not 0 for a 32-bit system call, which has a number of another architecture.
 */
static __always_inline __s32 tprof_wait_syscall(__u64 regs, __u32 compat)
{
	__u32 word = tprof_object.machine == TPROF_MACHINE_AARCH64 ? TPROF_AARCH64_SYSCALL : TPROF_X86_64_SYSCALL;
	__s32 number = (__s32)tprof_kernel_u32(regs, word * sizeof(__u64));

	return number < 0 || compat ? -1 : number;
}

/* How often the thread has left a CPU. */
static __always_inline void tprof_task_count_left(struct tprof_wait_state *state, __u64 task)
{
	state->nr_blocked = tprof_task_u32(task, task_nvcsw);
	state->nr_left = 1 + state->nr_blocked + tprof_task_u32(task, task_nivcsw);
}

/* A thread may run for the first time. */
SEC("?raw_tp/sched_wakeup_new")
int tprof_new(void *ctx)
{
	struct tprof_run run = { .engine = TPROF_OBJECT_WAIT };
	struct tprof_cpu_ledger *ledger = tprof_wait_enter(bpf_get_smp_processor_id(), &run);
	__u64 task = *(const __u64 *)ctx;
	struct tprof_wait_state *state;
	struct tprof_sample s = {};

	if (!ledger)
		return 0;
	tprof_task_describe(&s, task);
	s.event = run.event;
	if (!tprof_task_in_scope(&s, task)) {
		tprof_wait_miss(ledger, &run, &run.ledger->outcomes.out_of_scope);
		return 0;
	}
	state = tprof_wait_find_state(s.tid, ledger, &run);
	if (!state)
		return 0;
	state->wait.sample = s;
	state->wait.state = TPROF_STATE_NEW;
	state->wait.syscall = -1;
	state->wait.from_cpu = tprof_perf_cpu(ledger);
	state->woken_ns = 0;
	state->exec_ns = 0;
	tprof_task_count_left(state, task);
	state->runnable = 1;
	tprof_exchange(&state->from_ns, bpf_ktime_get_ns());
	return 0;
}

/* The run of a thread goes on with another program, and maybe under another id. */
static __always_inline void tprof_exec_run(__u32 old, __u32 tid)
{
	struct tprof_wait_state *state = bpf_map_lookup_elem(&tprof_waits, &old);
	struct tprof_sample s = {};
	__u32 cpu;
	__u64 from;

	if (!state)
		return;
	from = tprof_exchange(&state->on_ns, 0);
	cpu = state->on_cpu;
	tprof_wait_insert(tid, &tprof_wait_fresh);
	state = bpf_map_lookup_elem(&tprof_waits, &tid);
	if (!state || !from)
		return;
	/* An address of the kernel, for the flags, too. */
	s.ip = TPROF_IP_KERNEL;
	tprof_perf_task(&s);
	state->wait.sample = s;
	state->on_cpu = cpu;
	tprof_exchange(&state->on_ns, from);
}

/* A thread that calls exec gets the id of its process, and its own will never end. The arguments: task, previous id. */
SEC("?raw_tp/sched_process_exec")
int tprof_exec(void *ctx)
{
	__u32 tid = tprof_kernel_member(__u32, tprof_current_task(), task_pid);
	__u32 old = (__u32)((const __u64 *)ctx)[1];
	struct tprof_wait_state *state;

	if (tprof_object.run_event)
		tprof_exec_run(old, tid);
	if (old == tid)
		return 0;
	tprof_wait_forget(&old);
	/* If the first thread of the process has ended unseen, this state is of that one. */
	state = tprof_wait_lookup(tid);
	if (state)
		state->nr_left = 0;
	return 0;
}

/*
 * Stores where a thread waits that is not the current one. The kernel leaves out the frames of the scheduler there. The
 * user stack cannot be read.
 */
static __always_inline __u64 tprof_seed_stack(void *task, __u32 tid)
{
	struct tprof_scratch *scratch;
	__u64 ip = 0;
	__u32 nr;

	if (!(tprof_object.wait_stacks & TPROF_STACK_KERNEL)) {
		if (tprof_object.wait_place)
			bpf_get_task_stack(task, &ip, sizeof(ip), 0);
		return tprof_call_place(ip);
	}
	scratch = tprof_scratch_of(TPROF_SCRATCH_PART_KERN);
	if (!scratch)
		return TPROF_IP_KERNEL;
	nr = tprof_perf_walk_task(task, scratch, TPROF_SCRATCH_PART_KERN);
	scratch->stack.flags = TPROF_STACK_KERNEL;
	scratch->stack.nr_frames = nr;
	/* If the thread has run meanwhile, its own stack is there, or will replace this one. */
	bpf_map_update_elem(&tprof_wait_kern, &tid, &scratch->stack, TPROF_UPDATE_NOEXIST);
	return tprof_call_place(nr ? scratch->stack.ip[0] : 0);
}

/*
 * Describes the thread as waiting from now on. Returns 0 if it is out of scope. A thread that runs while the loader
 * seeds becomes known at sched_switch; so a thread that is unknown, and not on a CPU, waits, until that program takes
 * its time.
 */
static __always_inline int tprof_seed_describe(struct tprof_wait_state *state, void *typed, __u32 task_state)
{
	struct tprof_sample *s = &state->wait.sample;
	__u64 task = (__u64)typed;

	tprof_task_describe(s, task);
	if (!tprof_task_in_scope(s, task))
		return 0;
	s->event = (tprof_object.wait_event - 1) & (TPROF_OBJECT_EVENTS - 1);
	s->ip = tprof_seed_stack(typed, s->tid);
	state->wait.state = tprof_wait_name_state(task_state, 0, tprof_task_in_iowait(task));
	state->wait.from_cpu = tprof_task_u32(task, task_cpu);
	state->wait.syscall = s->flags & TPROF_SAMPLE_KTHREAD ? -1 :
			      tprof_wait_syscall((__u64)bpf_task_pt_regs(typed),
						 tprof_task_u32(task, task_compat) & tprof_object.layouts.compat_mask);
	state->runnable = !task_state;
	state->exec_ns = tprof_kernel_u64(task, tprof_object.layouts.task_exec_runtime);
	tprof_task_count_left(state, task);
	state->blocked_ns = state->from_ns = bpf_ktime_get_ns();
	return 1;
}

/* Describes a thread that is on a CPU, for the event on-cpu. If it leaves, it becomes known at sched_switch. */
static __always_inline int tprof_seed_describe_run(struct tprof_wait_state *state, void *typed)
{
	struct tprof_sample *s = &state->wait.sample;

	tprof_task_describe(s, (__u64)typed);
	state->on_cpu = tprof_task_u32((__u64)typed, task_cpu);
	state->on_ns = bpf_ktime_get_ns();
	tprof_task_count_left(state, (__u64)typed);
	return tprof_task_in_scope(s, (__u64)typed);
}

/* Whether the thread is of interest: it waits, or it runs, and runs are counted. */
static __always_inline int tprof_seed_wants(__u64 task, __u32 *task_state, __u32 *on_cpu)
{
	*task_state = tprof_task_u32(task, task_state);
	*on_cpu = tprof_task_u32(task, task_on_cpu);
	return !(*task_state & TPROF_TASK_DEAD) && (!*on_cpu || tprof_object.run_event);
}

static __always_inline int tprof_seed_fill(struct tprof_wait_state *state, void *typed, __u32 task_state, __u32 on_cpu)
{
	return on_cpu ? tprof_seed_describe_run(state, typed) : tprof_seed_describe(state, typed, task_state);
}

SEC("?iter/task")
int tprof_seed(void *ctx)
{
	/* The context of an iterator: what it is about, and the task, which is NULL at the end. */
	void *typed = ((void **)ctx)[1];
	struct tprof_run run = { .engine = TPROF_OBJECT_PART };
	struct tprof_cpu_ledger *ledger = tprof_wait_enter(tprof_object.nr_cpus, &run);
	struct tprof_wait_state state = {};
	__u32 task_state, on_cpu, tid;

	if (!typed || !ledger || !tprof_seed_wants((__u64)typed, &task_state, &on_cpu))
		return 0;
	tid = tprof_kernel_u32((__u64)typed, tprof_object.task_pid);
	if (!tid || bpf_map_lookup_elem(&tprof_waits, &tid) || !tprof_seed_fill(&state, typed, task_state, on_cpu))
		return 0;
	tprof_wait_insert(tid, &state);
	if (!bpf_map_lookup_elem(&tprof_waits, &tid)) {
		tprof_wait_miss(ledger, &run, &run.ledger->lost.threads_full);
		tprof_wake_lose(ledger, &run, task_state);
	}
	/* It may have run and ended meanwhile. */
	if (tprof_task_u32((__u64)typed, task_state) & TPROF_TASK_DEAD)
		tprof_wait_forget(&tid);
	return 0;
}

#endif
