// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Names of processes and threads (comm), each stored once. */
#include "comm.h"

#include <stdlib.h>
#include <string.h>

struct comm *comms_get(struct comms *comms, const char *text)
{
	uint64_t key = hash_text(text);
	struct hash_node *node;
	struct comm *comm;
	size_t size = strlen(text) + 1;

	for (node = hash_find(&comms->hash, key); node; node = hash_find_next(node)) {
		comm = (struct comm *)node;
		if (!strcmp(comm->text, text))
			return comm_ref(comm);
	}
	comm = malloc(sizeof(*comm) + size);
	if (!comm)
		return NULL;
	comm->refs = 1;
	comm->released = 0;
	memcpy(comm->text, text, size);
	if (hash_add(&comms->hash, &comm->node, key)) {
		free(comm);
		return NULL;
	}
	return comm;
}

struct comm *comm_ref(struct comm *comm)
{
	if (comm)
		comm->refs++;
	return comm;
}

void comms_put(struct comms *comms, struct comm *comm)
{
	if (comm && !--comm->refs)
		comm->released = comms->age;
}

static bool comm_keep(void *ctx, struct hash_node *node)
{
	struct comms *comms = ctx;
	struct comm *comm = (struct comm *)node;

	if (comm->refs || comms->age - comm->released < 2)
		return true;
	free(comm);
	return false;
}

void comms_age(struct comms *comms)
{
	comms->age++;
	hash_filter(&comms->hash, comm_keep, comms);
}

static bool comm_free(void *ctx, struct hash_node *node)
{
	(void)ctx;
	free(node);
	return false;
}

void comms_fini(struct comms *comms)
{
	hash_filter(&comms->hash, comm_free, NULL);
	hash_fini(&comms->hash);
}
