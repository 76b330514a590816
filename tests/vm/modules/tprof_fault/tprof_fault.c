// SPDX-License-Identifier: GPL-2.0-only
/*
 * Failures of allocations that begin when tprof.ko does, for tests only. What the kernel itself allocates before, to
 * load a module, is not tested, and it warns if it has no memory for jump labels.
 *
 *	/sys/module/tprof_fault/parameters/nth	write N: in the thread that loads tprof.ko next, the Nth operation that
 *						can fail fails, counted from the start of its init
 */
#include <linux/module.h>
#include <linux/sched.h>

static unsigned int nth;
module_param(nth, uint, 0600);
MODULE_PARM_DESC(nth, "the operation of the module's init that fails; 0: none");

static int coming(struct notifier_block *block, unsigned long state, void *data)
{
#ifdef CONFIG_FAULT_INJECTION
	const struct module *module = data;

	if (state == MODULE_STATE_COMING && !strcmp(module->name, "tprof") && nth) {
		current->fail_nth = nth;
		nth = 0;
	}
#endif
	return NOTIFY_DONE;
}

/* After all others. */
static struct notifier_block notifier = { .notifier_call = coming, .priority = INT_MIN };

static int __init fault_init(void)
{
	return register_module_notifier(&notifier);
}
module_init(fault_init);

static void __exit fault_exit(void)
{
	unregister_module_notifier(&notifier);
}
module_exit(fault_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("tprof test: failures in the init of tprof.ko");
