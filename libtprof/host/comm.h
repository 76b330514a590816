/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Names of processes and threads, each kept once. One that nobody uses any more is forgotten by the second
 * comms_age() after, so that whoever was handed its text has time to finish; and random names do not pile up.
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

/* A process may take all of its name away. Where names are shown, that is one too, and not a name that is missing. */
#define COMM_EMPTY "[empty]"

static inline const char *comm_shown(const char *text)
{
	return text && !text[0] ? COMM_EMPTY : text;
}

/* Takes a reference; NULL if there is no memory. */
struct comm *comms_get(struct comms *comms, const char *text);
/* Another reference to the same; NULL gives NULL. */
struct comm *comm_ref(struct comm *comm);
void comms_put(struct comms *comms, struct comm *comm);
void comms_age(struct comms *comms);
void comms_fini(struct comms *comms);

#endif
