// SPDX-License-Identifier: GPL-2.0-only
/* JSON of the commands that list and describe. */
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tprof.h"

void json_print(struct json_object *object)
{
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

void json_set_text(struct json_object *object, const char *name, const char *text)
{
	char *mended = text ? strdup(text) : NULL;

	if (mended)
		tprof_text__mend(mended);
	json_object_object_add(object, name, mended ? json_object_new_string(mended) : NULL);
	free(mended);
}

void json_set_number(struct json_object *object, const char *name, int64_t number)
{
	json_object_object_add(object, name, json_object_new_int64(number));
}

void json_set_bool(struct json_object *object, const char *name, int truth)
{
	json_object_object_add(object, name, json_object_new_boolean(truth));
}
