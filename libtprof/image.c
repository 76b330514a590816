// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Images of a process, newest first. */
#include "image.h"

#include <errno.h>
#include <stdlib.h>

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

int image_rename(struct images *images, struct image *image, const char *text)
{
	struct comm *comm = comms_get(&images->comms, text);

	if (!comm)
		return -ENOMEM;
	comms_put(&images->comms, image->comm);
	image->comm = comm;
	return 0;
}

bool image_is(const struct image *image, uint32_t exec_id)
{
	return exec_id && mappings_have_page(image->mappings, exec_id);
}

static void image_free(struct images *images, struct image *image)
{
	mappings_put(image->mappings);
	comms_put(&images->comms, image->comm);
	free(image);
	images->nr--;
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
