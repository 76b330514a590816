// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* JIT addresses whose names may appear later. */
#include "late_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t place_key(pid_t tgid, uint64_t ip)
{
	return ip ^ (uint64_t)(uint32_t)tgid << 40;
}

static struct late_name *find(const struct late_names *names, pid_t tgid, uint64_t ip)
{
	struct hash_node *node = hash_find(&names->by_place, place_key(tgid, ip));

	for (; node; node = hash_find_next(node)) {
		struct late_name *name = (struct late_name *)node;

		if (name->ip == ip && name->tgid == tgid)
			return name;
	}
	return NULL;
}

const char *late_names_add(struct late_names *names, pid_t tgid, uint64_t ip, const struct perfmaps_moment *moment,
			   const char *memory)
{
	struct late_name *name = find(names, tgid, ip);

	/* A late name does not apply to later samples, which would have found it in the map. */
	if (name)
		return name->is_over || name->name || name->moment.life != moment->life ? NULL : name->text;
	if (names->by_place.nr >= LATE_NAMES_MAX)
		return NULL;
	name = calloc(1, sizeof(*name));
	if (!name)
		return NULL;
	name->tgid = tgid;
	name->ip = ip;
	name->moment = *moment;
	name->memory = memory;
	snprintf(name->text, sizeof(name->text), "[jit %d+0x%" PRIx64 " #%" PRIu64 "]", tgid, ip, ++names->nr_added);
	if (!hash_add(&names->by_place, &name->node, place_key(tgid, ip)))
		return name->text;
	free(name);
	return NULL;
}

static struct late_name *find_text(const struct late_names *names, const char *text)
{
	struct late_name *name;
	uint64_t ip;
	int tgid;

	if (!names->by_place.nr || strncmp(text, "[jit ", 5) || sscanf(text, "[jit %d+0x%" SCNx64, &tgid, &ip) != 2)
		return NULL;
	name = find(names, tgid, ip);
	return name && (!strcmp(name->text, text) || !strcmp(name->marked, text)) ? name : NULL;
}

const struct late_name *late_names_find(const struct late_names *names, const char *text)
{
	return find_text(names, text);
}

const char *late_names_mark(struct late_names *names, const char *text)
{
	struct late_name *name = find_text(names, text);

	name->is_marked = true;
	snprintf(name->marked, sizeof(name->marked), "%s%s", name->text, TPROF_BY_FRAME_POINTER);
	return name->marked;
}

struct asking {
	void (*ask)(void *ctx, struct late_name *name);
	void *ctx;
};

static bool ask_one(void *ctx, struct hash_node *node)
{
	const struct asking *asking = ctx;
	struct late_name *name = (struct late_name *)node;

	if (!name->name && !name->is_over)
		asking->ask(asking->ctx, name);
	return true;
}

void late_names_ask(struct late_names *names, void (*ask)(void *ctx, struct late_name *name), void *ctx)
{
	struct asking asking = { ask, ctx };

	hash_filter(&names->by_place, ask_one, &asking);
}

struct filtering {
	bool (*keep)(void *ctx, struct late_name *name);
	void *ctx;
};

static bool filter_one(void *ctx, struct hash_node *node)
{
	const struct filtering *filtering = ctx;

	if (filtering->keep(filtering->ctx, (struct late_name *)node))
		return true;
	free(node);
	return false;
}

void late_names_filter(struct late_names *names, bool (*keep)(void *ctx, struct late_name *name), void *ctx)
{
	struct filtering filtering = { keep, ctx };

	hash_filter(&names->by_place, filter_one, &filtering);
}

static bool free_one(void *ctx, struct hash_node *node)
{
	(void)ctx;
	free(node);
	return false;
}

void late_names_forget(struct late_names *names)
{
	hash_filter(&names->by_place, free_one, NULL);
	hash_fini(&names->by_place);
}
