// SPDX-License-Identifier: GPL-2.0-only
/* The objects of a flame graph by weight, and their colors. */
#include "flame_objects.h"

#include <errno.h>
#include <stdlib.h>

static long object_number(struct flame_objects *objects, const char *object)
{
	const struct name name = { .text = object, .object = "", .pid = -1 };

	return names_number(&objects->names, &name);
}

static int by_weight(const void *a, const void *b)
{
	const struct flame_object *x = a, *y = b;
	int order = (x->weight < y->weight) - (x->weight > y->weight);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* The object of a name in the flame graph; empty for processes. */
static const char *object_of(const struct name *name)
{
	return flame_kind(name) == FLAME_PROCESS ? "" : name->object;
}

static int number_objects(struct flame_objects *objects, const struct names *names)
{
	for (size_t i = 0; i < names->nr; i++) {
		if (object_number(objects, object_of(&names->names[i])) < 0)
			return -ENOMEM;
	}
	return object_number(objects, "") < 0 ? -ENOMEM : 0;
}

int flame_objects_make(struct flame_objects *objects, const struct flame *flame)
{
	*objects = (struct flame_objects){ 0 };
	if (number_objects(objects, &flame->names))
		return -ENOMEM;
	objects->ranks = calloc(objects->names.nr, sizeof(*objects->ranks));
	objects->rank_of = calloc(objects->names.nr, sizeof(*objects->rank_of));
	if (!objects->ranks || !objects->rank_of)
		return -ENOMEM;
	for (size_t i = 0; i < objects->names.nr; i++)
		objects->ranks[i].number = (uint32_t)i;
	for (size_t i = 0; i < flame->calls.nr; i++) {
		const struct calls_stack *stack = &flame->calls.stacks[i];
		long object = object_number(objects, object_of(&flame->names.names[stack->names[0]]));

		objects->ranks[object].weight += stack->weight;
	}
	/* The empty object must not use up a color, so it ranks last. */
	objects->ranks[object_number(objects, "")].weight = 0;
	qsort(objects->ranks, objects->names.nr, sizeof(*objects->ranks), by_weight);
	for (size_t i = 0; i < objects->names.nr; i++)
		objects->rank_of[objects->ranks[i].number] = (uint32_t)i;
	return 0;
}

void flame_objects_fini(struct flame_objects *objects)
{
	names_fini(&objects->names);
	free(objects->ranks);
	free(objects->rank_of);
	*objects = (struct flame_objects){ 0 };
}

uint32_t flame_objects_rank(struct flame_objects *objects, const struct name *name)
{
	return objects->rank_of[object_number(objects, object_of(name))];
}

uint32_t flame_objects_no_rank(struct flame_objects *objects)
{
	return objects->rank_of[object_number(objects, "")];
}

const char *flame_objects_name(const struct flame_objects *objects, size_t rank)
{
	return objects->names.names[objects->ranks[rank].number].text;
}

int flame_objects_hue(size_t rank)
{
	/* Consecutive hues are far apart on the color wheel. */
	static const int hues[FLAME_NR_HUES] = { 208, 28, 150, 275, 340, 60, 185, 10, 100, 305, 235, 45 };

	return hues[rank];
}
