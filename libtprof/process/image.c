// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Images of a process, newest first. */
#include "image.h"

#include <errno.h>
#include <stdlib.h>

static void image_free(struct images *images, struct image *image)
{
	mappings_put(&images->mappings, image->mappings);
	free(image->remapped);
	comms_put(&images->comms, image->comm);
	free(image);
	images->nr--;
}

/* If there are too many images, drops the oldest one except @except. */
static void drop_oldest(struct images *images, struct image **newest, struct image *except)
{
	struct image **oldest = NULL, *image;
	size_t nr = 0;

	for (struct image **at = newest; *at; at = &(*at)->older) {
		if (*at != except)
			oldest = at;
		nr++;
	}
	if (nr <= IMAGES_MAX || !oldest)
		return;
	image = *oldest;
	*oldest = image->older;
	image_free(images, image);
	except->dropped = true;
	except->dropped_age = images->comms.age;
}

static bool some_were_dropped(const struct images *images, const struct image *newest)
{
	for (; newest; newest = newest->older)
		if (newest->dropped && images->comms.age - newest->dropped_age < 2)
			return true;
	return false;
}

struct image *image_add(struct images *images, struct image **newest, uint64_t birth_ns)
{
	struct image *image = calloc(1, sizeof(*image)), *newer = NULL, **at = newest;

	if (!image)
		return NULL;
	while (*at && (*at)->birth_ns > birth_ns) {
		newer = *at;
		at = &newer->older;
	}
	image->birth_ns = birth_ns;
	image->older = *at;
	*at = image;
	images->nr++;
	if (image->older)
		image_end(images, image->older, birth_ns);
	if (newer)
		image_end(images, image, newer->birth_ns);
	drop_oldest(images, newest, image);
	return image;
}

struct image *image_at(struct image *newest, uint64_t time_ns)
{
	while (newest && newest->birth_ns > time_ns)
		newest = newest->older;
	return newest;
}

void image_end(struct images *images, struct image *image, uint64_t time_ns)
{
	if (image->end_ns)
		return;
	image->end_ns = time_ns ? time_ns : 1;
	image->ended_age = images->comms.age;
}

/*
 * Does an address map to the same byte of the same file in both? Never true for memory without a file, whose content
 * differs after exec.
 */
static bool same_code(const struct mapping *a, const struct mapping *b, pid_t tgid)
{
	if (a->pgoff - a->start != b->pgoff - b->start)
		return false;
	/* The identities from /proc and from events differ, so compares the opened files. */
	dso_open_late(a->dso, tgid, a->start, a->end);
	dso_open_late(b->dso, tgid, b->start, b->end);
	return dso_is_same(a->dso, b->dso) && !dso_is_anonymous(a->dso);
}

/*
 * Does @mapping replace code in [@start, @end)? Not counted: JIT compilers, which replace their own code all the time,
 * and gaps without code in a file that the kernel first mapped as a whole (the vdso is often placed there).
 */
static bool takes_the_place(const struct mapping *mapping, const struct mapping *of, uint64_t start, uint64_t end,
			    pid_t tgid)
{
	return !same_code(mapping, of, tgid) && !(dso_is_anonymous(mapping->dso) && dso_is_anonymous(of->dso)) &&
	       dso_has_code(of->dso, start - of->start + of->pgoff, end - start);
}

int image_map(struct images *images, struct image *image, const struct mapping *mapping, pid_t tgid)
{
	const struct mapping *old = mappings_first(image->mappings, mapping->start, mapping->end);

	while (old) {
		uint64_t start = old->start > mapping->start ? old->start : mapping->start;
		uint64_t end = old->end < mapping->end ? old->end : mapping->end;
		int err = 0;

		if (takes_the_place(mapping, old, start, end, tgid))
			err = remapped_note(&image->remapped, start, end, images->comms.age);
		if (err)
			return err;
		old = mappings_first(image->mappings, end, mapping->end);
	}
	return mappings_insert(&images->mappings, &image->mappings, mapping);
}

void image_set_partial(struct images *images, struct image *image)
{
	mappings_put(&images->mappings, image->mappings);
	image->mappings = NULL;
	image->partial = true;
}

int image_rename(struct images *images, struct image *image, const char *text)
{
	struct comm *comm = comms_get(&images->comms, text);

	if (!comm)
		return -ENOMEM;
	comms_put(&images->comms, image->comm);
	image->comm = comm;
	return 0;
}

/* Is the page @exec_id (tprof_sample.exec_id, 0: unknown) in the text of the image? */
static bool image_is(const struct image *image, uint32_t exec_id)
{
	return exec_id && mappings_have_page(image->mappings, exec_id);
}

static const struct mapping *image_find(const struct images *images, const struct image *image, uint64_t ip)
{
	return remapped_at(image->remapped, ip, images->comms.age) ? NULL : mappings_find(image->mappings, ip);
}

/* Did a process with this id end of which nothing is known? An address that no image claims may be of that one. */
static bool has_unknown(const struct image *newest)
{
	while (newest && !newest->unknown)
		newest = newest->older;
	return newest;
}

const struct mapping *image_list_find(const struct images *images, const struct image *newest, pid_t tgid,
				      uint32_t exec_id, uint64_t ip)
{
	const struct mapping *found = NULL;
	const struct image *image;

	if (some_were_dropped(images, newest))
		return NULL;
	for (image = newest; image; image = image->older) {
		const struct mapping *mapping;

		if (!image_is(image, exec_id))
			continue;
		mapping = image_find(images, image, ip);
		if (!mapping || (found && !same_code(found, mapping, tgid)))
			return NULL;
		if (!found)
			found = mapping;
	}
	if (!found && has_unknown(newest))
		return NULL;
	for (image = newest; image && !found; image = image->older) {
		if (mappings_find(image->mappings, ip))
			return image_find(images, image, ip);
	}
	return found;
}

const struct comm *image_list_comm(const struct images *images, const struct image *newest, uint32_t exec_id)
{
	const struct image *found = NULL;

	if (some_were_dropped(images, newest))
		return NULL;
	for (const struct image *image = newest; image; image = image->older) {
		if (!image_is(image, exec_id))
			continue;
		if (found && found->comm != image->comm)
			return NULL;
		found = image;
	}
	if (!found)
		found = newest;
	return found ? found->comm : NULL;
}

void image_list_age(struct images *images, struct image **newest)
{
	struct image **at = newest;

	while (*at) {
		struct image *image = *at;

		if (!image->end_ns || images->comms.age - image->ended_age < 2) {
			at = &image->older;
			continue;
		}
		*at = image->older;
		image_free(images, image);
	}
}

void image_list_free(struct images *images, struct image **newest)
{
	while (*newest) {
		struct image *image = *newest;

		*newest = image->older;
		image_free(images, image);
	}
}
