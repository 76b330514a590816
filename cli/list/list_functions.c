// SPDX-License-Identifier: GPL-2.0-only
/* The functions of an object: the name that profiles show, and all aliases. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/out.h"
#include "list.h"

/* Prints one line per name; address and size are on the first line of the function. */
static int print_function(struct list *list, const struct tprof_function *function)
{
	/* The symbol differs from the readable name if it is mangled or has a version. */
	const char *symbol = strcmp(function->symbol, function->name) ? function->symbol : NULL;

	if (!list->nr++)
		printf("%-18s %10s    %s\n", "ADDRESS", "SIZE", "FUNCTION");
	if (function->is_shown)
		printf("0x%016" PRIx64 " %10" PRIu64 "    ", function->address, function->size);
	else
		printf("%-18s %10s  = ", "", "");
	printf(symbol ? "%s  (%s)\n" : "%s\n", function->name, symbol);
	return 0;
}

/* Adds one object per function, with its aliases in an array. */
static int pack_function(struct list *list, const struct tprof_function *function)
{
	json_t *name = json_pack("{so so}", "name", json_of_text(function->name),
				 "symbol", json_of_text(function->symbol));
	json_t *last;

	list->nr++;
	if (!function->is_shown) {
		last = json_array_get(list->array, json_array_size(list->array) - 1);
		return json_array_append_new(json_object_get(last, "others"), name) ? -ENOMEM : 0;
	}
	if (!name || json_object_set_new(name, "address", json_integer((json_int_t)function->address)) ||
	    json_object_set_new(name, "size", json_integer((json_int_t)function->size)) ||
	    json_object_set_new(name, "others", json_array())) {
		json_decref(name);
		return -ENOMEM;
	}
	return list_append(list, name);
}

static int list_function(void *ctx, const struct tprof_function *function)
{
	struct list *list = ctx;

	return list->json ? pack_function(list, function) : print_function(list, function);
}

int list_functions(struct list *list)
{
	const char *object = list->operands[1], *pattern = list->operands[2];
	struct tprof_error error = { 0 };
	int err = tprof_function__each(object, pattern, list_function, list, &error);

	if (err && error.text[0])
		return out_error_of(&error, err);
	if (err || list->nr)
		return out_written(err);
	if (pattern)
		out_error("quote the pattern, so that the shell does not expand it: 'mem*'",
			  "%s: no function matches %s", object, pattern);
	else
		out_error("install its debug symbols", "%s: has no function symbols", object);
	return EXIT_FAILURE;
}
