/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Metadata of a profile as the comments of a pprof file, with all digits. */
#ifndef TPROF_PPROF_COMMENTS_H
#define TPROF_PPROF_COMMENTS_H

#include <stdbool.h>

#include "tprof.h"

/* The content of the comments. */
struct pprof_comments {
	unsigned int version;		/* 0: the file was not written by tprof */
	struct tprof_info info;		/* strings point into the comments */
	struct tprof_ledger ledger;
	struct tprof_tally total;	/* of all samples in the file */
	uint64_t stacks;		/* 1: samples are call stacks; 0: functions */
	uint64_t seen;			/* a bit for each comment that was read */
	bool several;			/* a comment occurs more than once, as in merged files */
};

/* The comments of the profile, and those of each event if there are several. */
struct pprof_described {
	struct pprof_comments all;
	struct pprof_comments events[TPROF_EVENTS_MAX];
	size_t nr_events;		/* 0: one, which @all describes */
};

/*
 * Calls @add with each comment, of the event with this index, or of the profile if it is -1. A value other than 0 ends
 * it and is returned.
 */
int pprof_comments_write(const struct pprof_comments *comments, int event, int (*add)(void *ctx, const char *text),
			 void *ctx);

/* Parses one comment; skips those that are not tprof's. Errors: EBADMSG, EPROTONOSUPPORT (a later version). */
int pprof_comments_take(struct pprof_described *described, const char *text, struct tprof_error *error);

/* Checks that no comment is missing, and that the ledgers close if there are any. Errors: EBADMSG. */
int pprof_comments_check(const struct pprof_described *described, struct tprof_error *error);

#endif
