/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Parser for one line of /proc/kallsyms, "address type name[\tobject]". Nothing is copied. */
#ifndef TPROF_KALLSYMS_H
#define TPROF_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kallsyms_line {
	uint64_t start;
	char type;
	bool is_function;		/* neither data nor a marker within the text */
	const char *name, *object;	/* point into the line, not terminated */
	size_t name_length, object_length;	/* bytes; symbols of the core kernel have no object */
};

/* @end points at the newline. Returns false for a malformed line and for a hidden address (0). */
bool kallsyms_parse(const char *line, const char *end, struct kallsyms_line *sym);

/* Text symbols that are not functions: section boundaries (_etext, __irqentry_text_end) and padding. */
bool kallsyms_is_marker(const char *name, size_t length);

#endif
