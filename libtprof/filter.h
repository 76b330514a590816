/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Filter objects: opened, described, configured, loaded for an engine. */
#ifndef TPROF_FILTER_H
#define TPROF_FILTER_H

#include <bpf/libbpf.h>
#include <stdbool.h>

#include "error.h"
#include "log.h"
#include "table.h"
#include "tprof.h"
#include "tprof/object.h"

/* One TPROF_FILTER() of the object: its program for the perf engine. That for the module was seen, and hidden. */
struct filter_entry {
	char name[TPROF_NAME_MAX + 1];
	struct bpf_program *program;
};

struct filter_param {
	char *name;
	char *type;
	char value[24];
	uint32_t offset, size;	/* within .rodata */
	bool is_signed;
};

struct tprof_filter {
	struct tprof_error error;
	char *path;
	struct bpf_object *object;		/* without the module's half: see filter_image.h */
	struct tprof_object *constants;		/* in the object's .rodata; NULL once loaded */
	char *rodata;				/* likewise */
	struct filter_entry *entries;
	size_t nr_entries;
	struct table *tables;
	size_t nr_tables;
	unsigned int current;			/* generation of the tables that programs count in */
	struct filter_param *params;
	size_t nr_params;
	struct table_text *texts;		/* types of the tables in C, made on demand */
	char *verifier_log;			/* of the program that is being loaded */
	char *check_log;			/* what tprof_filter__check() returned */
	char *check_helpers;
	char kmod_name[TPROF_NAME_MAX + sizeof(TPROF_KMOD_SUFFIX)];
	bool loaded;
};

/* The object as it is in the file, with both halves; to be closed. NULL and errno, with a sentence. */
struct bpf_object *filter_open_whole(const char *path, struct tprof_error *error);

/*
 * Loads the half for one engine, with these constants (abi and size stay the object's own).
 * Errors: those of the kernel, with a sentence; EINVAL if the verifier refused it.
 */
int filter_load(struct tprof_filter *filter, enum tprof_object_engine engine, const struct tprof_object *scope,
		const struct log *log, struct tprof_error *error);

/* A map that every object has (TPROF_*_NAME); its descriptor is valid once loaded. */
struct bpf_map *filter_map(const struct tprof_filter *filter, const char *name);
int filter_map_fd(const struct tprof_filter *filter, const char *name);

/*
 * Lets programs count in the other generation of all tables. The one before, !filter->current, can be read once no
 * program runs any more that began before.
 */
int filter_swap_generations(struct tprof_filter *filter);

/* Path of the filter of that name, or NULL; to be freed. */
char *filter_find_path(const char *name);

#endif
