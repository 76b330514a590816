// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Waits on the perf engine (the event off-cpu): the programs of a filter that follow the waits of threads, and the maps
 * that they need.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "host/proc.h"
#include "host/sched_text.h"

/* Threads of which most never wait while a session runs still have an entry each. */
#define SPARE_THREADS 1024
#define MAX_THREADS (1U << 20)

static bool has_suffix_of(const char *name, const char *entry, const char *suffix)
{
	size_t length = strlen(entry);

	return strncmp(name, entry, length) == 0 && strcmp(name + length, suffix) == 0;
}

bool filter_is_wait_program(const struct tprof_filter *filter, const struct bpf_program *program)
{
	const char *name = bpf_program__name(program);

	if (bpf_program__type(program) != BPF_PROG_TYPE_RAW_TRACEPOINT)
		return false;
	for (size_t i = 0; i < filter->nr_entries; i++) {
		if (has_suffix_of(name, filter->entries[i].name, TPROF_WAIT_SUFFIX) ||
		    has_suffix_of(name, filter->entries[i].name, TPROF_PART_SUFFIX))
			return true;
	}
	return strcmp(name, TPROF_WAKING_NAME) == 0;
}

/* A program of the only entry. */
static struct bpf_program *find_program(const struct tprof_filter *filter, const char *suffix)
{
	char name[TPROF_NAME_MAX + 1 + sizeof(TPROF_WAIT_SUFFIX)];

	snprintf(name, sizeof(name), "%s%s", filter->entries[0].name, suffix);
	return bpf_object__find_program_by_name(filter->object, name);
}

/* The threads that exist now, and as many again. /proc/loadavg has "running/all" in its fourth field. */
static uint32_t count_threads(void)
{
	struct proc_text text = { 0 };
	unsigned long nr = 0;
	const char *slash;

	if (!proc_read(&text, "loadavg")) {
		slash = strchr(text.text, '/');
		nr = slash ? strtoul(slash + 1, NULL, 10) : 0;
	}
	proc_text_fini(&text);
	if (!nr)
		return TPROF_WAIT_THREADS;
	return nr < (MAX_THREADS - SPARE_THREADS) / 2 ? (uint32_t)nr * 2 + SPARE_THREADS : MAX_THREADS;
}

static void choose_map(const struct tprof_filter *filter, const char *name, bool used, uint32_t entries)
{
	struct bpf_map *map = filter_map(filter, name);

	bpf_map__set_autocreate(map, used);
	if (used)
		bpf_map__set_max_entries(map, entries);
}

static int load_programs(struct tprof_filter *filter)
{
	struct bpf_program *programs[] = {
		find_program(filter, TPROF_WAIT_SUFFIX), find_program(filter, TPROF_PART_SUFFIX),
		bpf_object__find_program_by_name(filter->object, TPROF_WAKING_NAME),
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (!programs[i])
			return -ENOEXEC;
		bpf_program__set_autoload(programs[i], true);
	}
	return 0;
}

static int refuse(const struct tprof_filter *filter, const char *why, const char *hint, struct tprof_error *error)
{
	error_set(error, EOPNOTSUPP, "filter %s: cannot count waits (off-cpu): %s", tprof_filter__name(filter), why);
	error_hint(error, "%s", hint);
	return -EOPNOTSUPP;
}

/* Samples that a filter without tables keeps have the place, too. */
static bool reads_place(const struct tprof_filter *filter)
{
	if (!filter_nr_counts(filter))
		return true;
	for (size_t i = 0; i < filter->nr_tables; i++) {
		if (value_layout_find(&filter->tables[i].key, VALUE_IP))
			return true;
	}
	return false;
}

int filter_choose_waits(struct tprof_filter *filter, struct tprof_error *error)
{
	struct tprof_object *constants = filter->constants;
	bool used = constants->wait_event;
	uint32_t threads = used ? count_threads() : 0;
	uint64_t start, end;

	if (used && filter->nr_entries != 1)
		return refuse(filter, "its object has several filters", "compile each filter to an object of its own",
			      error);
	if (used && filter_map(filter, TPROF_COPIES_NAME))
		return refuse(filter, "it copies user stacks, which is possible only while a thread runs",
			      "use a filter that walks the stack by frame pointers, such as stacks", error);
	choose_map(filter, TPROF_WAITS_NAME, used, threads);
	choose_map(filter, TPROF_WAIT_KERN_NAME, used && filter->stacks & TPROF_STACK_KERNEL, threads);
	choose_map(filter, TPROF_WAIT_USER_NAME, used && filter->stacks & TPROF_STACK_USER, threads);
	if (!used)
		return 0;
	if (load_programs(filter))
		return error_set(error, ENOEXEC, "%s: compiled with the headers of another tprof", filter->path);
	bpf_map__set_max_entries(filter_map(filter, TPROF_SCRATCH_NAME), TPROF_SCRATCH_USES);
	constants->wait_stacks = filter->stacks;
	constants->wait_place = reads_place(filter);
	/* Without the bounds, call stacks begin with the frames of the program. */
	sched_text_find(&start, &end);
	constants->sched_start = start;
	constants->sched_end = end;
	return 0;
}

int filter_attach_waits(struct tprof_filter *filter, int link_fds[2])
{
	const struct bpf_program *waking = bpf_object__find_program_by_name(filter->object, TPROF_WAKING_NAME);

	link_fds[0] = bpf_raw_tracepoint_open("sched_waking", bpf_program__fd(waking));
	if (link_fds[0] < 0)
		return link_fds[0];
	link_fds[1] = bpf_raw_tracepoint_open("sched_switch", bpf_program__fd(find_program(filter, TPROF_WAIT_SUFFIX)));
	return link_fds[1] < 0 ? link_fds[1] : 0;
}

void filter_set_waits(struct tprof_filter *filter, enum tprof_wait_mode mode, uint64_t period)
{
	for (size_t slot = 0; slot < filter->nr_slots; slot++) {
		__atomic_store_n(&filter->ledger[slot].wait_period, period, __ATOMIC_RELAXED);
		__atomic_store_n(&filter->ledger[slot].wait_mode, mode, __ATOMIC_RELEASE);
	}
}

int filter_take_waits(struct tprof_filter *filter, enum tprof_wait_mode mode)
{
	struct tprof_cpu_ledger *ledger = &filter->ledger[filter->nr_slots - 1];
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	__atomic_store_n(&ledger->wait_mode, mode, __ATOMIC_RELEASE);
	err = bpf_prog_test_run_opts(bpf_program__fd(find_program(filter, TPROF_PART_SUFFIX)), &opts);
	return err < 0 ? err : 0;
}
