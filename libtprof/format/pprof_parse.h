/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* A pprof file taken apart, from whoever wrote it: nothing in there is believed before it was looked at. */
#ifndef TPROF_PPROF_PARSE_H
#define TPROF_PPROF_PARSE_H

#include <stdbool.h>

#include "base/file_head.h"
#include "pprof_comments.h"
#include "tprof.h"

/* Bounds on what a file may ask for. */
#define PPROF_MAX_UNPACKED ((size_t)256 << 20)		/* bytes, once it is not packed any more */
#define PPROF_MAX_MEMORY ((size_t)1 << 30)		/* bytes of the message in memory */

/* Things by their id. Files number them from 1 on, as a rule, but need not. */
struct pprof_ids {
	struct pprof_id {
		uint64_t id;
		size_t index;
	} *ids;				/* ascending */
	size_t nr;
};

struct pprof_file {
	const char *name;		/* the caller's */
	struct Pprof__Profile *message;	/* as pprof.pb-c.h has it */
	const char **strings;		/* message->n_string, mended */
	char *text;			/* what they point to */
	struct pprof_ids mappings, locations, functions;
	size_t samples_at, weight_at;	/* which values of a sample */
	bool counted;			/* there are samples at samples_at */
	bool negated;			/* what is below 0 was asked for: values change their sign */
	struct pprof_comments comments;
};

/* A sample as far as it means something here. */
struct pprof_sample {
	uint64_t samples, weight;
	uint64_t below;			/* how far the weight is below 0; then it is 0, and so are the samples */
	const char *comm, *cgroup;	/* "" if the file does not say */
	int pid, cpu;			/* -1 if the file does not say */
	const char *mode;		/* "" if the file does not say */
	const uint64_t *locations;	/* ids, from the leaf to the root */
	size_t nr_locations;
};

/*
 * Reads a descriptor to its end. @name is for sentences and has to live as long as the file. @value is the name of the
 * value to weigh by, "-NAME" with its sign changed, or NULL.
 * Errors: EINVAL (no such value), EBADMSG, EFBIG, ENOMEM, EPROTONOSUPPORT, those of read(2). The file is to be closed
 * on failure too.
 */
int pprof_open(struct pprof_file *file, int fd, const struct file_head *head, const char *name, const char *value,
	       struct tprof_error *error);
void pprof_close(struct pprof_file *file);

/* Errors: EBADMSG. */
int pprof_sample(const struct pprof_file *file, size_t index, struct pprof_sample *sample, struct tprof_error *error);

/* Says that the file is damaged, and how; returns -EBADMSG. */
int pprof_damaged(const struct pprof_file *file, struct tprof_error *error, const char *how);

/* The index of a thing, or -1. */
long pprof_find(const struct pprof_ids *ids, uint64_t id);

/* Whether tprof wrote it, by whose rules it is laid out (pprof.h), whatever became of it since. */
bool pprof_is_ours(const struct pprof_file *file);

/* The values but for the one that was chosen, by name, with a comma between two. */
void pprof_other_values(const struct pprof_file *file, char *text, size_t size);

/* NULL if there is none. */
const char *pprof_string(const struct pprof_file *file, int64_t index);

#endif
