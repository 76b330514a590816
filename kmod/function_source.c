// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module tprof_function: the source "function", calls of all functions of the kernel whose name matches a pattern, by
 * tasks. Calls by handlers of interrupts are not those of the task that they interrupt, and the delivery of a sample is
 * such a handler: its calls would cause the next delivery. For the same reason, calls by idle CPUs do not count.
 *
 * ftrace calls the handler at the start of each function, in any context. It does not call the handler again on the
 * same CPU and in the same context while the handler runs, nor where RCU does not watch. Code of tprof is compiled
 * without the calls of ftrace.
 */
#include <linux/capability.h>
#include <linux/ctype.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "payer.h"
#include "probe.h"

struct function_event {
	char pattern[TPROF_MAX_FUNCTION_LEN];
};

struct function_probe {
	struct tprof_probe probe;
	struct ftrace_ops ops;
	const char *names;			/* I: pattern of the names that ftrace knows of the functions */
};

/* Called with preemption disabled. */
static void called(unsigned long ip, unsigned long caller, struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct function_probe *p = container_of(ops, struct function_probe, ops);

	if (in_task() && !is_idle_task(current))
		tprof_probe_hit(&p->probe, ftrace_get_regs(fregs));
}
/* With all functions of the kernel, each call in the delivery of a hit would be the next hit. */
NOKPROBE_SYMBOL(called);

/*
 * Functions that the entry to and the exit from an interrupt call while the kernel does not count as in one. The
 * interrupt may be that of the delivery.
 */
static const char *const around_interrupts[] = { "irq_enter*", "irq_exit*", "__irq_exit*", "*_irq_enter", "*_irq_exit",
						 "*preempt_schedule_irq", "irqentry_*", "ct_*" };

/* Characters with a meaning in a pattern. */
#define SPECIAL "*?[]\\"

/* The number of characters at the end of a pattern that a name must have there. */
static size_t literal_end(const char *pattern)
{
	size_t length = strlen(pattern), nr = 0;

	while (nr < length && !strchr(SPECIAL, pattern[length - 1 - nr]))
		nr++;
	return nr;
}

/* Whether a name might match both patterns: false if they begin, or end, with other characters. */
static bool may_share_names(const char *a, const char *b)
{
	size_t begin = min(strcspn(a, SPECIAL), strcspn(b, SPECIAL)), end = min(literal_end(a), literal_end(b));

	return !strncmp(a, b, begin) && !strcmp(a + strlen(a) - end, b + strlen(b) - end);
}

/* ftrace compares each pattern with the names of all functions, which takes long; most of these have no effect. */
static int leave_out(struct function_probe *p)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(around_interrupts) && !err; i++) {
		char *pattern;

		if (!may_share_names(p->names, around_interrupts[i]))
			continue;
		pattern = kstrdup(around_interrupts[i], TPROF_GFP);
		if (!pattern)
			return -ENOMEM;
		err = ftrace_set_notrace(&p->ops, (unsigned char *)pattern, strlen(pattern), 0);
		kfree(pattern);
		/* The kernel has none of these. */
		if (err == -EINVAL)
			err = 0;
	}
	return err;
}

/* ftrace knows one name of each function; finds it by another name through a probe, which is never armed. */
static int set_alias(struct function_probe *p, const char *name)
{
	struct kprobe probe = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };
	int err = register_kprobe(&probe);

	if (err)
		return -ENOENT;
	p->names = "*";
	err = ftrace_set_filter_ip(&p->ops, (unsigned long)probe.addr, 0, 1);
	unregister_kprobe(&probe);
	return err ? -ENOENT : 0;
}

/* Returns -ENOENT if no function has such a name that ftrace can trace. */
static int set_pattern(struct function_probe *p, const struct function_event *event)
{
	/* The kernel changes it. */
	char *pattern = kstrdup(event->pattern, TPROF_GFP);
	int err;

	if (!pattern)
		return -ENOMEM;
	p->names = event->pattern;
	err = ftrace_set_filter(&p->ops, (unsigned char *)pattern, strlen(pattern), 1);
	kfree(pattern);
	if (err != -EINVAL)
		return err;
	return strpbrk(event->pattern, "*?[") ? -ENOENT : set_alias(p, event->pattern);
}

static void probe_free(struct function_probe *p)
{
	ftrace_free_filter(&p->ops);
	kfree(p);
}

static struct function_probe *probe_new(struct tprof_source *source, const struct function_event *event)
{
	struct function_probe *p = kzalloc(sizeof(*p), TPROF_GFP);
	int err;

	if (!p)
		return ERR_PTR(-ENOMEM);
	p->probe.source = source;
	p->ops.func = called;
	p->ops.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RCU;
	err = set_pattern(p, event);
	if (!err)
		return p;
	probe_free(p);
	return ERR_PTR(err);
}

static struct tprof_probe *place(struct tprof_source *source)
{
	struct function_probe *p = probe_new(source, tprof_source_event(source));
	int err;

	if (IS_ERR(p))
		return ERR_CAST(p);
	err = leave_out(p);
	if (!err)
		err = register_ftrace_function(&p->ops);
	if (!err)
		return &p->probe;
	probe_free(p);
	return ERR_PTR(err);
}

static void remove(struct tprof_probe *probe)
{
	struct function_probe *p = container_of(probe, struct function_probe, probe);

	/* Waits for handlers that are running. */
	unregister_ftrace_function(&p->ops);
	probe_free(p);
}

static int function_parse(const void *attr, size_t size, void *parsed)
{
	const char *text = tprof_probe_text(attr, size);
	const struct tprof_place *given = attr;
	struct function_event *event = parsed;

	if (IS_ERR(text))
		return PTR_ERR(text);
	/* For ftrace, an exclamation mark is "all but these", and a digit begins an index into its list. */
	if (!text[0] || text[0] == '!' || isdigit(text[0]) || given->offset || given->flags)
		return -EINVAL;
	return strscpy(event->pattern, text, sizeof(event->pattern)) < 0 ? -ENAMETOOLONG : 0;
}

/* The permissions are those that perf_event_open() and tracefs need to trace functions. */
static int function_check(const void *parsed, u64 period)
{
	struct function_probe *p;
	int err;

	if (!perfmon_capable())
		return -EPERM;
	err = security_locked_down(LOCKDOWN_TRACEFS);
	if (err)
		return err;
	p = probe_new(NULL, parsed);
	if (IS_ERR(p))
		return PTR_ERR(p);
	probe_free(p);
	return 0;
}

static void function_describe(const void *parsed, struct seq_file *m)
{
	const struct function_event *event = parsed;

	seq_printf(m, "pattern=%s", event->pattern);
}

static const struct tprof_probe_source source = {
	.source = {
		TPROF_PROBE_SOURCE,
		.name = "function",
		.event_size = sizeof(struct function_event),
		.parse = function_parse,
		.check = function_check,
		.describe = function_describe,
	},
	.probe = {
		.place = place,
		.remove = remove,
	},
};

static int __init function_source_init(void)
{
	return tprof_source_register(&source.source);
}

static void __exit function_source_exit(void)
{
	tprof_source_unregister(&source.source);
}

module_init(function_source_init);
module_exit(function_source_exit);
MODULE_ALIAS("tprof-source-function");
MODULE_DESCRIPTION("Source of tprof: calls of functions of the kernel");
MODULE_VERSION(TPROF_VERSION);
MODULE_LICENSE("GPL");
