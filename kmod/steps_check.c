// SPDX-License-Identifier: GPL-2.0-only
/*
 * Learned steps: the switch, the check, and what debugfs shows.
 *
 * A random share of the walks is walked both ways, and has the frames that the unwinder gives. If the others differ,
 * learned steps are not used any more until the module is loaded again. NMI-safe, where steps.h says so: no locks, no
 * allocation, no printk().
 */
#include <linux/atomic.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/seq_file.h>

#include "steps.h"
#include "tprof_trace.h"
#include "unwind.h"

#define MAX_SHARE	65536

struct check {
	bool running;				/* c: the buffer is in use */
	unsigned long checked;			/* c */
	u64 learned[TPROF_UNWIND_MAX];		/* c, while running */
};

/* A difference between both walks. */
struct difference {
	unsigned int at;			/* frame, from the leaf */
	unsigned long learned, unwound;		/* its address; 0: there is none */
};

bool tprof_steps_on = true;
static bool wanted = true;
unsigned int tprof_steps_share = 1024;
DEFINE_PER_CPU(struct tprof_steps_cpu, tprof_steps_cpu);
static DEFINE_PER_CPU(struct check, checks);
static atomic_t disagreed;			/* checks that found a difference */
static bool is_found, is_reported;		/* the first difference is complete; the log has it */
static struct difference difference;		/* written before is_found, by the CPU that found it */

static void update_on(void)
{
	WRITE_ONCE(tprof_steps_on, wanted && !atomic_read(&disagreed));
}

static int set_learned(const char *value, const struct kernel_param *param)
{
	bool on;
	int err = kstrtobool(value, &on);

	if (err)
		return err;
	if (on && atomic_read(&disagreed)) {
		pr_notice("tprof: kernel_stack_learned stays off, because a check has failed: load the module again\n");
		return -EBUSY;
	}
	wanted = on;
	update_on();
	/* A check may have failed between the two reads; it writes the count first. */
	smp_mb();
	update_on();
	return 0;
}

static const struct kernel_param_ops learned_ops = {
	.set = set_learned,
	.get = param_get_bool,
};

module_param_cb(kernel_stack_learned, &learned_ops, &tprof_steps_on, 0644);
MODULE_PARM_DESC(kernel_stack_learned, "whether kernel stacks are walked by learned steps, which is faster (Y)");

static int set_share(const char *value, const struct kernel_param *param)
{
	return param_set_uint_minmax(value, param, 1, MAX_SHARE);
}

static const struct kernel_param_ops share_ops = {
	.set = set_share,
	.get = param_get_uint,
};

module_param_cb(kernel_stack_check, &share_ops, &tprof_steps_share, 0644);
MODULE_PARM_DESC(kernel_stack_check,
		 "one of so many walks by learned steps is compared with the unwinder's, 1 to 65536 (1024)");

u64 *tprof_steps_check_begin(void)
{
	if (this_cpu_read(checks.running))
		return NULL;
	this_cpu_write(checks.running, true);
	/* An NMI sees the flag before the buffer is written: a compiler barrier is sufficient on the same CPU. */
	barrier();
	return *this_cpu_ptr(&checks.learned);
}

static void disagree(unsigned int at, unsigned long learned, unsigned long unwound)
{
	bool first = atomic_inc_return(&disagreed) == 1;

	update_on();
	if (!first)
		return;
	difference.at = at;
	difference.learned = learned;
	difference.unwound = unwound;
	/* Pairs with the acquire in tprof_steps_report(). */
	smp_store_release(&is_found, true);
	/* Pairs with that in learn(). */
	smp_mb();
	tprof_steps_kick();
}

void tprof_steps_check_end(unsigned int nr_learned, const u64 *unwound, unsigned int nr_unwound)
{
	const u64 *learned = *this_cpu_ptr(&checks.learned);
	unsigned int nr = min(nr_learned, nr_unwound), at = 0;

	while (at < nr && learned[at] == unwound[at])
		at++;
	if (at < max(nr_learned, nr_unwound))
		disagree(at, at < nr_learned ? learned[at] : 0, at < nr_unwound ? unwound[at] : 0);
	this_cpu_inc(checks.checked);
	barrier();
	this_cpu_write(checks.running, false);
}

void tprof_steps_report(void)
{
	/* Pairs with the release in disagree(). */
	if (is_reported || !smp_load_acquire(&is_found))
		return;
	is_reported = true;
	trace_tprof_kernel_stack(difference.at, difference.learned, difference.unwound);
	pr_err("tprof: frame %u of a kernel stack is %pS by learned steps and %pS by the unwinder: "
	       "learned steps are off until the module is loaded again; please report this\n",
	       difference.at, (void *)difference.learned, (void *)difference.unwound);
}

static const char *state(void)
{
	if (atomic_read(&disagreed))
		return "failed";
	return READ_ONCE(tprof_steps_on) ? "on" : "off";
}

static unsigned int count_steps(enum tprof_step_kind kind)
{
	unsigned int i, nr = 0;

	for (i = 0; i < TPROF_STEPS_SIZE; i++)
		nr += step_kind(READ_ONCE(tprof_steps[i])) == kind;
	return nr;
}

void tprof_steps_show(struct seq_file *m)
{
	unsigned long walks = 0, frames = 0, learned = 0, checked = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		const struct tprof_steps_cpu *c = per_cpu_ptr(&tprof_steps_cpu, cpu);

		walks += READ_ONCE(c->walks);
		frames += READ_ONCE(c->frames);
		learned += READ_ONCE(c->learned);
		checked += READ_ONCE(per_cpu_ptr(&checks, cpu)->checked);
	}
	seq_puts(m, "state\tsteps\tothers\trefused\twalks\tframes\tlearned_frames\tchecked\tdisagreed\n");
	seq_printf(m, "%s\t%u\t%u\t%u\t%lu\t%lu\t%lu\t%lu\t%d\n", state(), count_steps(TPROF_STEP_CALL),
		   count_steps(TPROF_STEP_OTHER), count_steps(TPROF_STEP_REFUSED), walks, frames, learned, checked,
		   atomic_read(&disagreed));
}
