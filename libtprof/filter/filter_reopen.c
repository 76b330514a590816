// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Opens a filter's object file again in another form, because libbpf cannot change an opened object. All settings are
 * copied.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "filter_types.h"

/* Copies the sizes of tables. Table descriptions point into the new object from now on. */
static int move_tables(struct tprof_filter *filter, struct bpf_object *object)
{
	struct table *tables = NULL;
	int nr = tables_find(object, &tables), err = nr < 0 ? nr : 0;

	if (!err && (size_t)nr != filter->nr_tables)
		err = -ENOEXEC;
	for (size_t i = 0; i < filter->nr_tables && !err; i++) {
		if (strcmp(tables[i].name, filter->tables[i].name) != 0)
			err = -ENOEXEC;
		else
			err = table_set_max_entries(&tables[i], table_max_entries(&filter->tables[i]));
		tables[i].is_set = filter->tables[i].is_set;
	}
	if (!err)
		memcpy(filter->tables, tables, filter->nr_tables * sizeof(*tables));
	free(tables);
	return err;
}

/* Copies the size of the ring for stack copies. */
static int move_copies(const struct tprof_filter *filter, struct bpf_object *object)
{
	struct bpf_map *from = filter_map(filter, TPROF_COPIES_NAME);
	struct bpf_map *to = bpf_object__find_map_by_name(object, TPROF_COPIES_NAME);

	if (!from || !to)
		return from || to ? -ENOEXEC : 0;
	return bpf_map__set_max_entries(to, bpf_map__max_entries(from));
}

/* Copies the parameters. */
static int move_constants(struct tprof_filter *filter, struct bpf_object *object)
{
	struct bpf_map *from = filter_map(filter, ".rodata"), *to = bpf_object__find_map_by_name(object, ".rodata");
	size_t from_size = 0, to_size = 0;
	char *into = to ? bpf_map__initial_value(to, &to_size) : NULL;

	bpf_map__initial_value(from, &from_size);
	if (!into || to_size != from_size)
		return -ENOEXEC;
	memcpy(into, filter->rodata, to_size);
	return 0;
}

int filter_reopen(struct tprof_filter *filter, bool whole, uint32_t stack_frames, struct tprof_error *error)
{
	struct bpf_object *object = filter_open_object(filter->path, whole, stack_frames, error);
	int err;

	if (!object)
		return -errno;
	err = move_constants(filter, object);
	if (!err)
		err = move_tables(filter, object);
	if (!err)
		err = move_copies(filter, object);
	if (err) {
		bpf_object__close(object);
		return error_set(error, -err, "%s: %s", filter->path,
				 err == -ENOEXEC ? "has changed since it was opened" : strerror(-err));
	}
	/* They point into the old object. */
	filter_types_free(filter);
	bpf_object__close(filter->object);
	filter->object = object;
	filter_find_programs(filter);
	err = filter_find_constants(filter, error);
	if (!err)
		filter->constants->stack_frames = stack_frames;
	return err;
}

int tprof_filter__set_stack_frames(struct tprof_filter *filter, uint32_t frames)
{
	bool stacks = false;

	if (filter->loaded)
		return error_set(&filter->error, EBUSY, "filter %s: is loaded already", tprof_filter__name(filter));
	if (frames < TPROF_STACK_MIN_FRAMES || frames > TPROF_STACK_MAX_FRAMES) {
		error_set(&filter->error, ERANGE, "stacks of %u frames: the range is %d to %d", frames,
			  TPROF_STACK_MIN_FRAMES, TPROF_STACK_MAX_FRAMES);
		error_hint(&filter->error, "the default is %d", TPROF_STACK_FRAMES);
		return -ERANGE;
	}
	for (size_t i = 0; i < filter->nr_tables; i++)
		stacks |= filter->tables[i].stacks;
	if (!stacks) {
		error_set(&filter->error, ENOENT, "filter %s: has no table of stacks", tprof_filter__name(filter));
		error_hint(&filter->error, "the filters stacks, kstacks and ustacks have one");
		return -ENOENT;
	}
	if (frames == filter->constants->stack_frames)
		return 0;
	return filter_reopen(filter, false, frames, &filter->error);
}
