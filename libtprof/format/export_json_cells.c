// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The members of the keys and values of tables as JSON, by type. docs/tprof-run.schema.json describes them. */
#include <inttypes.h>
#include <stdio.h>

#include "export.h"

static const char *const type_names[] = {
	[TPROF_CELL_UNSIGNED] = "unsigned",
	[TPROF_CELL_SIGNED] = "signed",
	[TPROF_CELL_TEXT] = "text",
	[TPROF_CELL_BYTES] = "bytes",
	[TPROF_CELL_ADDRESS] = "address",
	[TPROF_CELL_STACK] = "stack",
	[TPROF_CELL_CGROUP] = "cgroup",
	[TPROF_CELL_TIME] = "time",
	[TPROF_CELL_PROCESS] = "process",
	[TPROF_CELL_THREAD] = "thread",
	[TPROF_CELL_CPU] = "cpu",
	[TPROF_CELL_FLAGS] = "flags",
	[TPROF_CELL_EVENT] = "event",
	[TPROF_CELL_LOG2] = "log2",
	[TPROF_CELL_LOG2_TIME] = "log2_time",
	[TPROF_CELL_LINEAR] = "linear",
};

_Static_assert(sizeof(type_names) / sizeof(type_names[0]) == TPROF_NR_CELL_TYPES, "each type has a name");

/* Is the number a JSON integer? The number of a stack has no meaning outside of the session. */
static bool has_integer(const struct tprof_cell *cell)
{
	switch (cell->type) {
	case TPROF_CELL_TEXT:
	case TPROF_CELL_BYTES:
	case TPROF_CELL_ADDRESS:
	case TPROF_CELL_STACK:
	case TPROF_CELL_LINEAR:
		return false;
	case TPROF_CELL_SIGNED:
		return cell->size <= sizeof(cell->number);
	default:
		return cell->size <= sizeof(cell->number) && cell->number <= INT64_MAX;
	}
}

/* Adds the bounds of a bucket as far as they are JSON integers. An upper bound that is none is missing. */
static int set_bounds(json_t *object, const struct tprof_cell *cell)
{
	if (!cell->to || cell->from > INT64_MAX)
		return 0;
	if (json_object_set_new(object, "from", json_integer((json_int_t)cell->from)))
		return -1;
	return cell->to > INT64_MAX ? 0 : json_object_set_new(object, "to", json_integer((json_int_t)cell->to));
}

/* Members that follow name and type. Addresses are text, because not every reader of JSON has integers of 64 bits. */
static json_t *cell_object(const struct tprof_cell *cell)
{
	json_t *object = json_pack("{ss ss ss}", "name", cell->name, "of", cell->is_value ? "value" : "key", "type",
				   type_names[cell->type]);
	char address[24];
	int err = !object;

	if (!err && cell->type == TPROF_CELL_ADDRESS) {
		snprintf(address, sizeof(address), "0x%" PRIx64, cell->number);
		err = json_object_set_new(object, "address", json_string(address)) ||
		      json_object_set_new(object, "symbol", json_string(cell->text)) ||
		      json_object_set_new(object, "object", json_string(cell->object));
	} else if (!err) {
		if (has_integer(cell))
			err = json_object_set_new(object, "number", json_integer((json_int_t)cell->number));
		err = err || set_bounds(object, cell) || json_object_set_new(object, "text", json_string(cell->text));
	}
	if (!err)
		return object;
	json_decref(object);
	return NULL;
}

json_t *export_json_cells(const struct profile_row *row)
{
	json_t *array = json_array();

	for (size_t i = 0; i < row->nr_cells && array; i++) {
		/* The value of a plain counting table is samples and weight, which the row has already. */
		if (row->cells[i].is_value && !row->row.value[0])
			continue;
		if (!json_array_append_new(array, cell_object(&row->cells[i])))
			continue;
		json_decref(array);
		array = NULL;
	}
	return array;
}
