// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events as clients describe them. All that depends on the memory, the names or the rights of a client is resolved
 * here, once, in its context; sessions, CPU hotplug and other processes then use the result.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "choice.h"
#include "payer.h"
#include "registry.h"
#include "source.h"

static int check_period(const struct tprof_source_ops *ops, u64 period)
{
	if (!period)
		return ops->can_count ? 0 : -EINVAL;
	if (period < ops->min_period || (ops->max_period && period > ops->max_period) || period > S64_MAX)
		return -EINVAL;
	return 0;
}

static int fill(struct tprof_choice *choice, const void *attr, size_t attr_size)
{
	const struct tprof_source_ops *ops = choice->ops;
	int err = 0;

	if (ops->parse)
		err = ops->parse(attr, attr_size, choice->event);
	if (err)
		return err;
	if (ops->check)
		err = ops->check(choice->event, choice->period);
	if (err && ops->release)
		ops->release(choice->event);
	return err;
}

struct tprof_choice *tprof_choice_new(const char *source, const void *attr, size_t attr_size, u64 period)
{
	const struct tprof_source_ops *ops = tprof_source_ops_get(source);
	struct tprof_choice *choice = NULL;
	int err;

	if (!ops)
		return ERR_PTR(-ENOENT);
	err = attr_size && !ops->parse ? -EINVAL : check_period(ops, period);
	if (err)
		goto fail;
	err = -ENOMEM;
	/* One byte more, as in the copy of a source, which is not empty for a source with a single event. */
	choice = kzalloc(sizeof(*choice) + ops->event_size + 1, TPROF_GFP);
	if (!choice)
		goto fail;
	choice->ops = ops;
	choice->period = period;
	err = fill(choice, attr, attr_size);
	if (!err)
		return choice;
fail:
	kfree(choice);
	tprof_source_ops_put(ops);
	return ERR_PTR(err);
}

void tprof_choice_free(struct tprof_choice *choice)
{
	if (!choice)
		return;
	if (choice->ops->release)
		choice->ops->release(choice->event);
	tprof_source_ops_put(choice->ops);
	kfree(choice);
}
