/* SPDX-License-Identifier: GPL-2.0-only */
/* Flame graphs of a profile, and their two file formats: page and picture. */
#ifndef TPROF_FLAME_H
#define TPROF_FLAME_H

#include <stdio.h>

#include "calls/tree.h"

struct flame {
	const struct tprof_profile *profile;
	const char *title;
	struct names names;
	struct calls calls;
	struct tree tree;		/* the process is the root of each stack */
	uint64_t smallest;		/* minimum weight of a box */
	bool by_object;			/* color by object instead of by kind */
	bool change;			/* the samples of tallies are the weight in the other profile */
	const struct flame *others;	/* of the same profile, for its other events; the page lets its user choose */
	size_t nr_others;
};

/*
 * The minimum share of a box is one part: one pixel in a picture and, because a page can be zoomed, one pixel at a zoom
 * of about 1,000 on a page.
 */
enum { FLAME_SVG_PARTS = 1200, FLAME_PAGE_PARTS = 1000000 };

/*
 * Makes the tree of a profile with at most @boxes boxes, each at least 1/@parts of the total weight; smaller boxes are
 * summed up. With @before (or NULL), boxes also have their weight in that profile. 0 or -ENOMEM; call flame_fini() in
 * any case.
 */
int flame_make(struct flame *flame, const struct tprof_profile *before, size_t boxes, uint64_t parts);
void flame_fini(struct flame *flame);

/* The kind of a box; flame_kind_name() is its class in the style sheet. From FLAME_READY to FLAME_WAITING: of waits. */
enum flame_kind {
	FLAME_USER, FLAME_KERNEL, FLAME_PROCESS, FLAME_MARK, FLAME_READY, FLAME_DISK, FLAME_LOCK, FLAME_NETWORK,
	FLAME_SLEEP, FLAME_WAITING, FLAME_REST, FLAME_NR_KINDS,
};
const char *flame_kind_name(enum flame_kind kind);
enum flame_kind flame_kind(const struct name *name);
/* Is it in the legend? Kinds of waits are if they occur. */
bool flame_shows_kind(const struct flame *flame, enum flame_kind kind);
/* The name of boxes that sum up smaller ones. */
#define FLAME_REST_NAME "[smaller ones]"

/* Formats "engine perf, 997 Hz, 2 CPUs, 12.3 s". */
void flame_about(const struct flame *flame, char *text, size_t size);
/* Formats "9 samples, none lost", or the number of lost samples. */
void flame_loss(const struct flame *flame, char *text, size_t size);

/* Write the file. Return 0 or -ENOMEM; write errors are left in the error flag of the stream. */
int flame_page(const struct flame *flame, FILE *out);
int flame_svg(const struct flame *flame, FILE *out);

/* Writes the data of the page, as JSON that cannot close the HTML element around it. */
int flame_data(const struct flame *flame, FILE *out);

#endif
