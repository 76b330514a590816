// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "kprobe": passages through a place in the kernel, or returns from a function.
 *
 * The place is text that belongs to the module, so the kernel looks up the function when the source is prepared. If the
 * function belongs to a module that is unloaded, the probe ends with it.
 */
#include <linux/capability.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "kprobe_source.h"
#include "payer.h"
#include "probe.h"

struct kprobe_event {
	u64 offset;				/* without a function: the address */
	u32 flags;				/* TPROF_PLACE_* */
	char function[TPROF_MAX_FUNCTION_LEN];
};

struct kernel_probe {
	struct tprof_probe probe;
	bool returns;
	struct kretprobe kretprobe;		/* a probe that is not for returns uses only kretprobe.kp */
};

/*
 * Called by the kernel with preemption disabled, in any context. The kernel does not call it while another handler of a
 * kprobe runs on the CPU. On x86 the handler sees the address after the breakpoint, which may be that of another
 * instruction.
 */
static int hit(struct kprobe *kp, struct pt_regs *regs)
{
	struct kernel_probe *p = container_of(kp, struct kernel_probe, kretprobe.kp);
	unsigned long ip = instruction_pointer(regs);

	instruction_pointer_set(regs, (unsigned long)kp->addr);
	tprof_probe_hit(&p->probe, regs);
	instruction_pointer_set(regs, ip);
	return 0;
}
NOKPROBE_SYMBOL(hit);

/* Called as hit(). The registers are those of the caller, after the return. */
static int returned(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *kretprobe = get_kretprobe(instance);

	/* NULL: the probe is being removed. */
	if (kretprobe)
		tprof_probe_hit(&container_of(kretprobe, struct kernel_probe, kretprobe)->probe, regs);
	return 0;
}
NOKPROBE_SYMBOL(returned);

/* When it returns, no handler runs. */
static void unregister(struct kernel_probe *p)
{
	if (p->returns)
		unregister_kretprobe(&p->kretprobe);
	else
		unregister_kprobe(&p->kretprobe.kp);
}

/*
 * Functions of this module are refused: the delivery of a sample would hit the probe and fire the next one.
 * @flags: KPROBE_FLAG_DISABLED: the probe does not hit.
 */
static struct kernel_probe *probe_new(struct tprof_source *source, const struct kprobe_event *event, u32 flags)
{
	struct kernel_probe *p = kzalloc(sizeof(*p), TPROF_GFP);
	struct kprobe *kp;
	int err;

	if (!p)
		return ERR_PTR(-ENOMEM);
	p->probe.source = source;
	p->returns = event->flags & TPROF_PLACE_RETURN;
	kp = &p->kretprobe.kp;
	kp->flags = flags;
	if (event->function[0]) {
		kp->symbol_name = event->function;
		kp->offset = event->offset;
	} else {
		kp->addr = (kprobe_opcode_t *)(unsigned long)event->offset;
	}
	if (p->returns) {
		p->kretprobe.handler = returned;
		err = register_kretprobe(&p->kretprobe);
	} else {
		kp->pre_handler = hit;
		err = register_kprobe(kp);
	}
	if (!err && !within_module((unsigned long)kp->addr, THIS_MODULE))
		return p;
	if (!err)
		unregister(p);
	kfree(p);
	return ERR_PTR(err == -ENOTSUPP ? -EOPNOTSUPP : err ?: -EINVAL);
}

static void probe_free(struct kernel_probe *p)
{
	unregister(p);
	kfree(p);
}

static struct tprof_probe *place(struct tprof_source *source)
{
	struct kernel_probe *p = probe_new(source, tprof_source_event(source), 0);

	if (IS_ERR(p))
		return ERR_CAST(p);
	return &p->probe;
}

static void remove(struct tprof_probe *probe)
{
	probe_free(container_of(probe, struct kernel_probe, probe));
}

/* The kernel ran another handler of a kprobe, or the function ran more often at once than the kernel keeps track of. */
static u64 missed(const struct tprof_probe *probe)
{
	const struct kernel_probe *p = container_of(probe, struct kernel_probe, probe);

	return READ_ONCE(p->kretprobe.kp.nmissed) + (p->returns ? READ_ONCE(p->kretprobe.nmissed) : 0);
}

static int kprobe_parse(const void *attr, size_t size, void *parsed)
{
	const char *text = tprof_probe_text(attr, size);
	const struct tprof_place *given = attr;
	struct kprobe_event *event = parsed;

	if (IS_ERR(text))
		return PTR_ERR(text);
	if (text[0] && given->offset > UINT_MAX)
		return -EINVAL;
	if (strscpy(event->function, text, sizeof(event->function)) < 0)
		return -ENAMETOOLONG;
	event->offset = given->offset;
	event->flags = given->flags;
	return 0;
}

/* The permissions are those that perf_event_open() and tracefs need for a kprobe. */
static int kprobe_check(const void *parsed, u64 period)
{
	struct kernel_probe *p;
	int err;

	if (!perfmon_capable())
		return -EPERM;
	err = security_locked_down(LOCKDOWN_KPROBES);
	if (err)
		return err;
	p = probe_new(NULL, parsed, KPROBE_FLAG_DISABLED);
	if (IS_ERR(p))
		return PTR_ERR(p);
	probe_free(p);
	return 0;
}

static void kprobe_describe(const void *parsed, struct seq_file *m)
{
	const struct kprobe_event *event = parsed;

	if (event->function[0])
		seq_printf(m, "function=%s,offset=0x%llx", event->function, event->offset);
	else
		seq_printf(m, "address=0x%llx", event->offset);
	if (event->flags & TPROF_PLACE_RETURN)
		seq_puts(m, ",return");
}

const struct tprof_probe_source tprof_source_kprobe = {
	.source = {
		TPROF_PROBE_SOURCE,
		.name = "kprobe",
		.event_size = sizeof(struct kprobe_event),
		.parse = kprobe_parse,
		.check = kprobe_check,
		.describe = kprobe_describe,
	},
	.probe = {
		.place = place,
		.remove = remove,
		.missed = missed,
	},
};
