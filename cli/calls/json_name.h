/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of functions, objects and processes as members of JSON, the same for all that report them. */
#ifndef TPROF_JSON_NAME_H
#define TPROF_JSON_NAME_H

#include "base/json.h"
#include "names.h"

/* The object with what there is to say of a name in a report by @group; as json_with(). */
json_t *json_with_name(json_t *object, const struct name *name, enum tprof_group group);

#endif
