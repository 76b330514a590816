// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stacks of owners: of threads in a table by task, of interrupts by CPU.
 *
 * NMI-safe: tprof_owner_of_sample(). No locks, no allocation, no printk(). Only the current thread enters the table and
 * leaves it.
 */
#include <linux/cgroup.h>
#include <linux/hardirq.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "owner.h"
#include "owner_probes.h"
#include "owner_stack.h"
#include "payer.h"
#include "sample.h"
#include "tprof_source.h"

/* The tasks of a set fill a cache line. A thread can be only in its set. */
#define SET_TASKS	8
/* Threads that work for somebody at the same time, for each CPU, and the least number. */
#define CPU_TASKS	32
#define MIN_TASKS	512

struct set {
	struct task_struct *tasks[SET_TASKS];	/* A: NULL: free */
};

struct interrupts {
	struct tprof_owner_stack soft, hard;	/* c */
};

struct tprof_owners {
	unsigned int bits;			/* I */
	struct set *sets;			/* I */
	struct tprof_owner_stack *stacks;	/* I: SET_TASKS for each set */
	struct interrupts __percpu *interrupts;	/* I */
	struct tprof_work_table *works;		/* I */
};

static DEFINE_MUTEX(owners_mutex);
static unsigned int users;			/* under owners_mutex */
static struct tprof_owners __rcu *owners;	/* written under owners_mutex, R */

struct tprof_owners *tprof_owners_now(void)
{
	return rcu_dereference_check(owners, rcu_read_lock_any_held() || irqs_disabled());
}

struct tprof_work_table *tprof_owners_works(const struct tprof_owners *o)
{
	return o->works;
}

static enum tprof_owner_level current_level(void)
{
	if (in_hardirq())
		return TPROF_LEVEL_HARDIRQ;
	return in_serving_softirq() ? TPROF_LEVEL_SOFTIRQ : TPROF_LEVEL_TASK;
}

/* The place of the thread in the table; -1: none. */
static int find(const struct tprof_owners *o, const struct task_struct *task)
{
	unsigned int set = hash_ptr(task, o->bits), i;

	for (i = 0; i < SET_TASKS; i++) {
		if (READ_ONCE(o->sets[set].tasks[i]) == task)
			return set * SET_TASKS + i;
	}
	return -1;
}

static struct task_struct **task_at(struct tprof_owners *o, int place)
{
	return &o->sets[place / SET_TASKS].tasks[place % SET_TASKS];
}

/* The same, inserted if it is missing. For the current thread only. */
static int find_or_claim(struct tprof_owners *o, struct task_struct *task)
{
	int place = find(o, task), first = hash_ptr(task, o->bits) * SET_TASKS, i;

	if (place >= 0)
		return place;
	for (i = first; i < first + SET_TASKS; i++) {
		if (!READ_ONCE(*task_at(o, i)) && !cmpxchg(task_at(o, i), NULL, task))
			return i;
	}
	return -1;
}

/* On a real-time kernel, soft interrupts run in threads, with which they may migrate. */
static bool is_of_task(enum tprof_owner_level level)
{
	return level == TPROF_LEVEL_TASK || (IS_ENABLED(CONFIG_PREEMPT_RT) && level == TPROF_LEVEL_SOFTIRQ);
}

/* The stack of the current context, or NULL. */
static struct tprof_owner_stack *stack_at(struct tprof_owners *o, enum tprof_owner_level level)
{
	struct interrupts *interrupts;
	int place;

	if (is_of_task(level)) {
		place = find(o, current);
		return place < 0 ? NULL : &o->stacks[place];
	}
	interrupts = raw_cpu_ptr(o->interrupts);
	return level == TPROF_LEVEL_HARDIRQ ? &interrupts->hard : &interrupts->soft;
}

/* Cuts the stack of the current context down to that depth. The place of a thread is free when its stack is empty. */
static void stack_cut(struct tprof_owners *o, struct tprof_owner_stack *stack, unsigned int depth,
		      enum tprof_owner_level level)
{
	tprof_owner_stack_cut(stack, depth);
	/* Pairs with cmpxchg() in find_or_claim(). */
	if (!depth && is_of_task(level))
		smp_store_release(task_at(o, stack - o->stacks), NULL);
}

bool tprof_owners_push(struct tprof_owners *o, const void *work, const struct tprof_work_owner *owner)
{
	enum tprof_owner_level level = current_level();
	struct tprof_owner_stack *stack;
	int place;

	if (is_of_task(level)) {
		place = find_or_claim(o, current);
		if (place < 0)
			return false;
		stack = &o->stacks[place];
	} else {
		stack = stack_at(o, level);
	}
	tprof_owner_stack_push(stack, work, owner, level);
	return true;
}

void tprof_owners_pop_work(struct tprof_owners *o, const void *work)
{
	enum tprof_owner_level level = current_level();
	struct tprof_owner_stack *stack = stack_at(o, level);
	unsigned int i;

	if (!stack)
		return;
	for (i = 0; i < min(stack->depth, TPROF_OWNER_DEPTH); i++) {
		if (stack->frames[i].work == work && stack->frames[i].level == level) {
			stack_cut(o, stack, i, level);
			return;
		}
	}
}

bool tprof_owners_of_current(struct tprof_owners *o, struct tprof_work_owner *owner)
{
	enum tprof_owner_level level = current_level();
	const struct tprof_owner_stack *stack = stack_at(o, level);
	struct tprof_sample s;

	if (stack && stack->depth)
		return tprof_owner_stack_read(stack, level, owner);
	if (level != TPROF_LEVEL_TASK || !current->mm || (current->flags & PF_KTHREAD))
		return false;
	s.flags = 0;
	tprof_capture_task(&s, current);
	*owner = (struct tprof_work_owner){
		.cgroup_id = s.cgroup_id, .tgid = s.tgid, .tid = s.tid, .exec_id = s.exec_id,
	};
	memcpy(owner->comm, s.comm, sizeof(owner->comm));
	return true;
}

bool tprof_owner_of_sample(u32 sample_flags, struct tprof_work_owner *owner)
{
	struct tprof_owners *o = tprof_owners_now();
	enum tprof_owner_level level = TPROF_LEVEL_TASK;
	const struct tprof_owner_stack *stack;

	if (!o || !(sample_flags & TPROF_SAMPLE_KERNEL))
		return false;
	if (sample_flags & TPROF_SAMPLE_IRQ)
		level = TPROF_LEVEL_HARDIRQ;
	else if (sample_flags & TPROF_SAMPLE_SOFTIRQ)
		level = TPROF_LEVEL_SOFTIRQ;
	stack = stack_at(o, level);
	return stack && tprof_owner_stack_read(stack, level, owner);
}

/* A thread that left the table, or came there, has changed the stack. */
bool tprof_owner_of_task(struct task_struct *task, struct tprof_work_owner *owner)
{
	struct tprof_owners *o = tprof_owners_now();
	const struct tprof_owner_stack *stack;
	unsigned int changes;
	int place;
	bool has;

	place = o ? find(o, task) : -1;
	if (place < 0)
		return false;
	stack = &o->stacks[place];
	changes = smp_load_acquire(&stack->changes);
	if (READ_ONCE(*task_at(o, place)) != task)
		return false;
	has = tprof_owner_stack_read(stack, TPROF_LEVEL_TASK, owner);
	smp_rmb();
	return has && READ_ONCE(stack->changes) == changes;
}

void tprof_owner_enter(u32 subsystem, u64 id)
{
	const struct tprof_work_owner owner = { .subsystem = subsystem, .id = id };
	struct tprof_owners *o;

	if (in_nmi() || WARN_ON_ONCE(!subsystem))
		return;
	rcu_read_lock();
	o = tprof_owners_now();
	if (o && !tprof_owners_push(o, NULL, &owner))
		tprof_owners_count_full();
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(tprof_owner_enter);

static bool is_section(const struct tprof_owner_frame *frame, enum tprof_owner_level level)
{
	return !frame->work && frame->level == level;
}

void tprof_owner_leave(void)
{
	enum tprof_owner_level level = current_level();
	struct tprof_owners *o;
	struct tprof_owner_stack *stack;
	unsigned int depth;

	if (in_nmi())
		return;
	rcu_read_lock();
	o = tprof_owners_now();
	stack = o ? stack_at(o, level) : NULL;
	depth = stack ? stack->depth : 0;
	/* A section that was entered before the first filter asked for owners is in no stack. */
	if (depth > TPROF_OWNER_DEPTH || (depth && is_section(&stack->frames[depth - 1], level)))
		stack_cut(o, stack, depth - 1, level);
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(tprof_owner_leave);

static void owners_free(struct tprof_owners *o)
{
	if (!o)
		return;
	tprof_work_table_free(o->works);
	free_percpu(o->interrupts);
	kvfree(o->stacks);
	kvfree(o->sets);
	kfree(o);
}

static struct tprof_owners *owners_new(void)
{
	unsigned int nr = max(MIN_TASKS, CPU_TASKS * num_possible_cpus());
	struct tprof_owners *o = kzalloc(sizeof(*o), TPROF_GFP);

	if (!o)
		return NULL;
	o->bits = ilog2(roundup_pow_of_two(nr / SET_TASKS));
	o->sets = kvcalloc(1UL << o->bits, sizeof(*o->sets), TPROF_GFP);
	o->stacks = kvcalloc(SET_TASKS << o->bits, sizeof(*o->stacks), TPROF_GFP);
	o->interrupts = alloc_percpu_gfp(struct interrupts, TPROF_GFP);
	o->works = tprof_work_table_new(4 * nr);
	if (o->sets && o->stacks && o->interrupts && o->works)
		return o;
	owners_free(o);
	return NULL;
}

static int owners_begin(void)
{
	struct tprof_owners *o = owners_new();
	int err;

	if (!o)
		return -ENOMEM;
	err = tprof_owner_probes_get();
	if (err) {
		owners_free(o);
		return err;
	}
	rcu_assign_pointer(owners, o);
	return 0;
}

int tprof_owners_get(void)
{
	int err = 0;

	mutex_lock(&owners_mutex);
	if (!users)
		err = owners_begin();
	users += !err;
	mutex_unlock(&owners_mutex);
	return err;
}

/* The next user begins with empty tables, so it finds nothing that has not been left. */
void tprof_owners_put(void)
{
	struct tprof_owners *o = NULL;

	mutex_lock(&owners_mutex);
	if (!--users) {
		o = rcu_replace_pointer(owners, NULL, true);
		tprof_owner_probes_put();
	}
	mutex_unlock(&owners_mutex);
	if (!o)
		return;
	synchronize_rcu();
	owners_free(o);
}

void tprof_owners_read(struct tprof_owners_info *info)
{
	struct tprof_owners *o;
	unsigned int i;

	mutex_lock(&owners_mutex);
	o = rcu_dereference_protected(owners, lockdep_is_held(&owners_mutex));
	*info = (struct tprof_owners_info){ .users = users };
	if (o) {
		info->capacity = tprof_work_table_capacity(o->works);
		info->waiting = tprof_work_table_count(o->works);
		for (i = 0; i < SET_TASKS << o->bits; i++)
			info->working += !!READ_ONCE(*task_at(o, i));
	}
	mutex_unlock(&owners_mutex);
	tprof_owner_probes_read(info);
}
