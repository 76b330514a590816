/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Definitions of a raw recording (raw.h): strings, frames, call stacks and tasks, which are written once and referred
 * to by number.
 */
#ifndef TPROF_RAW_DEFINE_H
#define TPROF_RAW_DEFINE_H

#include <stdint.h>

#include "raw_numbers.h"
#include "raw_out.h"
#include "tprof.h"

struct raw_recent;

struct raw_definitions {
	struct raw_out *out;
	struct raw_numbers strings, frames, call_stacks, tasks;
	struct raw_recent *recent;
	uint8_t *call_stack;		/* scratch: encoding of the current call stack */
	size_t call_stack_capacity;
};

/* Errors: ENOMEM. */
int raw_definitions_init(struct raw_definitions *definitions, struct raw_out *out);
void raw_definitions_fini(struct raw_definitions *definitions);

/* Bytes in use. */
size_t raw_definitions_memory(const struct raw_definitions *definitions);

/* Drops all definitions, and writes that. */
int raw_definitions_forget(struct raw_definitions *definitions);

/* Call when strings that were given may change. */
void raw_definitions_age(struct raw_definitions *definitions);

/* These find or write a definition and return its number, or -ENOMEM. A failed write is reported by the next one. */
int64_t raw_define_call_stack(struct raw_definitions *definitions, const struct tprof_frame *const *frames, size_t nr);
int64_t raw_define_task(struct raw_definitions *definitions, const struct tprof_raw_sample *sample);

/* Writes the name of a frame that was defined without one. */
int raw_define_name(struct raw_definitions *definitions, const struct tprof_frame *frame, const char *symbol,
		    const char *object);

#endif
