/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Images of a process, newest first. An image covers the time from its birth (fork, exec, or a scan of /proc) to the
 * birth of the next one or the end of the process.
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
	struct remapped *remapped;	/* where code was replaced; NULL: nowhere */
	struct comm *comm;		/* NULL: unknown */
	uint64_t birth_ns;		/* 0: before the session */
	uint64_t end_ns;		/* 0: still alive */
	uint32_t ended_age;		/* comms.age at its end; valid if end_ns */
	bool partial;			/* events are incomplete: read /proc on demand */
	bool unknown;			/* the process ended before anything was read of it */
	bool dropped;			/* another image was dropped when it was added, */
	uint32_t dropped_age;		/* at this age */
};

/*
 * Maximum number of images per process. Programs that exec repeatedly have a handful before old ones are freed. Beyond
 * the limit, the process has no names for two ages: an address could belong to a dropped image.
 */
#define IMAGES_MAX 64

/* State shared by all images. A zeroed struct is ready. */
struct images {
	struct comms comms;
	struct mappings_pool mappings;
	size_t nr;
};

/*
 * Inserts an empty image by time; the image before it ends. Beyond IMAGES_MAX the oldest other image is dropped.
 * Returns NULL if memory is exhausted.
 */
struct image *image_add(struct images *images, struct image **newest, uint64_t birth_ns);
/* The image that was alive at that time, or the last one that ended before it; NULL if all are younger. */
struct image *image_at(struct image *newest, uint64_t time_ns);
void image_end(struct images *images, struct image *image, uint64_t time_ns);
/*
 * Adds a mapping of the process @tgid, and records where it replaces other code. Errors: E2BIG, ENOMEM; mappings may
 * then be missing.
 */
int image_map(struct images *images, struct image *image, const struct mapping *mapping, pid_t tgid);
/* Drops its mappings: the actual ones are read from /proc on demand. */
void image_set_partial(struct images *images, struct image *image);
/* Errors: ENOMEM. */
int image_rename(struct images *images, struct image *image, const char *comm);

/* Frees the images that ended two ages ago. */
void image_list_age(struct images *images, struct image **newest);
void image_list_free(struct images *images, struct image **newest);
/* Like aspaces_find(), for the process @tgid. */
const struct mapping *image_list_find(const struct images *images, const struct image *newest, pid_t tgid,
				      uint32_t exec_id, uint64_t ip);
/* Like aspaces_process_name(). */
const struct comm *image_list_comm(const struct images *images, const struct image *newest, uint32_t exec_id);

#endif
