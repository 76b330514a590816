/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Filter objects: opened, described, configured, loaded for an engine. */
#ifndef TPROF_FILTER_H
#define TPROF_FILTER_H

#include <bpf/libbpf.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "table.h"
#include "tprof.h"
#include "tprof/object.h"

/* enum tprof_machine of what this is compiled for: what filters are told. */
#if defined(__x86_64__)
#define FILTER_MACHINE TPROF_MACHINE_X86_64
#elif defined(__aarch64__)
#define FILTER_MACHINE TPROF_MACHINE_AARCH64
#else
#error "tprof knows x86-64 and arm64"
#endif

/*
 * One TPROF_FILTER() of the object. Its program is that of the perf engine, and that for the module was seen and
 * hidden, until the object is loaded for the module.
 */
struct filter_entry {
	char name[TPROF_NAME_MAX + 1];
	struct bpf_program *program;
	struct bpf_map *ops;			/* for the module; NULL otherwise */
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
	struct bpf_object *object;		/* without the module's half (filter_image.h), until loaded for it */
	struct tprof_object *constants;		/* in the object's .rodata; NULL once loaded */
	char *rodata;				/* likewise */
	size_t rodata_size;
	struct filter_entry *entries;
	size_t nr_entries;
	struct table *tables;
	size_t nr_tables;
	unsigned int current;			/* generation of the tables that programs count in */
	bool whole_samples;			/* programs choose the generation when a sample begins (engine perf) */
	struct filter_param *params;
	size_t nr_params;
	struct table_text *texts;		/* types of the tables in C, made on demand */
	char *verifier_log;			/* of the program that is being loaded */
	bool verifier_statistics;		/* wanted in there also if all goes well */
	struct tprof_cpu_ledger *ledger;	/* mapped at first use */
	struct tprof_booked *rested;		/* by CPU: in the generation in use, before it came into use */
	char *check_log;			/* what tprof_filter__check() returned */
	char *check_helpers;
	bool loaded;
};

/*
 * The object in the file, with both halves or without the module's, and with stacks of that depth; to be closed.
 * NULL and errno, with a sentence: those of opening, ENOENT (another depth, but no stacks).
 */
struct bpf_object *filter_open_object(const char *path, bool whole, uint32_t stack_frames, struct tprof_error *error);
/* Finds the programs of the perf engine in filter->object, by the names of the entries. */
void filter_find_programs(struct tprof_filter *filter);
/* Finds filter->constants in filter->object. Errors: ENOEXEC, EPROTO, with a sentence. */
int filter_find_constants(struct tprof_filter *filter, struct tprof_error *error);

/*
 * filter_reopen.c: takes the object out of the file again, with both halves or with stacks of another depth, and with
 * all that has been set. Errors: those of filter_open_object(), ENOEXEC (the file has changed).
 */
int filter_reopen(struct tprof_filter *filter, bool whole, uint32_t stack_frames, struct tprof_error *error);

/*
 * Loads the perf engine's half, with this scope (abi and size stay the object's own).
 * Errors: those of the kernel, with a sentence; EINVAL if the verifier refused it.
 */
int filter_load_perf(struct tprof_filter *filter, const struct tprof_object *scope, const struct log *log,
		     struct tprof_error *error);

/*
 * filter_kmod.c: takes the module's half in place of the other, with all that has been set. Errors: those of opening.
 * Loading does it if it was not done; the filter is to be attached to this session then (-1: only to be verified).
 */
int filter_use_kmod(struct tprof_filter *filter, struct tprof_error *error);
/* TPROF_FILTER_* of the module's half: which stacks it walks. One that is not walked need not be taken along in NMI. */
uint32_t filter_kmod_flags(const struct tprof_filter *filter);
int filter_load_kmod(struct tprof_filter *filter, int session_fd, const struct log *log, struct tprof_error *error);
/* Attaches one entry of a loaded filter; bpf_link__destroy() detaches it. Errors: those of the module. */
int filter_attach_kmod(struct tprof_filter *filter, size_t entry, struct bpf_link **link, struct tprof_error *error);

/* For the two above: loads the object as it is set up. */
int filter_load_object(struct tprof_filter *filter, const struct log *log, struct tprof_error *error);

/*
 * filter_generations.c: what the programs have booked, by CPU; mapped, so that reading it takes no call. NULL and
 * errno.
 */
const struct tprof_cpu_ledger *filter_ledger(struct tprof_filter *filter);
void filter_ledger_unmap(struct tprof_filter *filter);

/* A map that every object has (TPROF_*_NAME); its descriptor is valid once loaded. */
struct bpf_map *filter_map(const struct tprof_filter *filter, const char *name);
int filter_map_fd(const struct tprof_filter *filter, const char *name);

/*
 * Lets programs count in the other generation of all tables. The one before, !filter->current, can be read once no
 * program runs any more that began before. Errors: those of filter_ledger().
 */
int filter_swap_generations(struct tprof_filter *filter);
/*
 * All that was booked on that CPU until the last swap, which is what the generations that have been put aside hold and
 * held. To be called when the one before can be read.
 */
struct tprof_booked filter_settled(const struct tprof_filter *filter, unsigned int cpu);

/* Path of the filter of that name, to be freed. NULL and errno: ENOENT, ENOMEM. */
char *filter_find_path(const char *name);

#endif
