// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Cache of call site checks at return addresses. */
#include "dso_sites.h"

#include <stdlib.h>

static bool free_site(void *ctx, struct hash_node *node)
{
	(void)ctx;
	free(node);
	return false;
}

void dso_sites_fini(struct dso_sites *sites)
{
	hash_filter(&sites->by_place, free_site, NULL);
	hash_fini(&sites->by_place);
}

static uint64_t place_key(uint64_t serial, uint64_t offset)
{
	return offset ^ serial << 40 ^ serial >> 24;
}

const struct dso_site *dso_sites_find(const struct dso_sites *sites, uint64_t serial, uint64_t offset)
{
	struct hash_node *node = hash_find(&sites->by_place, place_key(serial, offset));

	for (; node; node = hash_find_next(node)) {
		const struct dso_site *site = (struct dso_site *)node;

		if (site->serial == serial && site->offset == offset)
			return site;
	}
	return NULL;
}

/* Reads fewer bytes near the beginning or the end of the file. */
static bool read_around(const struct dso_file *file, uint64_t offset, uint8_t *bytes)
{
	uint64_t before = offset < CALL_SITE_BEFORE ? offset : CALL_SITE_BEFORE, behind = CALL_SITE_BEHIND;

	while (behind && !dso_file_read(file, offset - before, bytes + CALL_SITE_BEFORE - before, before + behind))
		behind--;
	return behind;
}

const struct dso_site *dso_sites_read(struct dso_sites *sites, uint64_t serial, uint64_t offset,
				      const struct dso_file *file, enum call_site_machine machine)
{
	uint8_t bytes[CALL_SITE_BYTES] = { 0 };
	struct dso_site *site;

	if (!read_around(file, offset, bytes))
		return NULL;
	if (sites->by_place.nr >= DSO_SITES_MAX)
		hash_filter(&sites->by_place, free_site, NULL);
	site = calloc(1, sizeof(*site));
	if (!site || hash_add(&sites->by_place, &site->node, place_key(serial, offset))) {
		free(site);
		return NULL;
	}
	site->serial = serial;
	site->offset = offset;
	site->site = call_site(bytes, machine);
	site->in_signal_return = call_site_in_signal_return(bytes, machine);
	return site;
}
