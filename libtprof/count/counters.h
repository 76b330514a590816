/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Counters: events, units, and the perf events that count them.
 *
 * There are two methods. Counters of threads or CPUs, one slot for each, whose values are read from the kernel and
 * added to the unit of the slot. Or counters of CPUs whose values a BPF program distributes to units at each context
 * switch (switch_count.h).
 */
#ifndef TPROF_COUNTERS_H
#define TPROF_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/log.h"
#include "event/cpus.h"
#include "event/event.h"
#include "event/event_core.h"
#include "host/cgroup.h"
#include "host/targets.h"
#include "tprof.h"

/* A value of a counter, and its times. */
struct count_reading {
	uint64_t raw;
	uint64_t enabled_ns, running_ns;
};

struct count_event {
	struct tprof_counter_event shown;
	struct event event;
	char *name;
	size_t nr_alike;		/* of the first: the same event of each type of CPU; else 0 */
	size_t alike_step;		/* from one of them to the next */
	bool leaves_kernel;		/* also left out of an event that is counted in all modes: permissions */
};

struct count_unit {
	struct hash_node node;		/* first; only of units that switch_count.c finds */
	struct tprof_counter_unit shown;
	char *name;			/* owned; shown.name */
	struct count_reading *readings;	/* one for each event */
	double *scaled;			/* likewise: estimates of multiplexed events */
	struct count_reading *drained;	/* values that were moved out of the table; NULL: none */
};

/* The perf events of one thread, or of one CPU. */
struct count_slot {
	pid_t pid;			/* -1: all */
	int cpu;			/* -1: all */
	size_t unit;
	int *fds;			/* one for each event; -1: not open */
	int reference_fd;		/* count_bound.c; -1: none */
	uint64_t reference_ns;		/* its time running */
	struct count_reading *now;	/* of the open events */
	struct count_reading *banked;	/* of earlier ones: the CPU was offline in between */
	uint64_t read_ns;		/* when they were read last; clock_own_ns() */
	bool is_open;
	bool in_table;			/* switch_count.c: its events are, or earlier ones of the CPU */
};

struct switch_count;

struct tprof_counters {
	struct log log;
	struct tprof_error error;
	pid_t owner;			/* the process that has opened them */
	struct count_event *events;
	size_t nr_events, events_capacity;
	struct core_pmus core_pmus;	/* of the CPUs; none unless the machine is hybrid */
	/* Pointers, because callers hold shown while the array grows. */
	struct count_unit **units;
	size_t nr_units, units_capacity;
	struct count_slot *slots;
	size_t nr_slots, slots_capacity;
	struct cpus cpus;		/* that were requested */
	struct targets targets;
	int epoll_fd;			/* of targets_reap(); -1: no targets */
	enum tprof_counter_per per;
	bool user_only, kernel_only;
	bool by_default;		/* the events were not requested */
	bool on_exec;			/* enable_on_exec */
	bool inherits;			/* also children, and threads that start later */
	bool is_started, was_started;
	struct switch_count *by_switch;	/* NULL: the values of slots are those of units */
};

/* counters_events.c. Parses the lists of names, and finds out which events this machine has. */
int counters_add_events(struct tprof_counters *counters, const char *const *names, size_t nr,
			struct tprof_error *error);
/* The attr of the event, with the modes that are left out. */
void count_event_attr(const struct tprof_counters *counters, const struct count_event *counted,
		      struct perf_event_attr *attr);
int counters_add_default_events(struct tprof_counters *counters, struct tprof_error *error);

/* counters_units.c. Adds a unit, and returns its index or -ENOMEM. @name is copied. */
long counters_add_unit(struct tprof_counters *counters, const struct tprof_counter_unit *shown);
/* Replaces the name. Errors: ENOMEM. */
int count_unit_rename(struct count_unit *unit, const char *name);
void counters_free_units(struct tprof_counters *counters);
/* Sums up the slots of each unit. */
void counters_sum_slots(struct tprof_counters *counters);

/* count_slot.c. Adds a slot without opening it, and returns its index or -ENOMEM. */
long counters_add_slot(struct tprof_counters *counters, pid_t pid, int cpu, size_t unit);
/*
 * Opens the events of the slot, disabled. Errors: those of perf_event_open(2), of the first event that fails although
 * this machine has it. Sets the sentence.
 */
int count_slot_open(struct tprof_counters *counters, struct count_slot *slot, struct tprof_error *error);
/* The attr of an event in a slot. @leads: it is not in a group, or the first of its group that is open. */
void count_slot_attr(const struct tprof_counters *counters, size_t event, bool leads, struct perf_event_attr *attr);
int count_slot_enable(const struct tprof_counters *counters, const struct count_slot *slot, bool enable);
int count_slot_read(const struct tprof_counters *counters, struct count_slot *slot);
/* Keeps the values. */
void count_slot_close(const struct tprof_counters *counters, struct count_slot *slot);
void counters_free_slots(struct tprof_counters *counters);

/*
 * count_group.c. Sets the sentence on an event that the kernel refuses in its group, and returns -EINVAL. The events
 * before it are open.
 */
int count_group_refuse(const struct tprof_counters *counters, const struct count_slot *slot, size_t event,
		       struct tprof_error *error);

/* count_bound.c. Is it a slot of a thread on one CPU, whose events are also enabled while the thread runs elsewhere? */
bool count_slot_is_bound(const struct count_slot *slot);
/* Opens the reference, if an event of the slot can be multiplexed. Sets the sentence. */
int count_bound_open(const struct tprof_counters *counters, struct count_slot *slot, struct tprof_error *error);
/* Reads it. 0 or -errno. */
int count_bound_read(struct count_slot *slot);
/* Sets the times enabled that were read to the time in which the thread ran on the CPU of the slot. */
void count_bound_correct(const struct tprof_counters *counters, struct count_slot *slot);

/* count_alike.c. Likewise to the time in which the thread ran on CPUs of their types, on a hybrid machine. */
void count_alike_correct(const struct tprof_counters *counters, struct count_slot *slot);

/* counters_targets.c. Opens the events of the threads of all targets and their descendants. */
int counters_open_targets(struct tprof_counters *counters, struct tprof_error *error);
/* Updates the names of their units, and whether they have ended. Errors: ENOMEM. */
int counters_follow_targets(struct tprof_counters *counters);

/* counters_cpus.c. Opens the events of all CPUs; finds the CPUs that came online or went offline. */
int counters_open_cpus(struct tprof_counters *counters, struct tprof_error *error);
int counters_follow_cpus(struct tprof_counters *counters, struct tprof_error *error);

/* The value of a multiplexed counter, for the whole time enabled. */
double count_scale(const struct count_reading *reading);

#endif
