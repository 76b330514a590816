/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The JSON that commands write; the library writes the JSON of profiles. Out of memory is NULL: a NULL value makes the
 * containing object or array NULL too, up to json_print(), which reports -ENOMEM.
 */
#ifndef TPROF_JSON_H
#define TPROF_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* Add a member to an object, or an element to an array. Take both references, return the first, or NULL. */
json_t *json_with(json_t *object, const char *name, json_t *value);
json_t *json_and(json_t *array, json_t *value);

/* A string, sanitized by tprof_text__mend(); NULL becomes null. */
json_t *json_of_text(const char *text);
json_t *json_of_count(uint64_t count);
/* A number rounded to multiples of 1/@parts. */
json_t *json_of_decimal(double number, int parts);

/*
 * Write the value to stdout, or to a stream, and free it: as one line, or as members without the braces. 0 or -ENOMEM;
 * write errors are left in the error flag of the stream.
 */
int json_print(json_t *value);
int json_print_to(json_t *value, FILE *out);
int json_print_members(json_t *object);

#endif
