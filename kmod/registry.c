// SPDX-License-Identifier: GPL-2.0-only
/* Registry of sources: those of this module, and those that other modules register. */
#include <linux/ctype.h>
#include <linux/kmod.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "registry.h"
#include "source.h"

struct registered {
	struct list_head list;			/* under registry_mutex */
	const struct tprof_source_ops *ops;	/* I */
};

static LIST_HEAD(registry);
static DEFINE_MUTEX(registry_mutex);

static struct registered *find(const char *name)
{
	struct registered *registered;

	lockdep_assert_held(&registry_mutex);
	list_for_each_entry(registered, &registry, list) {
		if (strcmp(registered->ops->name, name) == 0)
			return registered;
	}
	return NULL;
}

static bool is_valid(const struct tprof_source_ops *ops)
{
	return ops->version == TPROF_SOURCE_VERSION && ops->name[0] && !ops->name[TPROF_NAME_LEN - 1] && ops->start &&
	       ops->stop && ops->event_size <= TPROF_SOURCE_EVENT_MAX && (!ops->event_size || ops->parse);
}

int tprof_source_register(const struct tprof_source_ops *ops)
{
	struct registered *registered;
	int err = 0;

	if (!is_valid(ops))
		return -EINVAL;
	registered = kzalloc(sizeof(*registered), GFP_KERNEL);
	if (!registered)
		return -ENOMEM;
	registered->ops = ops;
	mutex_lock(&registry_mutex);
	if (find(ops->name))
		err = -EBUSY;
	else
		list_add_tail(&registered->list, &registry);
	mutex_unlock(&registry_mutex);
	if (err)
		kfree(registered);
	return err;
}
EXPORT_SYMBOL_GPL(tprof_source_register);

void tprof_source_unregister(const struct tprof_source_ops *ops)
{
	struct registered *registered;

	mutex_lock(&registry_mutex);
	registered = find(ops->name);
	if (registered && registered->ops == ops)
		list_del(&registered->list);
	else
		registered = NULL;
	mutex_unlock(&registry_mutex);
	kfree(registered);
}
EXPORT_SYMBOL_GPL(tprof_source_unregister);

static const struct tprof_source_ops *get(const char *name)
{
	const struct tprof_source_ops *ops = NULL;
	struct registered *registered;

	mutex_lock(&registry_mutex);
	registered = find(name);
	if (registered && try_module_get(registered->ops->owner))
		ops = registered->ops;
	mutex_unlock(&registry_mutex);
	return ops;
}

/* Only such names go to the program that loads modules. */
static bool is_word(const char *name)
{
	for (; *name; name++) {
		if (!islower(*name) && !isdigit(*name) && *name != '_')
			return false;
	}
	return true;
}

const struct tprof_source_ops *tprof_source_ops_get(const char *name)
{
	const struct tprof_source_ops *ops = get(name);

	if (ops || !is_word(name) || request_module("tprof-source-%s", name))
		return ops;
	return get(name);
}

void tprof_source_ops_put(const struct tprof_source_ops *ops)
{
	module_put(ops->owner);
}

int tprof_source_describe(struct tprof_source_info *info)
{
	struct registered *registered;
	u32 index = 0;
	int err = -ENOENT;

	mutex_lock(&registry_mutex);
	list_for_each_entry(registered, &registry, list) {
		const struct tprof_source_ops *ops = registered->ops;

		if (index++ != info->index)
			continue;
		info->flags = (ops->can_count ? TPROF_SOURCE_CAN_COUNT : 0) | (ops->parse ? TPROF_SOURCE_HAS_ATTR : 0);
		info->min_period = ops->min_period;
		info->max_period = ops->max_period;
		strscpy_pad(info->name, ops->name, sizeof(info->name));
		err = 0;
	}
	mutex_unlock(&registry_mutex);
	return err;
}

unsigned int tprof_source_nr_ops(void)
{
	unsigned int nr;

	mutex_lock(&registry_mutex);
	nr = list_count_nodes(&registry);
	mutex_unlock(&registry_mutex);
	return nr;
}
