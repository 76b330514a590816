// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asks the kernel's unwinder for the step from a return address. Its data are not accessible, but it can be called on a
 * made-up stack on which each word is different. Then the caller's registers tell where they were found. Two answers
 * with different frame pointers tell what these places are relative to.
 *
 * Process context, one caller at a time.
 */
#include <linux/kallsyms.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <asm/page.h>
#include <asm/pgtable.h>
#include <asm/unwind.h>

#include "steps.h"

/* Functions with larger frames are left to the unwinder. */
#define STACK_WORDS	1024
#define SP_AT		64		/* space for frame pointers below, and large frames above */
#define BP_AT		500
#define OTHER_BP_AT	531
/* The first word; the next one has the next number. None of them is an address of the kernel. */
#define FIRST_WORD	0x00005a5a00000000UL

static unsigned long stack[STACK_WORDS];

static u64 address_of(unsigned int at)
{
	return (unsigned long)&stack[at];
}

/* Returns the address of a word of the made-up stack; 0: it is not from there. */
static u64 found_at(unsigned long word)
{
	return word - FIRST_WORD < STACK_WORDS ? address_of(word - FIRST_WORD) : 0;
}

/*
 * The task is one that never runs this code: the unwinder would log what it does not understand of the current one.
 * Returns false if the step is not that of a plain call: an error, the end of the stack, saved registers.
 */
static bool ask(struct tprof_step_answer *answer, unsigned long ip, unsigned int bp_at)
{
	struct unwind_state state = {
		.stack_info = {
			.type = STACK_TYPE_TASK, .begin = stack, .end = stack + STACK_WORDS,
		},
		.stack_mask = BIT(STACK_TYPE_TASK),
		.task = &init_task,
		.ip = ip,
		.sp = address_of(SP_AT),
		.bp = address_of(bp_at),
	};

	if (!unwind_next_frame(&state) || state.error || state.regs || state.signal ||
	    state.stack_info.begin != stack || found_at(state.ip) != state.sp - sizeof(long))
		return false;
	answer->bp = address_of(bp_at);
	answer->cfa = state.sp;
	answer->bp_at = state.bp == answer->bp ? 0 : found_at(state.bp);
	return answer->bp_at || state.bp == answer->bp;
}

/*
 * Tests whether a live module has its code at this address: not its init functions, which are freed without notice. The
 * modules are the members of the kset of /sys/module; a module is removed from it before its memory is freed.
 */
static bool is_live_module_text(unsigned long ip)
{
	struct kset *modules = THIS_MODULE->mkobj.kobj.kset;
	bool found = false;
	struct kobject *kobj;

	if (!modules)
		return false;
	spin_lock(&modules->list_lock);
	list_for_each_entry(kobj, &modules->list, entry) {
		const struct module *mod = container_of(kobj, struct module_kobject, kobj)->mod;

		found = mod && within_module_mem_type(ip, mod, MOD_TEXT);
		if (found) {
			found = READ_ONCE(mod->state) == MODULE_STATE_LIVE;
			break;
		}
	}
	spin_unlock(&modules->list_lock);
	return found;
}

/* Code of the kernel image stays where it is. Modules and all generated code are above the image. */
static bool is_image(unsigned long ip)
{
	return ip >= __START_KERNEL_map && ip < MODULES_VADDR;
}

/*
 * A return address follows a call in the same function. The first byte of a function is on a stack where a tracer has
 * put its trampoline, or where a new task begins. (Or where a function ends with a call that does not return.)
 */
static bool is_start_of_function(unsigned long ip)
{
	static char name[KSYM_SYMBOL_LEN];	/* NAME+0xOFFSET/0xSIZE; without a symbol the address */

	sprint_symbol(name, ip);
	return !strstr(name, "+0x") || strstr(name, "+0x0/");
}

/*
 * Refuses all code that is neither of the kernel image nor of a live module: trampolines of ftrace, instructions that
 * kprobes have moved, BPF programs, functions that have been freed.
 */
static bool is_refused(unsigned long ip)
{
	return !(is_image(ip) || is_live_module_text(ip)) || is_start_of_function(ip);
}

u32 tprof_steps_ask(unsigned long ip)
{
	struct tprof_step_answer one, two;

	if (is_refused(ip))
		return TPROF_STEP_REFUSED;
	if (!ask(&one, ip, BP_AT) || !ask(&two, ip, OTHER_BP_AT))
		return TPROF_STEP_OTHER;
	return step_of_answers(address_of(SP_AT), &one, &two);
}

void tprof_steps_ask_init(void)
{
	unsigned int i;

	for (i = 0; i < STACK_WORDS; i++)
		stack[i] = FIRST_WORD + i;
}
