/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of functions, objects and processes as JSON members, the same in all commands. */
#ifndef TPROF_JSON_NAME_H
#define TPROF_JSON_NAME_H

#include "base/json.h"
#include "names.h"

/* Adds the members of a name in a report by @group. Takes and returns the object like json_with(). */
json_t *json_with_name(json_t *object, const struct name *name, enum tprof_group group);

#endif
