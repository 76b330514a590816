// SPDX-License-Identifier: GPL-2.0-only
/* Names of functions, objects and processes as JSON members. */
#include "json_name.h"

json_t *json_with_name(json_t *object, const struct name *name, enum tprof_group group)
{
	bool function = names_are_functions(group);

	object = json_with(object, "name", json_of_text(name->function ? name->function : name->text));
	if (function)
		object = json_with(object, "object", json_of_text(name->object));
	if (names_are_code(group))
		object = json_with(object, "mode", json_of_text(tprof_mode__name(name->mode)));
	if (name->pid >= 0)
		object = json_with(object, "pid", json_integer(name->pid));
	if (name->inlined)
		object = json_with(object, "inlined", json_true());
	if (group == TPROF_GROUP_LINE && name->file) {
		object = json_with(object, "file", json_of_text(name->file));
		object = json_with(object, "line", json_integer(name->line));
	}
	return object;
}
