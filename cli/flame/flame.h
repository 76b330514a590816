/* SPDX-License-Identifier: GPL-2.0-only */
/* Pictures of a profile: what they show, and the two kinds of files. */
#ifndef TPROF_FLAME_H
#define TPROF_FLAME_H

#include <stdio.h>

#include "calls/tree.h"

struct flame {
	const struct tprof_profile *profile;
	const char *title;
	struct names names;
	struct calls calls;
	struct tree tree;		/* each stack below its process */
	uint64_t smallest;		/* a box has no less */
	bool by_object;			/* colours, not by kind */
	bool change;			/* samples of tallies are the weight in another profile */
};

/* A box is one such part of all at least: a pixel, and on the page, where one zooms, a pixel of a thousandth of it. */
enum { FLAME_SVG_PARTS = 1200, FLAME_PAGE_PARTS = 1000000 };

/*
 * Makes the tree of a profile with at most so many boxes, each at least one part of all; what is left out is put
 * together. Returns 0 or -ENOMEM; to be freed in any case. With another profile, boxes say what they weighed there.
 */
int flame_make(struct flame *flame, const struct tprof_profile *before, size_t boxes, uint64_t parts);
void flame_fini(struct flame *flame);

/* What a box is, as the page's style calls it. */
enum flame_kind { FLAME_USER, FLAME_KERNEL, FLAME_PROCESS, FLAME_MARK, FLAME_REST, FLAME_NR_KINDS };
const char *flame_kind_name(enum flame_kind kind);
enum flame_kind flame_kind(const struct name *name);
/* The name of boxes for what is left out. */
#define FLAME_REST_NAME "[smaller ones]"

/* "perf, 997 Hz, 2 CPUs, 12.3 s" */
void flame_about(const struct flame *flame, char *text, size_t size);
/* "9 samples, none lost", or how many are missing in the picture. */
void flame_loss(const struct flame *flame, char *text, size_t size);

/* Write the file. Return 0 or -ENOMEM; the stream's error flag tells whether all went well. */
int flame_page(const struct flame *flame, FILE *out);
int flame_svg(const struct flame *flame, FILE *out);

/* The data of the page, as JSON that cannot end the element it is in. */
int flame_data(const struct flame *flame, FILE *out);

#endif
