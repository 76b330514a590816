/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* What the symbolizer is made of: the answers (symbolize.c), places (symbolize_place.c), names that come late. */
#ifndef TPROF_SYMBOLIZER_H
#define TPROF_SYMBOLIZER_H

#include "base/hash.h"
#include "base/intern.h"
#include "elf/elf_lines.h"
#include "kernel_build_id.h"
#include "kprograms.h"
#include "ksyms.h"
#include "late_names.h"
#include "perfmaps.h"
#include "symbolize.h"

/* Strings are forgotten when they take as much and twice as much as what was left the last time. */
#define MIN_STRINGS_BYTES (256U << 10)

/* What there is to know of an address. */
struct place {
	struct tprof_frame frame;	/* of the function that has the code */
	uint64_t delta;			/* from the start of it */
	struct tprof_frame inlined[ELF_PLACES_MAX];	/* what is inlined there, the innermost first */
	size_t nr_inlined;
	const char *memory;		/* the frame is one that goes by a text for now; else NULL */
};

struct symbolizer {
	struct aspaces *aspaces;
	struct ksyms *ksyms;
	struct perfmaps *perfmaps;
	struct late_names late;
	struct kprograms programs;
	struct kernel_build_ids build_ids;
	struct intern *strings;		/* of answers, and of names that came late */
	size_t max_strings_bytes;
	struct hash answers;
	bool lines, inlines;
	struct place place;		/* of the address at hand */
};

/* symbolize_place.c: what there is at an address. 0 or -ENOMEM. */
int place_resolve(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip, struct place *place);
/* The code behind which an address is that is returned to. */
uint64_t place_of_return(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t return_address);
/* The place is one that a frame pointer led to. 0 or -ENOMEM. */
int place_mark_frame_pointer(struct symbolizer *symbolizer, struct place *place);
/* The name of a frame that was found by a frame pointer, NULL if there is no memory. */
const char *place_marked_name(const struct symbolizer *symbolizer, const char *symbol);
/* What the side-band knows of the process whose map is asked. */
struct perfmaps_life place_life_of(const struct aspace_program *program);

/* symbolize_late.c: there are no answers, so strings that nobody has any more can go. */
void symbolizer_forget_strings(struct symbolizer *symbolizer);
/* Has one of them come? For late_names_ask(). */
void symbolizer_ask_late(void *symbolizer, struct late_name *late);

#endif
