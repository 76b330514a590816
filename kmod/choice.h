/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that clients have described. */
#ifndef _TPROF_CHOICE_H
#define _TPROF_CHOICE_H

#include "tprof_source.h"

/* An event that a client has described, after all checks. Immutable. */
struct tprof_choice {
	const struct tprof_source_ops *ops;	/* holds a reference on its module */
	u64 period;
	u64 event[];				/* output of ops->parse(), ops->event_size bytes */
};

/*
 * In the context of the client, which may be blocked for any time by a file system or by its own memory, so without
 * locks. Returns an ERR_PTR() on failure: ENOENT (no such source), EINVAL, ENOMEM, and the errors of the source.
 */
struct tprof_choice *tprof_choice_new(const char *source, const void *attr, size_t attr_size, u64 period);
/* Accepts NULL. Process context. */
void tprof_choice_free(struct tprof_choice *choice);

#endif
