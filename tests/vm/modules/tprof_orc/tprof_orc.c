// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes its own unwind data, for tests only, which no code may do: what tprof has learned from them is wrong then.
 *
 *	/sys/module/tprof_orc/parameters/spin	write N: spins for N milliseconds, in orc_leaf(), called by
 *						orc_callee(), called by orc_caller()
 *	/sys/module/tprof_orc/parameters/skip	write 1: unwinding orc_callee() skips orc_caller(); 0: it does not
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <asm/orc_types.h>

static struct orc_entry *original, *changed;
static unsigned long in_caller, in_callee;	/* return addresses */

static noinline __noclone void orc_leaf(u64 end_ns)
{
	in_callee = (unsigned long)__builtin_return_address(0);
	while (ktime_get_ns() < end_ns)
		cpu_relax();
}

static noinline __noclone void orc_callee(u64 end_ns)
{
	in_caller = (unsigned long)__builtin_return_address(0);
	orc_leaf(end_ns);
	/* Not a tail call. */
	barrier();
}

static noinline __noclone void orc_caller(u64 end_ns)
{
	orc_callee(end_ns);
	barrier();
}

static unsigned int find_entry(unsigned long ip)
{
	const int *table = THIS_MODULE->arch.orc_unwind_ip;
	unsigned int i = 0;

	while (i + 1 < THIS_MODULE->arch.num_orcs && (unsigned long)&table[i + 1] + table[i + 1] <= ip)
		i++;
	return i;
}

/* The step from orc_callee() finds the return address of orc_caller(). */
static int change_copy(void)
{
	struct orc_entry *callee, *caller;

	orc_caller(0);
	callee = &changed[find_entry(in_callee - 1)];
	caller = &changed[find_entry(in_caller - 1)];
	if (callee->sp_reg != ORC_REG_SP || caller->sp_reg != ORC_REG_SP || callee == caller)
		return -EOPNOTSUPP;
	callee->sp_offset += caller->sp_offset;
	return 0;
}

static int set_spin(const char *value, const struct kernel_param *param)
{
	unsigned int ms;
	int err = kstrtouint(value, 0, &ms);

	if (err)
		return err;
	orc_caller(ktime_get_ns() + ms * NSEC_PER_MSEC);
	return 0;
}

static const struct kernel_param_ops spin_ops = {
	.set = set_spin,
};

module_param_cb(spin, &spin_ops, NULL, 0200);
MODULE_PARM_DESC(spin, "write a number: spins for so many milliseconds");

static int set_skip(const char *value, const struct kernel_param *param)
{
	bool skip;
	int err = kstrtobool(value, &skip);

	if (!err)
		WRITE_ONCE(THIS_MODULE->arch.orc_unwind, skip ? changed : original);
	return err;
}

static const struct kernel_param_ops skip_ops = {
	.set = set_skip,
};

module_param_cb(skip, &skip_ops, NULL, 0200);
MODULE_PARM_DESC(skip, "write 1: unwinding skips a function; 0: it does not");

static int __init orc_init(void)
{
	int err;

	original = THIS_MODULE->arch.orc_unwind;
	changed = kmemdup(original, THIS_MODULE->arch.num_orcs * sizeof(*original), GFP_KERNEL);
	if (!changed)
		return -ENOMEM;
	err = change_copy();
	if (err)
		kfree(changed);
	return err;
}

static void __exit orc_exit(void)
{
	WRITE_ONCE(THIS_MODULE->arch.orc_unwind, original);
	/* The unwinder reads the data with preemption disabled. */
	synchronize_rcu();
	kfree(changed);
}

module_init(orc_init);
module_exit(orc_exit);

MODULE_DESCRIPTION("Changes its own unwind data, for tests of tprof");
MODULE_LICENSE("GPL");
