// SPDX-License-Identifier: GPL-2.0-only
/* The tree of callers or callees of a function, rebuilt for each profile. */
#include "top_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Branches below this fraction of the function's weight are summed up, because there are few lines. */
#define SMALLEST_PART 100

int top_calls_choose(struct top_calls *calls, const struct tprof_entry *entry)
{
	char *symbol = strdup(entry->symbol), *object = strdup(entry->object);

	if (!symbol || !object) {
		free(symbol);
		free(object);
		return -ENOMEM;
	}
	free(calls->symbol);
	free(calls->object);
	calls->symbol = symbol;
	calls->object = object;
	calls->inlined = entry->inlined;
	return 0;
}

bool top_calls_is(const struct top_calls *calls, const struct tprof_entry *entry)
{
	return calls->symbol && calls->inlined == entry->inlined && !strcmp(calls->symbol, entry->symbol) &&
	       !strcmp(calls->object, entry->object);
}

static bool is_function(const struct top_calls *calls, const struct name *name)
{
	return calls->inlined == name->inlined && !strcmp(calls->object, name->object) &&
	       !strcmp(calls->symbol, name->function ? name->function : name->text);
}

/* The number of the function's name; names.nr: it is not in the profile. */
static size_t find(const struct top_calls *calls)
{
	size_t i = 0;

	while (i < calls->names.nr && !is_function(calls, &calls->names.names[i]))
		i++;
	return i;
}

static int grow(struct top_calls *calls, uint32_t name)
{
	struct tree_way way = { .step = calls->step };
	uint64_t weight = 0;
	size_t nr;
	struct calls_at *stacks = calls_through(&calls->calls, name, calls->step, &nr);
	int err;

	if (!stacks)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		weight += stacks[i].stack->weight;
	way.limit = weight / SMALLEST_PART;
	err = tree_build(&calls->tree, stacks, nr, &way);
	free(stacks);
	return err;
}

int top_calls_make(struct top_calls *calls, const struct tprof_profile *profile, int step)
{
	size_t name;
	int err;

	top_calls_forget(calls);
	calls->step = step;
	if (!calls->symbol)
		return 0;
	err = calls_open(&calls->calls, profile, TPROF_GROUP_FUNCTION, &calls->names);
	name = find(calls);
	if (err || name == calls->names.nr)
		return err;
	err = calls_index(&calls->calls, calls->names.nr);
	return err ? err : grow(calls, (uint32_t)name);
}

void top_calls_forget(struct top_calls *calls)
{
	tree_fini(&calls->tree);
	calls_close(&calls->calls);
	names_fini(&calls->names);
}

void top_calls_free(struct top_calls *calls)
{
	top_calls_forget(calls);
	free(calls->symbol);
	free(calls->object);
	*calls = (struct top_calls){ 0 };
}
