/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* What a profile says of itself, as the comments of a pprof file, exact to the last digit. */
#ifndef TPROF_PPROF_COMMENTS_H
#define TPROF_PPROF_COMMENTS_H

#include <stdbool.h>

#include "tprof.h"

/* What the comments of a file say. */
struct pprof_comments {
	unsigned int version;		/* 0: the file is another program's */
	struct tprof_info info;		/* strings are those of the comments */
	struct tprof_ledger ledger;
	struct tprof_tally total;	/* of all samples in the file */
	uint64_t stacks;		/* samples are call stacks, not functions */
	uint64_t seen;			/* a bit for each comment that stands there */
	bool several;			/* one of them stands there more than once, as where files were put together */
};

/* Calls @add with each comment; another value than 0 ends it and is returned. */
int pprof_comments_write(const struct pprof_comments *comments, int (*add)(void *ctx, const char *text), void *ctx);

/* Takes one in; what is not ours is passed over. Errors: EBADMSG, EPROTONOSUPPORT (of a later version). */
int pprof_comments_take(struct pprof_comments *comments, const char *text, struct tprof_error *error);

/* Whether all have come, and the ledger closes if it is one. Errors: EBADMSG. */
int pprof_comments_check(const struct pprof_comments *comments, struct tprof_error *error);

#endif
