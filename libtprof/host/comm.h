/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Names of processes and threads (comm), each stored once and reference counted. A name without references is freed by
 * the second comms_age() after its release: callers that hold its text get time to finish, and unused names do not
 * accumulate.
 */
#ifndef TPROF_COMM_H
#define TPROF_COMM_H

#include <stdint.h>

#include "base/hash.h"

struct comm {
	struct hash_node node;
	uint32_t refs;
	uint32_t released;	/* age at which refs became 0 */
	char text[];
};

/* A zeroed struct is an empty table. */
struct comms {
	struct hash hash;
	uint32_t age;
};

/* A process can set an empty name. It is displayed as this text, to distinguish it from a missing name. */
#define COMM_EMPTY "[empty]"

static inline const char *comm_shown(const char *text)
{
	return text && !text[0] ? COMM_EMPTY : text;
}

/* Returns a reference; NULL if memory is exhausted. */
struct comm *comms_get(struct comms *comms, const char *text);
/* Takes another reference; NULL returns NULL. */
struct comm *comm_ref(struct comm *comm);
void comms_put(struct comms *comms, struct comm *comm);
void comms_age(struct comms *comms);
void comms_fini(struct comms *comms);

#endif
