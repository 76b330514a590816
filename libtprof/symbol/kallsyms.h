/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* One line of /proc/kallsyms, "address type name[\tobject]", taken apart where it is. */
#ifndef TPROF_KALLSYMS_H
#define TPROF_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kallsyms_line {
	uint64_t start;
	char type;
	bool is_function;		/* neither data nor a marker within the text */
	const char *name, *object;	/* not terminated */
	size_t name_length, object_length;	/* the kernel's own have no object */
};

/* @end is where the line feed is. False for a line that is none, or whose address is hidden. */
bool kallsyms_parse(const char *line, const char *end, struct kallsyms_line *sym);

#endif
