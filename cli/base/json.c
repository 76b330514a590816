// SPDX-License-Identifier: GPL-2.0-only
/* The JSON that commands write. */
#include "json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tprof.h"

/* Significant digits. With 15, a decimal rounded by json_of_decimal() is printed without binary noise. */
#define REAL_DIGITS 15

json_t *json_with(json_t *object, const char *name, json_t *value)
{
	if (!json_object_set_new(object, name, value))
		return object;
	json_decref(object);
	return NULL;
}

json_t *json_and(json_t *array, json_t *value)
{
	if (!json_array_append_new(array, value))
		return array;
	json_decref(array);
	return NULL;
}

json_t *json_of_text(const char *text)
{
	char *mended = text ? strdup(text) : NULL;
	json_t *value;

	if (!mended)
		return text ? NULL : json_null();
	tprof_text__mend(mended);
	value = json_string(mended);
	free(mended);
	return value;
}

json_t *json_of_count(uint64_t count)
{
	return count <= INT64_MAX ? json_integer((json_int_t)count) : json_real((double)count);
}

json_t *json_of_decimal(double number, int parts)
{
	double shifted = number * parts;

	/* A larger double has no digits left to round. */
	if (shifted > -1e15 && shifted < 1e15)
		number = (double)(int64_t)(shifted + (shifted < 0 ? -0.5 : 0.5)) / parts;
	return json_real(number);
}

static int print(json_t *value, FILE *out, size_t flags)
{
	int err = !value || json_dumpf(value, out, flags | JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS));

	json_decref(value);
	return err && !ferror(out) ? -ENOMEM : 0;
}

int json_print_to(json_t *value, FILE *out)
{
	int err = print(value, out, 0);

	if (!err)
		fputc('\n', out);
	return err;
}

int json_print(json_t *value)
{
	return json_print_to(value, stdout);
}

int json_print_members(json_t *object)
{
	return print(object, stdout, JSON_EMBED);
}
