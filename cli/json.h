/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON of the commands that list and describe. Profiles are written by the library. */
#ifndef TPROF_JSON_H
#define TPROF_JSON_H

#include <json-c/json.h>

/* Writes it as one line to stdout and frees it. */
void json_print(struct json_object *object);

/* Sets a member; text is written as tprof_text__mend() leaves it, and may be NULL for null. */
void json_set_text(struct json_object *object, const char *name, const char *text);
void json_set_number(struct json_object *object, const char *name, int64_t number);
void json_set_bool(struct json_object *object, const char *name, int truth);

#endif
