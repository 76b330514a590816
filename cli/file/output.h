/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that the user named, which takes its name only when it is whole: it is written beside its place, under
 * another name, and renamed. Under sudo it can belong to who called that (caller.h). What is no file (a pipe, a device,
 * "-" for standard output) is written as it is.
 *
 *	output_check -> output_open -> output_begin -> write to output.fd -> output_end -> output_fini
 */
#ifndef TPROF_OUTPUT_H
#define TPROF_OUTPUT_H

#include <stdbool.h>

#include "tprof.h"

struct output {
	const char *path;	/* as the user named it */
	const char *name;	/* in messages */
	int fd;			/* to write to; -1: not begun */
	bool is_standard;
	char *target;		/* links followed; NULL: written as it is */
	char *temporary;
	struct tprof_session *session;	/* in the sandbox of which it has to be named; NULL: there is none */
};

#define OUTPUT_NONE { .fd = -1 }

/*
 * Can it be written? To be asked before work is done for it. With the name of a binary format, not if it is a terminal.
 * 0, or the exit code after having said why not.
 */
int output_check(struct output *output, const char *path, const char *binary_format);

/* Makes the file. 0, or the exit code after having said why not. */
int output_open(struct output *output);

/* Now it is written; it is made if it was not. Likewise. */
int output_begin(struct output *output);

/*
 * Everything was written, or writing failed with err (negative): gives the file its name, or says what failed. 0 or the
 * exit code.
 */
int output_end(struct output *output, int err);

/* At any time: closes everything, and takes away what is not whole. */
void output_fini(struct output *output);

#endif
