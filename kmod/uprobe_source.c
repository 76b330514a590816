// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "uprobe": passages of all processes through a place in an executable file, or returns from a function there.
 *
 * The path is looked up once, when the event is added, in the root and with the rights of the caller. The event holds
 * the file, so a file that replaces it at the path is not probed, and the file system stays mounted.
 */
#include <linux/capability.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uprobes.h>

#include "compat.h"
#include "payer.h"
#include "probe.h"
#include "uprobe_source.h"

struct uprobe_event {
	struct path path;			/* holds a reference */
	u64 offset;
	u64 flags;				/* TPROF_PLACE_*; 64 bits, so that there is no padding to compare */
};

struct user_probe {
	struct tprof_probe probe;
	struct uprobe_consumer consumer;
	struct uprobe *uprobe;
};

/* Called in the task that hits, before it returns to user mode; preemptible. @regs: of user mode, at the place. */
static int hit(struct uprobe_consumer *consumer, struct pt_regs *regs TPROF_UPROBE_DATA)
{
	tprof_probe_hit(&container_of(consumer, struct user_probe, consumer)->probe, regs);
	return 0;
}

/* Called as hit(). @regs: after the return. */
static int returned(struct uprobe_consumer *consumer, unsigned long function, struct pt_regs *regs TPROF_UPROBE_DATA)
{
	tprof_probe_hit(&container_of(consumer, struct user_probe, consumer)->probe, regs);
	return 0;
}

static struct inode *inode_of(const struct uprobe_event *event)
{
	return d_real_inode(event->path.dentry);
}

static struct tprof_probe *place(struct tprof_source *source)
{
	const struct uprobe_event *event = tprof_source_event(source);
	struct user_probe *p = kzalloc(sizeof(*p), TPROF_GFP);
	int err;

	if (!p)
		return ERR_PTR(-ENOMEM);
	p->probe.source = source;
	if (event->flags & TPROF_PLACE_RETURN)
		p->consumer.ret_handler = returned;
	else
		p->consumer.handler = hit;
	p->uprobe = uprobe_register(inode_of(event), event->offset, 0, &p->consumer);
	if (!IS_ERR(p->uprobe))
		return &p->probe;
	err = PTR_ERR(p->uprobe);
	kfree(p);
	return ERR_PTR(err == -ENOTSUPP ? -EOPNOTSUPP : err);
}

static void remove(struct tprof_probe *probe)
{
	struct user_probe *p = container_of(probe, struct user_probe, probe);

	uprobe_unregister_nosync(p->uprobe, &p->consumer);
	/* Waits for handlers that are running. */
	uprobe_unregister_sync();
	kfree(p);
}

static int uprobe_parse(const void *attr, size_t size, void *parsed)
{
	const char *text = tprof_probe_text(attr, size);
	const struct tprof_place *given = attr;
	struct uprobe_event *event = parsed;
	int err;

	if (IS_ERR(text))
		return PTR_ERR(text);
	if (!text[0])
		return -ENOENT;
	event->offset = given->offset;
	event->flags = given->flags;
	err = kern_path(text, LOOKUP_FOLLOW, &event->path);
	if (err)
		return err;
	if (d_is_reg(event->path.dentry) && event->offset < i_size_read(inode_of(event)))
		return 0;
	path_put(&event->path);
	return -EINVAL;
}

static void uprobe_release(void *parsed)
{
	struct uprobe_event *event = parsed;

	path_put(&event->path);
}

/* The permission is that of perf_event_open() for a uprobe. */
static int uprobe_check(const void *parsed, u64 period)
{
	return perfmon_capable() ? 0 : -EPERM;
}

static void uprobe_describe(const void *parsed, struct seq_file *m)
{
	const struct uprobe_event *event = parsed;

	seq_puts(m, "path=");
	seq_path(m, &event->path, "\t\n\\");
	seq_printf(m, ",offset=0x%llx%s", event->offset, event->flags & TPROF_PLACE_RETURN ? ",return" : "");
}

const struct tprof_probe_source tprof_source_uprobe = {
	.source = {
		TPROF_PROBE_SOURCE,
		.name = "uprobe",
		.event_size = sizeof(struct uprobe_event),
		.parse = uprobe_parse,
		.release = uprobe_release,
		.check = uprobe_check,
		.describe = uprobe_describe,
	},
	.probe = {
		.place = place,
		.remove = remove,
	},
};
