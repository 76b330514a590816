/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Parser for pprof files of any origin. The content is untrusted. */
#ifndef TPROF_PPROF_PARSE_H
#define TPROF_PPROF_PARSE_H

#include <stdbool.h>

#include "base/file_head.h"
#include "pprof_comments.h"
#include "tprof.h"

/* Limits on the resources that a file may use. */
#define PPROF_MAX_UNPACKED ((size_t)256 << 20)		/* bytes after decompression */
#define PPROF_MAX_MEMORY ((size_t)1 << 30)		/* bytes of the message in memory */

/* Items by id. Files usually number them from 1 on, but need not. */
struct pprof_ids {
	struct pprof_id {
		uint64_t id;
		size_t index;
	} *ids;				/* ascending */
	size_t nr;
};

struct pprof_file {
	const char *name;		/* owned by the caller */
	struct Pprof__Profile *message;	/* defined in pprof.pb-c.h */
	const char **strings;		/* message->n_string of them, made valid */
	char *text;			/* storage of the strings */
	struct pprof_ids mappings, locations, functions;
	size_t samples_at, weight_at;	/* indexes of the values of a sample */
	bool counted;			/* samples_at is valid */
	bool negated;			/* negative values were requested: the sign of the values is inverted */
	struct pprof_described described;
	struct pprof_comments comments;	/* of the profile, or of the event that was requested */
	size_t nr_events;		/* that are read: 1 unless all of several are */
};

/* The known parts of a sample. */
struct pprof_sample {
	uint64_t samples, weight;	/* of the chosen event, or of the first */
	struct tprof_tally events[TPROF_EVENTS_MAX];	/* nr_events of them */
	uint64_t below;			/* minus the weight if that is negative; then weight and samples are 0 */
	const char *comm, *cgroup, *owner;	/* "" if unknown */
	int pid, cpu;			/* -1 if unknown */
	const char *mode;		/* "" if unknown */
	const uint64_t *locations;	/* ids, from the leaf to the root */
	size_t nr_locations;
};

/*
 * Reads a file descriptor to its end. @name is for messages and must live as long as the file. @value is the name of
 * the value to use as weight, "-NAME" to invert its sign, or NULL. Errors: EINVAL (no such value), EBADMSG, EFBIG,
 * ENOMEM, EPROTONOSUPPORT, those of read(2). The caller closes the file, on failure too.
 */
int pprof_open(struct pprof_file *file, int fd, const struct file_head *head, const char *name, const char *value,
	       struct tprof_error *error);
void pprof_close(struct pprof_file *file);

/* Errors: EBADMSG. */
int pprof_sample(const struct pprof_file *file, size_t index, struct pprof_sample *sample, struct tprof_error *error);

/* Sets the error to "damaged" with the reason. Returns -EBADMSG. */
int pprof_damaged(const struct pprof_file *file, struct tprof_error *error, const char *how);

/* The index of the item with that id, or -1. */
long pprof_find(const struct pprof_ids *ids, uint64_t id);

/* True if tprof wrote the file and it follows pprof.h, even if it was modified since. */
bool pprof_is_ours(const struct pprof_file *file);

/* Formats the names of the values that were not chosen, separated by commas. */
void pprof_other_values(const struct pprof_file *file, char *text, size_t size);

/* NULL if the index is invalid. */
const char *pprof_string(const struct pprof_file *file, int64_t index);

#endif
