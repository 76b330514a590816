/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Filter objects: opening, describing, configuring, and loading for an engine. */
#ifndef TPROF_FILTER_H
#define TPROF_FILTER_H

#include <bpf/libbpf.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "table.h"
#include "tprof.h"
#include "tprof/object.h"

/* The enum tprof_machine of this build, passed to filters. */
#if defined(__x86_64__)
#define FILTER_MACHINE TPROF_MACHINE_X86_64
#elif defined(__aarch64__)
#define FILTER_MACHINE TPROF_MACHINE_AARCH64
#else
#error "tprof supports only x86-64 and arm64"
#endif

/*
 * One TPROF_FILTER() of the object. @program is the program for the perf engine. The program for the module is hidden
 * from libbpf until the object is loaded for the module.
 */
struct filter_entry {
	char name[TPROF_NAME_MAX + 1];
	struct bpf_program *program;
	struct bpf_map *ops;			/* if loaded for the module; else NULL */
};

struct filter_param {
	char *name;
	char *type;
	char value[24];
	uint32_t offset, size;	/* bytes, within .rodata */
	bool is_signed, is_bool;
};

struct filter_rested {
	struct tprof_program_ledger events[TPROF_OBJECT_EVENTS];
};

/* The place of a filter in its session: where its samples are counted. */
struct filter_place {
	bool is_known;				/* it was attached */
	size_t index;				/* in session->filters; that of the filter that it replaced */
	bool makes_entries;			/* the entries of profiles are those of its table */
	size_t first_table;			/* in the profile; SIZE_MAX: not in this one */
	enum { FILTER_READ, FILTER_SWAPPED, FILTER_LEAVING } unread;	/* it was replaced: see session_filters.c */
};

#define FILTER_OWNER_FDS 3

struct tprof_filter {
	struct tprof_error error;
	char *path;
	struct bpf_object *object;		/* without the module's half (filter_image.h) until loaded for it */
	struct tprof_object *constants;		/* in the object's .rodata; NULL once loaded */
	char *rodata;				/* likewise */
	size_t rodata_size;
	char *about;				/* text of TPROF_ABOUT(); NULL: none */
	char *event;				/* name of TPROF_EVENT(); NULL: none */
	struct filter_entry *entries;
	size_t nr_entries;
	struct table *tables;
	size_t nr_tables;
	unsigned int current;			/* generation of the tables in use */
	uint32_t stacks;			/* TPROF_STACK_*: those that the programs walk */
	uint32_t wait_stacks;			/* likewise of waits, and TPROF_STACK_WAKER: it keeps wakers */
	bool for_wakeups;			/* chosen for a session that has the event wakeup */
	bool has_owners;			/* TPROF_OWNERS(): it asks for the owners of work */
	int owner_fds[FILTER_OWNER_FDS];	/* of the programs that note them; -1: not attached */
	size_t nr_slots;			/* of the ledger: the possible CPUs, and one for waits in progress */
	bool whole_samples;			/* programs read the generation once per sample (perf engine) */
	struct filter_param *params;
	size_t nr_params;
	struct table_text *texts;		/* table types as C text, created on demand */
	char *verifier_log;			/* of the program being loaded */
	bool verifier_statistics;		/* include verifier statistics even on success */
	struct tprof_cpu_ledger *ledger;	/* mapped on first use */
	/* By CPU: the counts of the current generation when it came into use */
	struct filter_rested *rested;
	char *check_log;			/* strings that tprof_filter__check() returned */
	char *check_helpers;
	bool loaded;
	bool owned;				/* by a session */
	struct filter_place place;
};

/*
 * Opens the object file with both halves or without the module's, and with stacks of the given depth. The caller closes
 * it. NULL and errno, with a sentence: the errors of opening, ENOENT (@stack_frames given, but the object has no
 * stacks).
 */
struct bpf_object *filter_open_object(const char *path, bool whole, uint32_t stack_frames, struct tprof_error *error);
/* Sets the programs of the entries from filter->object, by name. */
void filter_find_programs(struct tprof_filter *filter);
/* Sets filter->constants from filter->object. Errors: ENOEXEC, EPROTO, with a sentence. */
int filter_find_constants(struct tprof_filter *filter, struct tprof_error *error);

/*
 * filter_reopen.c: opens the file again, with both halves or with stacks of another depth, and keeps all settings.
 * Errors: those of filter_open_object(), ENOEXEC (the file has changed).
 */
int filter_reopen(struct tprof_filter *filter, bool whole, uint32_t stack_frames, struct tprof_error *error);

/*
 * Loads the perf engine's half with this scope; abi and size stay the object's own. Errors: those of the kernel, with a
 * sentence; EINVAL if the verifier rejected it.
 */
int filter_load_perf(struct tprof_filter *filter, const struct tprof_object *scope, const struct log *log,
		     struct tprof_error *error);

/*
 * filter_kmod.c: switches to the module's half and keeps all settings. filter_load_kmod() does this if it was not done
 * before. The filter can then be attached to session @session_fd only (-1: verify only). The members wait_event,
 * wake_event and nr_events of @session: what the session samples. Errors: those of opening; EINVAL, EOPNOTSUPP (the
 * filter cannot have waits).
 */
int filter_use_kmod(struct tprof_filter *filter, const struct tprof_object *session, struct tprof_error *error);
/*
 * TPROF_FILTER_* flags of the module's half: the stacks it walks, and owners. The module need not collect the others in
 * NMI.
 */
uint32_t filter_kmod_flags(const struct tprof_filter *filter);
int filter_load_kmod(struct tprof_filter *filter, int session_fd, const struct tprof_object *session,
		     const struct log *log, struct tprof_error *error);
/* Attaches one entry of a loaded filter; bpf_link__destroy() detaches it. Errors: those of the module. */
int filter_attach_kmod(struct tprof_filter *filter, size_t entry, struct bpf_link **link, struct tprof_error *error);
/* Attaches one entry to a link instead of what is attached there. Errors: those of the module. */
int filter_replace_kmod(struct tprof_filter *filter, size_t entry, struct bpf_link **links, struct tprof_error *error);

/*
 * filter_pass.c: the maps that a process needs to read what a filter counts, in a fixed order: writes at most @max
 * descriptors, which stay those of the filter, and returns how many there are.
 */
size_t filter_pass_maps(const struct tprof_filter *filter, int *fds, size_t max);
/* The depth of its stacks; 0: it has none. */
uint32_t filter_passed_frames(const struct tprof_filter *filter);
/*
 * Makes these the maps of a filter that is not loaded, with stacks of that depth; it is loaded then. The descriptors
 * stay the caller's. Errors: EPROTO (they are not the maps of this filter), and those of the kernel, with a sentence.
 */
int filter_adopt_maps(struct tprof_filter *filter, uint32_t stack_frames, const int *fds, size_t nr,
		      struct tprof_error *error);

/* Has the session one of the events off-cpu, on-cpu and wakeup? */
static inline bool object_follows_threads(const struct tprof_object *object)
{
	return object->wait_event || object->run_event || object->wake_event;
}

/*
 * filter_waits.c: the programs and maps for the events off-cpu, on-cpu and wakeup. The perf engine loads them if the
 * session has one: call after the constants are set. Errors: EINVAL, EOPNOTSUPP (the filter cannot have it), with a
 * sentence.
 */
int filter_choose_waits(struct tprof_filter *filter, struct tprof_error *error);
/* Can the filter have waits with the module? EINVAL or EOPNOTSUPP, with a sentence. */
int filter_check_kmod_waits(const struct tprof_filter *filter, const struct tprof_object *session,
			    struct tprof_error *error);
/* Has it a TPROF_OFFCPU()? */
bool filter_has_offcpu(const struct tprof_filter *filter);
/* Has it a TPROF_WAKEUP()? */
bool filter_has_wakeup(const struct tprof_filter *filter);
/* Is it a program for waits of one of the entries, or of all? */
bool filter_is_wait_program(const struct tprof_filter *filter, const struct bpf_program *program);
#define FILTER_WAIT_FDS 5
/*
 * Attaches the programs; closing the descriptors (-1: none) detaches them. They do nothing until a mode is set. 0 or
 * -errno.
 */
int filter_attach_waits(struct tprof_filter *filter, int fds[FILTER_WAIT_FDS]);
/* Looks for the threads that wait already, once. The mode is TPROF_WAIT_SEED on all CPUs. 0 or -errno. */
int filter_seed_waits(const int fds[FILTER_WAIT_FDS]);
/* Processes or threads were added to the scope: what the programs of waits have found out of scope may be in it. */
void filter_scope_changed(const struct tprof_filter *filter);

/* Sets the mode and the period of all CPUs. After filter_ledger(). */
void filter_set_waits(struct tprof_filter *filter, enum tprof_wait_mode mode, uint64_t period);
/*
 * Takes the time up to now of all waits in progress, which are counted if the mode is TPROF_WAIT_COUNT. 0 or -errno.
 */
int filter_take_waits(struct tprof_filter *filter, enum tprof_wait_mode mode);

/*
 * filter_owners.c: the programs for owners of work. The perf engine loads them for a filter that asks for owners: call
 * after the constants are set. Errors: ENOEXEC, with a sentence.
 */
int filter_choose_owners(struct tprof_filter *filter, struct tprof_error *error);
bool filter_is_owner_program(const struct bpf_program *program);
/*
 * Attaches the programs of a loaded filter, if it has any; owners are noted until the filter is freed. Errors: those of
 * the kernel, with a sentence.
 */
int filter_attach_owners(struct tprof_filter *filter, struct tprof_error *error);
void filter_detach_owners(struct tprof_filter *filter);

/* Used by both: loads the object as configured. */
int filter_load_object(struct tprof_filter *filter, const struct log *log, struct tprof_error *error);

/*
 * filter_generations.c: the counts of the programs, by CPU. Memory-mapped: reading it needs no system call. NULL and
 * errno.
 */
const struct tprof_cpu_ledger *filter_ledger(struct tprof_filter *filter);
void filter_ledger_unmap(struct tprof_filter *filter);

/* A map that every object has (TPROF_*_NAME). Its file descriptor is valid once loaded. */
struct bpf_map *filter_map(const struct tprof_filter *filter, const char *name);
int filter_map_fd(const struct tprof_filter *filter, const char *name);

/*
 * Switches all tables to the other generation. The previous one, !filter->current, can be read once every program that
 * was running at the switch has ended. Errors: those of filter_ledger().
 */
int filter_swap_generations(struct tprof_filter *filter);
/*
 * Everything counted for the event on that CPU until the last switch: the sum over the retired generations. Call when
 * the previous generation can be read.
 */
struct tprof_program_ledger filter_settled(const struct tprof_filter *filter, size_t event, unsigned int cpu);

/* The counts of the event, on all CPUs, in the generation that is not in use. */
struct tprof_program_ledger filter_retired(const struct tprof_filter *filter, size_t event);
/*
 * The counts that the generation in use had when it came into use: on all CPUs, and as another process says that has
 * switched.
 */
struct tprof_program_ledger filter_rested(const struct tprof_filter *filter, size_t event);
void filter_set_rested(struct tprof_filter *filter, size_t event, const struct tprof_program_ledger *counted);

/*
 * The table of which entries are made: the first with an address or a stack in its key, or else the first. NULL: none.
 */
struct table *filter_entry_table(const struct tprof_filter *filter);
/* Number of tables that are not stack tables. */
size_t filter_nr_counts(const struct tprof_filter *filter);

/* Returns the path of the filter of that name; the caller frees it. NULL and errno: ENOENT, ENOMEM. */
char *filter_find_path(const char *name);

#endif
