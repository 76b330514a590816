// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Waits, runs and wake-ups on the perf engine (the events off-cpu, on-cpu and wakeup): the programs of a filter that
 * follow threads, and the maps that they need.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "filter.h"
#include "host/kernel_task.h"
#include "host/proc.h"
#include "host/sched_text.h"

/*
 * The kernel allocates the entries of the maps when threads need them. Without any, a map takes 16 bytes for each
 * thread for which there is space, rounded up to a power of two: 2 MiB for COMMON_THREADS. Threads that have just ended
 * may still have an entry.
 */
#define SPARE_THREADS 1024
#define COMMON_THREADS ((1U << 17) - SPARE_THREADS)
#define MAX_THREADS ((1U << 20) - SPARE_THREADS)

/* The programs that all filters of an object share, by the tracepoint to which they are attached */
static const struct {
	const char *tracepoint, *program;
} shared[] = {
	{ "sched_waking", TPROF_WAKING_NAME },
	{ "sched_wakeup_new", TPROF_NEW_NAME },
	{ "sched_process_exec", TPROF_EXEC_NAME },
};
_Static_assert(FILTER_WAIT_FDS == ARRAY_SIZE(shared) + 2, "sched_switch, the iterator");

static bool has_suffix_of(const char *name, const char *entry, const char *suffix)
{
	size_t length = strlen(entry);

	return strncmp(name, entry, length) == 0 && strcmp(name + length, suffix) == 0;
}

bool filter_is_wait_program(const struct tprof_filter *filter, const struct bpf_program *program)
{
	static const char *const suffixes[] = {
		TPROF_WAIT_SUFFIX, TPROF_PART_SUFFIX, TPROF_OFFCPU_WAIT_SUFFIX, TPROF_OFFCPU_PART_SUFFIX,
		TPROF_WAKE_SUFFIX, TPROF_WAKEUP_WAKE_SUFFIX,
	};
	const char *name = bpf_program__name(program);

	for (size_t i = 0; i < filter->nr_entries; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(suffixes); k++) {
			if (has_suffix_of(name, filter->entries[i].name, suffixes[k]))
				return true;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(shared); i++) {
		if (strcmp(name, shared[i].program) == 0)
			return true;
	}
	return strcmp(name, TPROF_SEED_NAME) == 0 || strcmp(name, TPROF_WAKERS_NAME) == 0;
}

/* The program at sched_waking that stores wakers; NULL: the object has no TPROF_WAKERS(). */
static struct bpf_program *wakers_program(const struct tprof_filter *filter)
{
	return bpf_object__find_program_by_name(filter->object, TPROF_WAKERS_NAME);
}

/* A program of the only entry. */
static struct bpf_program *find_program(const struct tprof_filter *filter, const char *suffix)
{
	char name[TPROF_NAME_MAX + 1 + sizeof(TPROF_WAIT_SUFFIX)];

	snprintf(name, sizeof(name), "%s%s", filter->entries[0].name, suffix);
	return bpf_object__find_program_by_name(filter->object, name);
}

bool filter_has_offcpu(const struct tprof_filter *filter)
{
	return find_program(filter, TPROF_OFFCPU_WAIT_SUFFIX);
}

bool filter_has_wakeup(const struct tprof_filter *filter)
{
	return find_program(filter, TPROF_WAKEUP_WAKE_SUFFIX);
}

/* The program at sched_waking for the event wakeup: that of TPROF_WAKEUP(), if there is one. */
static struct bpf_program *wakeup_program(const struct tprof_filter *filter)
{
	struct bpf_program *program = find_program(filter, TPROF_WAKEUP_WAKE_SUFFIX);

	return program ? program : find_program(filter, TPROF_WAKE_SUFFIX);
}

/* The program at that tracepoint. NULL: the object was not made by these headers. */
static struct bpf_program *shared_program(const struct tprof_filter *filter, size_t index)
{
	const char *name = shared[index].program;
	struct bpf_program *wakers = filter->for_wakeups ? wakeup_program(filter) : wakers_program(filter);

	if (wakers && strcmp(name, TPROF_WAKING_NAME) == 0)
		return wakers;
	return bpf_object__find_program_by_name(filter->object, name);
}

/* The program at sched_switch: that of TPROF_OFFCPU(), if there is one. */
static struct bpf_program *switch_program(const struct tprof_filter *filter)
{
	struct bpf_program *program = find_program(filter, TPROF_OFFCPU_WAIT_SUFFIX);

	return program ? program : find_program(filter, TPROF_WAIT_SUFFIX);
}

/* That for waits in progress. */
static struct bpf_program *part_program(const struct tprof_filter *filter)
{
	struct bpf_program *program = find_program(filter, TPROF_OFFCPU_PART_SUFFIX);

	return program ? program : find_program(filter, TPROF_PART_SUFFIX);
}

/* The first number after a @separator in a file of /proc, or at its start if that is 0; 0: there is none. */
static unsigned long read_number(const char *path, char separator)
{
	struct proc_text text = { 0 };
	unsigned long number = 0;
	const char *at;

	if (!proc_read(&text, path)) {
		at = separator ? strchr(text.text, separator) : text.text;
		if (at)
			number = strtoul(at + !!separator, NULL, 10);
	}
	proc_text_fini(&text);
	return number;
}

/*
 * For how many threads the maps have space: all that the kernel allows, but not far more than there are now.
 * /proc/loadavg has "running/all" in its fourth field.
 */
static uint32_t space_for_threads(void)
{
	unsigned long nr = 2 * read_number("loadavg", '/'), most = read_number("sys/kernel/threads-max", '\0');

	if (nr < COMMON_THREADS)
		nr = COMMON_THREADS;
	if (most && most < nr)
		nr = most;
	return (nr < MAX_THREADS ? (uint32_t)nr : MAX_THREADS) + SPARE_THREADS;
}

static void choose_map(const struct tprof_filter *filter, const char *name, bool used, uint32_t entries)
{
	struct bpf_map *map = filter_map(filter, name);

	bpf_map__set_autocreate(map, used);
	if (used)
		bpf_map__set_max_entries(map, entries);
}

static int load_program(struct bpf_program *program)
{
	return program ? bpf_program__set_autoload(program, true) : -ENOEXEC;
}

static int load_programs(struct tprof_filter *filter)
{
	int err = load_program(switch_program(filter));

	if (!err)
		err = load_program(part_program(filter));
	for (size_t i = 0; !err && i < ARRAY_SIZE(shared); i++)
		err = load_program(shared_program(filter, i));
	return err ? err : load_program(bpf_object__find_program_by_name(filter->object, TPROF_SEED_NAME));
}

/* @err: EINVAL if the filter cannot have it anywhere, EOPNOTSUPP if this kernel or this engine cannot */
static int refuse(const struct tprof_filter *filter, int err, const char *why, const char *hint,
		  struct tprof_error *error)
{
	error_set(error, err, "filter %s: cannot follow waiting threads: %s", tprof_filter__name(filter), why);
	error_hint(error, "%s", hint);
	return -err;
}

static int refuse_copies(const struct tprof_filter *filter, struct tprof_error *error)
{
	return refuse(filter, EINVAL, "it copies user stacks, which is possible only while a thread runs",
		      "use a filter that walks the stack by frame pointers, such as stacks", error);
}

static int refuse_wakers(const struct tprof_filter *filter, struct tprof_error *error)
{
	return refuse(filter, EINVAL, "TPROF_WAKERS() and the event wakeup exclude each other",
		      "use a filter with TPROF_WAKEUP(), such as wakers", error);
}

int filter_check_kmod_waits(const struct tprof_filter *filter, const struct tprof_object *session,
			    struct tprof_error *error)
{
	if (filter_map(filter, TPROF_COPIES_NAME))
		return refuse_copies(filter, error);
	if (filter->wait_stacks & TPROF_STACK_WAKER && session->wake_event)
		return refuse_wakers(filter, error);
	if (filter->wait_stacks & TPROF_STACK_WAKER)
		return refuse(filter, EOPNOTSUPP, "the kernel module does not keep the call stacks of wakers",
			      "use --engine perf", error);
	return 0;
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

/* Says what a filter cannot have for waits. */
static int check_waits(const struct tprof_filter *filter, struct tprof_error *error)
{
	char hint[96];

	if (filter->nr_entries != 1)
		return refuse(filter, EINVAL, "its object has several filters",
			      "compile each filter to an object of its own", error);
	if (filter_map(filter, TPROF_COPIES_NAME))
		return refuse_copies(filter, error);
	if (wakers_program(filter) && filter->constants->wake_event)
		return refuse_wakers(filter, error);
	if (wakers_program(filter) && filter->constants->stack_frames < TPROF_WAKER_MIN_FRAMES) {
		snprintf(hint, sizeof(hint), "choose a maximum depth of at least %u frames, or leave it out",
			 TPROF_WAKER_MIN_FRAMES);
		return refuse(filter, EINVAL, "call stacks of wakers begin with frames of the program that walks them",
			      hint, error);
	}
	return 0;
}

/* Whether the state of waits is part of a key. */
static bool has_state(const struct tprof_filter *filter)
{
	for (size_t i = 0; i < filter->nr_tables; i++)
		if (value_layout_find(&filter->tables[i].key, VALUE_STATE))
			return true;
	return false;
}

int filter_choose_waits(struct tprof_filter *filter, struct tprof_error *error)
{
	struct tprof_object *constants = filter->constants;
	bool used = object_follows_threads(constants);
	uint32_t threads = used ? space_for_threads() : 0;
	uint64_t start, end;
	int err = used ? check_waits(filter, error) : 0;

	if (err)
		return err;
	filter->for_wakeups = constants->wake_event;
	choose_map(filter, TPROF_WAITS_NAME, used, threads);
	bpf_map__set_autocreate(filter_map(filter, TPROF_WAIT_HINT_NAME), used);
	choose_map(filter, TPROF_WAIT_KERN_NAME, used && filter->wait_stacks & TPROF_STACK_KERNEL, threads);
	choose_map(filter, TPROF_WAIT_USER_NAME, used && filter->wait_stacks & TPROF_STACK_USER, threads);
	choose_map(filter, TPROF_CHAINS_NAME, used && filter->wait_stacks & TPROF_STACK_WAKER, threads);
	if (!used)
		return 0;
	if (load_programs(filter))
		return error_set(error, ENOEXEC, "%s: compiled with the headers of another tprof", filter->path);
	bpf_map__set_max_entries(filter_map(filter, TPROF_SCRATCH_NAME), TPROF_SCRATCH_USES);
	err = kernel_task_read(&constants->layouts, &constants->preempt_count);
	if (err)
		return refuse(filter, EOPNOTSUPP, "the kernel's BTF lacks a member of its tasks",
			      "tprof doctor shows what this kernel can do", error);
	constants->wait_stacks = filter->wait_stacks;
	constants->wait_place = reads_place(filter);
	constants->wait_details = filter_has_offcpu(filter) || filter_has_wakeup(filter) || has_state(filter);
	/* Without these, call stacks begin with the frames of the program. */
	sched_text_find(&start, &end);
	constants->sched_start = start;
	constants->sched_end = end;
	if (constants->wake_event && !kernel_symbol_find(&start, "try_to_wake_up"))
		constants->wake_start = start;
	return 0;
}

/* Returns the descriptor from which the iterator is read. */
static int open_iterator(const struct tprof_filter *filter)
{
	const struct bpf_program *seed = bpf_object__find_program_by_name(filter->object, TPROF_SEED_NAME);
	int link_fd = bpf_link_create(bpf_program__fd(seed), 0, BPF_TRACE_ITER, NULL), iterator_fd;

	if (link_fd < 0)
		return link_fd;
	iterator_fd = bpf_iter_create(link_fd);
	close(link_fd);
	return iterator_fd;
}

int filter_attach_waits(struct tprof_filter *filter, int fds[FILTER_WAIT_FDS])
{
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(shared); i++) {
		const struct bpf_program *program = shared_program(filter, i);

		fds[nr] = bpf_raw_tracepoint_open(shared[i].tracepoint, bpf_program__fd(program));
		if (fds[nr++] < 0)
			return fds[nr - 1];
	}
	fds[nr] = bpf_raw_tracepoint_open("sched_switch", bpf_program__fd(switch_program(filter)));
	if (fds[nr++] < 0)
		return fds[nr - 1];
	fds[nr] = open_iterator(filter);
	return fds[nr] < 0 ? fds[nr] : 0;
}

/* The program writes nothing, so the first read ends when it has seen all threads, or after a million of them. */
int filter_seed_waits(const int fds[FILTER_WAIT_FDS])
{
	char nothing[64];
	ssize_t got;

	do {
		got = read(fds[FILTER_WAIT_FDS - 1], nothing, sizeof(nothing));
	} while (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN)));
	return got < 0 ? -errno : 0;
}

void filter_set_waits(struct tprof_filter *filter, enum tprof_wait_mode mode, uint64_t period)
{
	for (size_t slot = 0; slot < filter->nr_slots; slot++) {
		__atomic_store_n(&filter->ledger[slot].wait_period, period, __ATOMIC_RELAXED);
		__atomic_store_n(&filter->ledger[slot].wait_mode, mode, __ATOMIC_RELEASE);
	}
}

void filter_scope_changed(const struct tprof_filter *filter)
{
	if (filter->ledger)
		__atomic_add_fetch(&filter->ledger[filter->nr_slots - 1].scope_epoch, 1, __ATOMIC_SEQ_CST);
}

int filter_take_waits(struct tprof_filter *filter, enum tprof_wait_mode mode)
{
	struct tprof_cpu_ledger *ledger = &filter->ledger[filter->nr_slots - 1];
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	__atomic_store_n(&ledger->wait_mode, mode, __ATOMIC_RELEASE);
	err = bpf_prog_test_run_opts(bpf_program__fd(part_program(filter)), &opts);
	return err < 0 ? err : 0;
}
