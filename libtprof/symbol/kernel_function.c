// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Finds functions of the kernel and its modules by name. */
#include "kernel_function.h"

#include <stdbool.h>
#include <string.h>

/* As the kernel prints a symbol: "ffffffff81000000 t name\t[module]\n". */
static bool is_function(char *line, const char *module, size_t module_length, const char *name)
{
	char *type = strchr(line, ' '), *symbol = type ? strchr(type + 1, ' ') : NULL, *object;

	if (!symbol || !strchr("tTwW", type[1]))
		return false;
	symbol++;
	symbol[strcspn(symbol, "\n")] = '\0';
	object = strchr(symbol, '\t');
	if (object)
		*object++ = '\0';
	if (strcmp(symbol, name) != 0)
		return false;
	return !module || (object && object[0] == '[' && strncmp(object + 1, module, module_length) == 0 &&
			   object[1 + module_length] == ']');
}

unsigned int kernel_function_count(FILE *kallsyms, const char *name)
{
	const char *colon = strchr(name, ':'), *symbol = colon ? colon + 1 : name;
	size_t module_length = colon ? (size_t)(colon - name) : 0;
	char line[1024];
	unsigned int nr = 0;

	while (fgets(line, sizeof(line), kallsyms))
		nr += is_function(line, colon ? name : NULL, module_length, symbol);
	return nr;
}
