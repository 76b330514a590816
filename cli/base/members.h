/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Error messages about options. The library checks their limits, and which of them exclude each other. Its message then
 * begins with the members of the option struct: "rate_hz 200000: the range is ...", "rate_hz and period exclude each
 * other". Users of the command know them by the names of options: "-F 200000: the range is ...".
 */
#ifndef TPROF_MEMBERS_H
#define TPROF_MEMBERS_H

#include "tprof.h"

struct member {
	const char *name;	/* NULL: the end of the table */
	const char *option;
};

/* Replaces the member at the start of the message by its option; and a second one if they are joined by "and". */
void members_to_options(const struct member *members, struct tprof_error *error);

#endif
