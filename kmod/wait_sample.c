// SPDX-License-Identifier: GPL-2.0-only
/* Captures waits, wake-ups and runs. No locks but those of the scope of sessions, no allocation, no printk(). */
#include <linux/cgroup.h>
#include <linux/hardirq.h>
#include <linux/perf_event.h>
#include <linux/sched/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>

#include "deliver.h"
#include "owner.h"
#include "session.h"
#include "source.h"
#include "stage.h"
#include "wait_sample.h"

#ifdef CONFIG_X86_64
#define NATIVE_ARCH	AUDIT_ARCH_X86_64
#else
#define NATIVE_ARCH	AUDIT_ARCH_AARCH64
#endif

/*
 * Frames before those of the scheduler: the switch of stacks. On arm64 that is __switch_to(), which some kernels have
 * in the section of the scheduler.
 */
#define SWITCH_FRAMES		IS_ENABLED(CONFIG_ARM64)
#define MAX_SWITCH_FRAMES	4
/* Likewise in a probe: its own, and those of the tracepoint. */
#define MAX_PROBE_FRAMES	8
/* Frames that are walked if only the place is wanted. */
#define PLACE_FRAMES		16

/* The first frames of a waker that are searched for the function that wakes threads, and more than its size. */
#define WAKE_FRAMES		8U
#define WAKE_BYTES		4096

static bool is_scheduler(const struct tprof_wait_event *event, u64 ip)
{
	return ip >= event->sched_start && ip < event->sched_end;
}

/*
 * Leaves out the frames before the scheduler, from @least to fewer than @most, and finds the place: the call of the
 * scheduler, which is before its return address. A thread that never ran has no frame of the scheduler, and no call
 * stack. Returns the number of frames.
 */
static unsigned int from_scheduler(const struct tprof_source *source, u64 *frames, unsigned int nr, unsigned int least,
				   unsigned int most, u64 *place)
{
	const struct tprof_wait_event *event = tprof_source_event(source);
	unsigned int first = 0, i;

	*place = TPROF_IP_KERNEL;
	if (!event->sched_end)
		return nr;
	while (first < nr && first < most && (first < least || !is_scheduler(event, frames[first])))
		first++;
	if (first == nr || first == most)
		return 0;
	nr -= first;
	if (first)
		memmove(frames, frames + first, nr * sizeof(*frames));
	for (i = 0; i < nr && is_scheduler(event, frames[i]); i++)
		;
	if (i < nr && frames[i] != TPROF_FRAME_CUT)
		*place = frames[i] - 1;
	return nr;
}

static s32 syscall_of(struct task_struct *task, struct pt_regs *regs)
{
	/* A 32-bit system call has the number of another one. */
	if ((task->flags & (PF_KTHREAD | PF_USER_WORKER)) || syscall_get_arch(task) != NATIVE_ARCH)
		return -1;
	return max(syscall_get_nr(task, regs), -1);
}

/* All but the task. */
static void describe_sample(struct tprof_sample *s, const struct tprof_waited *waited, u64 place)
{
	const struct tprof_waiting *waiting = waited->waiting;
	u64 woken = waiting->woken_ns, now = waited->now;

	s->ip = place;
	s->time_ns = now;
	s->weight = waited->weight;
	if (waiting->runnable)
		s->data = now - waiting->from_ns;
	else
		s->data = woken && woken < now ? now - max(woken, waiting->from_ns) : 0;
	s->flags = TPROF_SAMPLE_WAIT | TPROF_SAMPLE_KERNEL;
}

static u32 state_of(const struct tprof_waited *waited)
{
	u32 state = waited->waiting->state;

	if (state == TPROF_STATE_BLOCKED || state == TPROF_STATE_SLEEPING)
		return waited->task->in_iowait ? TPROF_STATE_IOWAIT : state;
	return state;
}

static void describe(struct tprof_capture *c, const struct tprof_waited *waited, u64 place)
{
	const struct tprof_waiting *waiting = waited->waiting;
	struct tprof_wait *wait = &c->wait;

	describe_sample(&wait->sample, waited, place);
	wait->runnable_ns = wait->sample.data;
	wait->blocked_ns = waited->now - waiting->from_ns - wait->runnable_ns;
	wait->state = state_of(waited);
	wait->sample.addr = wait->state;
	wait->from_cpu = waiting->from_cpu;
	/* A thread that was ready to run when it left may have been about to sleep, and was woken before. */
	wait->waker_flags = waiting->woken_ns && !waiting->runnable ? waiting->waker.flags : 0;
	wait->waker_cgroup_id = 0;
	wait->waker_tgid = wait->waker_tid = wait->waker_exec_id = 0;
	wait->pad = 0;
	memset(wait->waker_comm, 0, sizeof(wait->waker_comm));
	if (wait->waker_flags) {
		wait->waker_cgroup_id = waiting->waker.cgroup_id;
		wait->waker_tgid = waiting->waker.tgid;
		wait->waker_tid = waiting->waker.tid;
		wait->waker_exec_id = waiting->waker.exec_id;
		memcpy(wait->waker_comm, waiting->waker.comm, sizeof(wait->waker_comm));
	}
	c->task = waited->task;
	c->regs = NULL;
	c->nr_user_frames = 0;
}

/* The space for what the sessions want of a wait or a wake-up. */
static unsigned int space_for(s64 wants)
{
	return (tprof_wants_stack(wants) ? TPROF_UNWIND_MAX : 0) + (tprof_wants_owner(wants) ? TPROF_STAGE_OWNER : 0);
}

/* Reserves an entry. NULL: there is no space, and the sample is counted as lost. */
static struct tprof_staged *reserve(struct tprof_source *source, unsigned int space, u64 weight)
{
	struct tprof_staged *staged = tprof_stage_reserve(space);

	if (!staged)
		tprof_sample_missed(source, TPROF_MISSED_STAGING, weight);
	return staged;
}

void tprof_wait_fire(struct tprof_source *source, const struct tprof_waited *waited)
{
	s64 wants = atomic64_read(&source->wants);
	bool stack = tprof_wants_stack(wants);
	struct tprof_staged *staged;
	u64 few[PLACE_FRAMES], place, *frames = few;
	unsigned int nr;

	if (tprof_sample_panicking())
		return;
	staged = reserve(source, space_for(wants), waited->weight);
	if (!staged)
		return;
	if (stack)
		frames = staged->frames;
	nr = tprof_unwind_waiting(waited->task, true, frames, stack ? TPROF_UNWIND_MAX : PLACE_FRAMES);
	nr = from_scheduler(source, frames, nr, SWITCH_FRAMES, MAX_SWITCH_FRAMES, &place);
	staged->source = source;
	describe(&staged->capture, waited, place);
	tprof_capture_task(&staged->capture.sample, waited->task);
	staged->capture.wait.sample.cpu = raw_smp_processor_id();
	staged->capture.wait.syscall = syscall_of(waited->task, task_pt_regs(waited->task));
	staged->capture.nr_frames = stack ? nr : 0;
	if (tprof_wants_owner(wants) && tprof_owner_of_task(waited->task, tprof_stage_owner(staged)))
		staged->kind = TPROF_STAGED_OWNED;
	tprof_stage_commit(staged);
}

/* Leaves out the frames up to the function that wakes threads. Returns the number of frames. */
static unsigned int from_waker(const struct tprof_source *source, u64 *frames, unsigned int nr, u64 *place)
{
	const struct tprof_wait_event *event = tprof_source_event(source);
	unsigned int first;

	*place = TPROF_IP_KERNEL;
	if (!event->wake_start)
		return nr;
	for (first = 0; first < min(nr, WAKE_FRAMES) && frames[first] - event->wake_start >= WAKE_BYTES; first++)
		;
	/* Then that of its caller, which is after the call. */
	if (first++ == WAKE_FRAMES || first >= nr || frames[first] == TPROF_FRAME_CUT)
		return nr;
	nr -= first;
	memmove(frames, frames + first, nr * sizeof(*frames));
	*place = frames[0] - 1;
	return nr;
}

static void describe_waker(struct tprof_sample *s, const struct tprof_waker *waker)
{
	static const u32 flags[] = {
		[TPROF_WAKER_IRQ] = TPROF_SAMPLE_IRQ, [TPROF_WAKER_SOFTIRQ] = TPROF_SAMPLE_SOFTIRQ,
	};
	static const u32 exec_ids[] = {
		[TPROF_WAKER_IRQ] = TPROF_EXEC_IRQ, [TPROF_WAKER_SOFTIRQ] = TPROF_EXEC_SOFTIRQ,
	};

	s->flags = TPROF_SAMPLE_WAKEUP | TPROF_SAMPLE_KERNEL;
	s->exec_id = waker->exec_id;
	if (waker->flags != TPROF_WAKER_THREAD) {
		s->flags |= flags[waker->flags];
		s->exec_id = exec_ids[waker->flags];
	} else if (!current->mm) {
		s->flags |= TPROF_SAMPLE_KTHREAD;
	}
	s->tgid = s->ns_tgid = waker->tgid;
	s->tid = s->ns_tid = waker->tid;
	s->cgroup_id = waker->cgroup_id;
	memcpy(s->comm, waker->comm, sizeof(s->comm));
}

static void describe_wakeup(struct tprof_wakeup *wakeup, const struct tprof_waited *waited, u64 place)
{
	struct tprof_sample woken = {}, *s = &wakeup->sample;

	tprof_capture_task(&woken, waited->task);
	wakeup->woken_cgroup_id = woken.cgroup_id;
	wakeup->woken_tgid = woken.tgid;
	wakeup->woken_tid = woken.tid;
	wakeup->woken_exec_id = woken.exec_id;
	wakeup->state = state_of(waited);
	wakeup->syscall = syscall_of(waited->task, task_pt_regs(waited->task));
	wakeup->waker_flags = waited->waiting->waker.flags;
	memcpy(wakeup->woken_comm, woken.comm, sizeof(wakeup->woken_comm));
	describe_waker(s, &waited->waiting->waker);
	s->ip = place;
	s->time_ns = waited->now;
	s->weight = waited->weight;
	s->addr = wakeup->state;
	s->data = wakeup->woken_tid;
	s->cpu = raw_smp_processor_id();
}

void tprof_wake_fire(struct tprof_source *source, const struct tprof_waited *waited)
{
	s64 wants = atomic64_read(&source->wants);
	bool stack = tprof_wants_stack(wants);
	u64 few[WAKE_FRAMES + 1], place, *frames = few;
	struct tprof_staged *staged;
	struct pt_regs regs = {};
	unsigned int nr;

	if (tprof_sample_panicking())
		return;
	staged = reserve(source, space_for(wants), waited->weight);
	if (!staged)
		return;
	if (stack)
		frames = staged->frames;
	perf_fetch_caller_regs(&regs);
	nr = tprof_unwind_kernel(&regs, instruction_pointer(&regs), current, frames,
				 stack ? TPROF_UNWIND_MAX : ARRAY_SIZE(few));
	nr = from_waker(source, frames, nr, &place);
	/* If an interrupt wakes the task, further frames may be of the code that it has interrupted. */
	if (waited->waiting->waker.flags != TPROF_WAKER_THREAD) {
		frames[0] = place + 1;
		nr = 1;
	}
	staged->source = source;
	describe_wakeup(&staged->capture.wakeup, waited, place);
	staged->capture.task = current;
	staged->capture.woken = get_task_struct(waited->task);
	staged->capture.regs = NULL;
	staged->capture.nr_user_frames = 0;
	staged->capture.nr_frames = stack ? nr : 0;
	if (tprof_wants_owner(wants) &&
	    tprof_owner_of_sample(staged->capture.sample.flags, tprof_stage_owner(staged)))
		staged->kind = TPROF_STAGED_OWNED;
	tprof_stage_commit(staged);
}

/* All but the place. A thread that has given up its memory is still of the program with which its run began. */
static void describe_run(struct tprof_capture *c, const struct tprof_ran *ran)
{
	struct tprof_sample *s = &c->sample;

	s->time_ns = ran->now;
	s->weight = ran->weight;
	s->addr = 0;
	s->data = 0;
	s->cpu = raw_smp_processor_id();
	s->flags = TPROF_SAMPLE_KERNEL;
	if (current->mm)
		tprof_capture_task(s, current);
	else
		tprof_capture_other(s, current, ran->has_mm, ran->exec_id);
	c->task = current;
	c->regs = NULL;
	c->nr_frames = 0;
	c->nr_user_frames = 0;
}

/* Walks the user call stack of the current thread, which leaves the CPU. Returns the number of frames. */
static unsigned int walk_user(u64 *frames)
{
	struct pt_regs *regs = task_pt_regs(current);

	if (!current->mm || (current->flags & (PF_KTHREAD | PF_USER_WORKER)) || !user_mode(regs))
		return 0;
	return tprof_unwind_user(regs, instruction_pointer(regs), frames, TPROF_UNWIND_MAX);
}

void tprof_run_fire(struct tprof_source *source, const struct tprof_ran *ran)
{
	bool stacks = tprof_wants_stacks(atomic64_read(&source->wants));
	struct tprof_staged *staged;
	u64 few[PLACE_FRAMES], place, *frames = few;
	struct pt_regs regs = {};
	unsigned int nr;

	if (tprof_sample_panicking())
		return;
	staged = reserve(source, stacks ? 2 * TPROF_UNWIND_MAX : 0, ran->weight);
	if (!staged)
		return;
	if (stacks)
		frames = staged->frames;
	perf_fetch_caller_regs(&regs);
	nr = tprof_unwind_kernel(&regs, instruction_pointer(&regs), current, frames,
				 stacks ? TPROF_UNWIND_MAX : ARRAY_SIZE(few));
	nr = from_scheduler(source, frames, nr, 0, MAX_PROBE_FRAMES, &place);
	staged->source = source;
	describe_run(&staged->capture, ran);
	staged->capture.sample.ip = place;
	if (stacks) {
		staged->capture.nr_frames = nr;
		staged->capture.user_frames = staged->frames + TPROF_UNWIND_MAX;
		staged->capture.nr_user_frames = walk_user(staged->frames + TPROF_UNWIND_MAX);
	}
	tprof_stage_commit(staged);
}

void tprof_run_fire_part(struct tprof_source *source, const struct tprof_ran *ran)
{
	struct tprof_capture *c = this_cpu_ptr(&tprof_captures);

	if (tprof_sample_panicking())
		return;
	/* As in tprof_wait_fire_part(). */
	__this_cpu_write(tprof_delivery.running, c);
	describe_run(c, ran);
	c->sample.ip = TPROF_IP_KERNEL;
	tprof_deliver(source, c);
}

/*
 * If the task exits, its stack is freed after a grace period, but the task forgets it before that, so where its
 * registers are may be anywhere. Returns false if they cannot be read.
 */
static bool read_kernel_part(const struct tprof_source *source, struct task_struct *task, struct tprof_waiter *waiter)
{
	unsigned long flags;
	bool has_regs;

	rcu_read_lock();
	local_irq_save(flags);
	waiter->nr_frames = tprof_unwind_waiting(task, false, waiter->frames, TPROF_UNWIND_MAX);
	waiter->nr_frames = from_scheduler(source, waiter->frames, waiter->nr_frames, SWITCH_FRAMES, MAX_SWITCH_FRAMES,
					   &waiter->place);
	has_regs = !copy_from_kernel_nofault(&waiter->regs, task_pt_regs(task), sizeof(waiter->regs));
	local_irq_restore(flags);
	rcu_read_unlock();
	return has_regs;
}

void tprof_wait_read(const struct tprof_source *source, struct task_struct *task, struct tprof_waiter *waiter)
{
	bool has_regs = read_kernel_part(source, task, waiter), has_user;
	struct mm_struct *mm = get_task_mm(task);

	has_user = mm && has_regs && !(task->flags & PF_USER_WORKER) && user_mode(&waiter->regs);
	waiter->syscall = has_regs ? syscall_of(task, &waiter->regs) : -1;
	waiter->nr_user_frames = has_user ? tprof_unwind_user_of(mm, &waiter->regs, waiter->user_frames,
								 TPROF_UNWIND_MAX) : 0;
	waiter->has_mm = mm;
	waiter->exec_id = mm ? READ_ONCE(mm->start_code) >> 12 : 0;
	if (mm)
		mmput_async(mm);
}

/* The memory may be freed at any time: what is read is true if the task still has it afterwards. */
void tprof_wait_glance(const struct tprof_source *source, struct task_struct *task, struct tprof_waiter *waiter)
{
	const struct mm_struct *mm = READ_ONCE(task->mm);
	unsigned long start_code = 0;

	waiter->syscall = read_kernel_part(source, task, waiter) ? syscall_of(task, &waiter->regs) : -1;
	waiter->nr_user_frames = 0;
	if (mm && (copy_from_kernel_nofault(&start_code, &mm->start_code, sizeof(start_code)) ||
		   READ_ONCE(task->mm) != mm))
		mm = NULL;
	waiter->has_mm = mm;
	waiter->exec_id = mm ? start_code >> 12 : 0;
}

void tprof_wait_fire_part(struct tprof_source *source, const struct tprof_waited *waited,
			  const struct tprof_waiter *waiter)
{
	struct tprof_capture *c = this_cpu_ptr(&tprof_captures);

	if (tprof_sample_panicking())
		return;
	/* A sample that fires from here on, in a function that is called here, would be captured in the same place. */
	__this_cpu_write(tprof_delivery.running, c);
	describe(c, waited, waiter->place);
	tprof_capture_other(&c->sample, waited->task, waiter->has_mm, waiter->exec_id);
	c->wait.sample.cpu = waited->waiting->from_cpu;
	c->wait.syscall = waiter->syscall;
	c->frames = waiter->frames;
	c->nr_frames = waiter->nr_frames;
	c->user_frames = waiter->user_frames;
	c->nr_user_frames = waiter->nr_user_frames;
	tprof_deliver(source, c);
}

/* A thread that an interrupt has interrupted is not the waker. */
void tprof_wait_describe_waker(struct tprof_waker *waker)
{
	struct tprof_sample s;

	memset(waker, 0, sizeof(*waker));
	if (in_hardirq() || in_nmi()) {
		waker->flags = TPROF_WAKER_IRQ;
		strscpy(waker->comm, "[irq]", sizeof(waker->comm));
		return;
	}
	if (in_serving_softirq()) {
		waker->flags = TPROF_WAKER_SOFTIRQ;
		strscpy(waker->comm, "[softirq]", sizeof(waker->comm));
		return;
	}
	waker->flags = TPROF_WAKER_THREAD;
	s.flags = 0;
	tprof_capture_task(&s, current);
	waker->cgroup_id = s.cgroup_id;
	waker->tgid = s.tgid;
	waker->tid = s.tid;
	waker->exec_id = s.exec_id;
	memcpy(waker->comm, s.comm, sizeof(waker->comm));
}

/* Fills what is tested of a sample. No delivery runs on this CPU. */
static bool has_task(const struct tprof_session *session, struct task_struct *task)
{
	struct tprof_sample *s = &this_cpu_ptr(&tprof_captures)->sample;
	bool has;

	s->flags = TPROF_SAMPLE_WAIT | TPROF_SAMPLE_KERNEL;
	s->tgid = task->tgid;
	s->tid = task->pid;
	memcpy(s->comm, task->comm, sizeof(s->comm));
	rcu_read_lock();
	has = tprof_scope_has(session, s, task);
	rcu_read_unlock();
	return has;
}

bool tprof_wait_in_scope(const struct tprof_source *source, struct task_struct *task)
{
	/* Interrupts disabled: an RCU read-side critical section. */
	const struct tprof_subscribers *subscribers = rcu_dereference_sched(source->subscribers);
	unsigned int i;

	for (i = 0; i < subscribers->nr; i++) {
		const struct tprof_session *session = subscribers->list[i]->session;

		if (!READ_ONCE(session->scoped) || has_task(session, task))
			return true;
	}
	return !subscribers->nr;
}
