/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Images of a process, newest first: each stands for the time from its birth (fork, exec, or /proc's word) to
 * the birth of the next or to the end of the process.
 */
#ifndef TPROF_IMAGE_H
#define TPROF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/comm.h"
#include "mappings.h"
#include "remapped.h"

struct image {
	struct image *older;
	struct mappings *mappings;	/* shared with images of parent and children; NULL: none */
	struct remapped *remapped;	/* where they changed; NULL: nowhere */
	struct comm *comm;		/* NULL: not known */
	uint64_t birth_ns;		/* 0: before we looked */
	uint64_t end_ns;		/* 0: goes on */
	uint32_t ended_age;		/* comms.age at the time; valid if end_ns */
	bool partial;			/* events told only a part: ask /proc */
	bool dropped;			/* another one had to go when it was added, */
	uint32_t dropped_age;		/* at that age */
};

/*
 * How many a process may have. Programs that run another one time and again have a handful before they are forgotten;
 * for one that has more, nothing has a name for two ages: an address could be one of an image that had to go.
 */
#define IMAGES_MAX 64

/* What all of them share. A zeroed struct is ready. */
struct images {
	struct comms comms;
	struct mappings_pool mappings;
	size_t nr;
};

/*
 * Adds an empty one in its place by time; the one before it ends. Beyond IMAGES_MAX the oldest other one goes. NULL if
 * there is no memory.
 */
struct image *image_add(struct images *images, struct image **newest, uint64_t birth_ns);
/* The one that was alive at that time, or ended last before it; NULL if all are younger. */
struct image *image_at(struct image *newest, uint64_t time_ns);
void image_end(struct images *images, struct image *image, uint64_t time_ns);
/*
 * Adds a mapping of the process @tgid, and remembers where it takes the place of other code. Errors: E2BIG, ENOMEM;
 * then mappings may be missing.
 */
int image_map(struct images *images, struct image *image, const struct mapping *mapping, pid_t tgid);
/* Forgets its mappings: /proc tells what is really mapped, when somebody asks. */
void image_set_partial(struct images *images, struct image *image);
/* Errors: ENOMEM. */
int image_rename(struct images *images, struct image *image, const char *comm);

/* Frees the images that had ended two ages ago. */
void image_list_age(struct images *images, struct image **newest);
void image_list_free(struct images *images, struct image **newest);
/* As aspaces_find(), for the process @tgid. */
const struct mapping *image_list_find(const struct images *images, const struct image *newest, pid_t tgid,
				      uint32_t exec_id, uint64_t ip);
/* As aspaces_process_name(). */
const struct comm *image_list_comm(const struct images *images, const struct image *newest, uint32_t exec_id);

#endif
