/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON that commands write; profiles are written by the library. What there is no memory for is NULL, and so is all
 * that it should have become a part of, until json_print() says so.
 */
#ifndef TPROF_JSON_H
#define TPROF_JSON_H

#include <jansson.h>
#include <stdint.h>

/* A member, or an element, more. Takes both, returns the first. */
json_t *json_with(json_t *object, const char *name, json_t *value);
json_t *json_and(json_t *array, json_t *value);

/* As tprof_text__mend() leaves it; NULL: null. */
json_t *json_of_text(const char *text);
json_t *json_of_count(uint64_t count);
/* Rounded to 1/@parts. */
json_t *json_of_decimal(double number, int parts);

/* Writes it to stdout and drops it: a line, or members without braces. 0 or -ENOMEM; the stream knows of errors. */
int json_print(json_t *value);
int json_print_members(json_t *object);

#endif
