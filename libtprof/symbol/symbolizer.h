/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Internals of the symbolizer: the cache (symbolize.c), resolving one address (symbolize_place.c), and names that
 * appear late (symbolize_late.c).
 */
#ifndef TPROF_SYMBOLIZER_H
#define TPROF_SYMBOLIZER_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/intern.h"
#include "elf/elf_lines.h"
#include "kernel_build_id.h"
#include "kprograms.h"
#include "ksyms.h"
#include "late_names.h"
#include "perfmaps.h"
#include "symbolize.h"

/* Strings are dropped when they take this much, and twice as much as remained the last time. */
#define MIN_STRINGS_BYTES (256U << 10)

/* The result of resolving an address. */
struct resolved {
	struct tprof_frame frame;	/* the function that contains the code */
	uint64_t delta;			/* offset from the function's start */
	struct tprof_frame inlined[ELF_PLACES_MAX];	/* functions inlined there, innermost first */
	size_t nr_inlined;
	const char *memory;		/* name of the mapping if the frame has a placeholder; else NULL */
};

struct symbolizer {
	struct aspaces *aspaces;
	struct ksyms *ksyms;
	struct perfmaps *perfmaps;
	struct late_names late;
	struct kprograms programs;
	struct kernel_build_ids build_ids;
	struct intern *strings;		/* of cached answers and late names */
	size_t max_strings_bytes;
	struct hash answers;
	struct arena answers_memory;
	/* Strings of the kernel or the module that was looked up last, until symbolizer_age(). */
	struct {
		const char *object, *build_id;
	} kernel;
	bool lines, inlines;
	struct resolved place;		/* scratch: the address being resolved */
};

/* symbolize_place.c: resolves an address. 0 or -ENOMEM. */
int place_resolve(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip, struct resolved *place);
/* The address to resolve for a return address: in the call instruction, if there is one. */
uint64_t place_of_return(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t return_address);
/* Marks the place as found by a frame pointer. 0 or -ENOMEM. */
int place_mark_frame_pointer(struct symbolizer *symbolizer, struct resolved *place);
/* The symbol with the frame pointer mark; NULL if there is no memory. */
const char *place_marked_name(const struct symbolizer *symbolizer, const char *symbol);
/* Side-band events of the process whose map is looked up. */
struct perfmaps_life place_life_of(const struct aspace_program *program);

/* symbolize_late.c: drops the strings that are not in use. The cache must be empty. */
void symbolizer_forget_strings(struct symbolizer *symbolizer);
/* Checks whether the name is known now. For late_names_ask(). */
void symbolizer_ask_late(void *symbolizer, struct late_name *late);

#endif
