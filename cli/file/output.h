/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An output file, which gets its name only when it is complete: it is written to a temporary file in the same
 * directory, and renamed. Under sudo, it may belong to the caller of sudo (caller.h). A path that is not a regular file
 * (a pipe, a device, "-" for standard output) is written in place.
 *
 *	output_check -> output_open -> output_begin -> write to output.fd -> output_end -> output_fini
 */
#ifndef TPROF_OUTPUT_H
#define TPROF_OUTPUT_H

#include <stdbool.h>

#include "tprof.h"

struct output {
	const char *path;	/* as given by the user */
	const char *name;	/* for messages */
	int fd;			/* to write to; -1: not open */
	bool is_standard;
	char *target;		/* path with symlinks resolved; NULL: written in place */
	char *temporary;
	struct tprof_session *session;	/* renames the file from its sandbox; NULL: no sandbox */
};

#define OUTPUT_NONE { .fd = -1 }

/*
 * Checks whether the path can be written, before any work is done. With @binary_format (a name, or NULL), refuses a
 * terminal. 0, or the exit code after reporting an error.
 */
int output_check(struct output *output, const char *path, const char *binary_format);

/* Creates the file. 0, or the exit code after reporting an error. */
int output_open(struct output *output);

/* Call before writing. Creates the file if output_open() was not called. Returns like output_open(). */
int output_begin(struct output *output);

/*
 * Call after writing. @err: 0, or -errno if writing failed. Renames the file to its target, or reports the error. 0 or
 * the exit code.
 */
int output_end(struct output *output, int err);

/* Closes everything, and removes an incomplete file. May be called at any time. */
void output_fini(struct output *output);

#endif
