// SPDX-License-Identifier: GPL-2.0-only
/* Names of functions, objects and processes as members of JSON. */
#include "json_name.h"

void json_set_name(struct json_object *object, const struct name *name, enum tprof_group group)
{
	bool function = names_are_functions(group);

	json_set_text(object, "name", name->function ? name->function : name->text);
	if (function)
		json_set_text(object, "object", name->object);
	if (names_are_code(group))
		json_set_text(object, "mode", tprof_mode__name(name->mode));
	if (name->pid >= 0)
		json_set_number(object, "pid", name->pid);
	if (name->inlined)
		json_set_bool(object, "inlined", true);
	if (group == TPROF_GROUP_LINE && name->file) {
		json_set_text(object, "file", name->file);
		json_set_number(object, "line", name->line);
	}
}
