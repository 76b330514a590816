// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Counting at context switches: the maps and programs. */
#include "switch_count.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/libbpf_log.h"
#include "host/descendants.h"
#include "host/kernel_types.h"
#include "switch_state.h"

/* Capacity of the table of threads, processes or cgroups. Those that have ended are moved out of it. */
#define MAX_UNITS 16384
#define MAX_PROCESSES 65536

/* The inode of the initial pid namespace (PROC_PID_INIT_INO). */
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCUL

static int make_map(enum bpf_map_type type, const char *name, size_t key, size_t value, size_t entries)
{
	return bpf_map_create(type, name, (__u32)key, (__u32)value, (__u32)entries, NULL);
}

static size_t max_units(const struct tprof_counters *counters)
{
	return counters->per == TPROF_PER_TOTAL ? 1 : MAX_UNITS;
}

static int make_maps(struct switch_count *count, const struct tprof_counters *counters)
{
	struct switch_plan *plan = &count->plan;
	size_t readings = counters->nr_events * sizeof(struct switch_reading);

	count->value_bytes = sizeof(struct switch_value) + readings;
	plan->counters_fd = make_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "tprof_counters", sizeof(int), sizeof(int),
				     counters->nr_events * plan->nr_cpus);
	plan->last_fd = make_map(BPF_MAP_TYPE_ARRAY, "tprof_last", sizeof(int), readings, plan->nr_cpus);
	plan->delta_fd = make_map(BPF_MAP_TYPE_PERCPU_ARRAY, "tprof_delta", sizeof(int), readings, 1);
	plan->empty_fd = make_map(BPF_MAP_TYPE_ARRAY, "tprof_empty", sizeof(int), count->value_bytes, 1);
	plan->others_fd = make_map(BPF_MAP_TYPE_ARRAY, "tprof_others", sizeof(int), count->value_bytes, 1);
	plan->units_fd = make_map(BPF_MAP_TYPE_HASH, "tprof_units", sizeof(uint64_t), count->value_bytes,
				  max_units(counters));
	plan->scope_fd = make_map(BPF_MAP_TYPE_HASH, "tprof_scope", sizeof(uint64_t), 1, MAX_PROCESSES);
	return plan->counters_fd < 0 || plan->last_fd < 0 || plan->delta_fd < 0 || plan->empty_fd < 0 ||
	       plan->others_fd < 0 || plan->units_fd < 0 || plan->scope_fd < 0 ? -errno : 0;
}

static int refuse_bpf(int err, const char *what, struct tprof_error *error)
{
	if (err == -EPERM || err == -EACCES) {
		error_set(error, EPERM, "counting per process, thread or cgroup is not permitted");
		error_hint(error, "run it as root, or with CAP_BPF and CAP_PERFMON");
		return -EPERM;
	}
	error_set(error, -err, "counting at context switches: %s: %s", what, strerror(-err));
	error_hint_files(error, -err);
	return err;
}

static int load(const struct switch_plan *plan, enum switch_kind kind, struct tprof_error *error)
{
	static const char *const names[] = {
		[SWITCH_PROGRAM] = "tprof_switch", [SWITCH_FLUSH] = "tprof_flush",
		[SWITCH_FORK] = "tprof_fork", [SWITCH_FREE] = "tprof_free", [SWITCH_EXEC] = "tprof_exec",
	};
	size_t nr;
	struct bpf_insn *insns = switch_program(plan, kind, &nr);
	int fd;

	if (!insns)
		return error_set(error, ENOMEM, "counters: not enough memory");
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, names[kind], "GPL", insns, nr, NULL);
	free(insns);
	return fd < 0 ? refuse_bpf(-errno, names[kind], error) : fd;
}

static int load_programs(struct switch_count *count, struct tprof_error *error)
{
	count->switch_fd = load(&count->plan, SWITCH_PROGRAM, error);
	if (count->switch_fd < 0)
		return count->switch_fd;
	count->flush_fd = load(&count->plan, SWITCH_FLUSH, error);
	return count->flush_fd < 0 ? count->flush_fd : 0;
}

/* Loads and attaches. Sets *@program and *@link. */
static int follow(const struct switch_plan *plan, enum switch_kind kind, const char *tracepoint, int *program,
		  int *link, struct tprof_error *error)
{
	*program = load(plan, kind, error);
	if (*program < 0)
		return *program;
	*link = bpf_raw_tracepoint_open(tracepoint, *program);
	return *link < 0 ? refuse_bpf(-errno, tracepoint, error) : 0;
}

static int enter(void *ctx, pid_t pid, pid_t root)
{
	const struct switch_count *count = ctx;
	const uint64_t key = (uint64_t)pid;
	const uint8_t one = 1;

	(void)root;
	return bpf_map_update_elem(count->plan.scope_fd, &key, &one, BPF_ANY) ? -errno : 0;
}

/* The processes are put in scope after forks are followed, so none of their children is missed. */
static int open_tree(struct tprof_counters *counters, struct switch_count *count, struct tprof_error *error)
{
	const struct targets *targets = &counters->targets;
	struct kernel_types types;
	pid_t failed;
	int err = kernel_types_read(&types);

	if (err) {
		error_set(error, EOPNOTSUPP, "counting per process or thread: the BTF of the kernel cannot be read");
		error_hint(error, "use a kernel with CONFIG_DEBUG_INFO_BTF=y");
		return -EOPNOTSUPP;
	}
	count->plan.task_tgid = types.task_tgid;
	count->plan.task_pid = types.task_pid;
	count->plan.exec_tgid = (uint32_t)targets->all[0].id;
	err = follow(&count->plan, SWITCH_FORK, "sched_process_fork", &count->fork_fd, &count->fork_link, error);
	if (!err)
		err = follow(&count->plan, SWITCH_FREE, "sched_process_free", &count->free_fd, &count->free_link,
			     error);
	if (err)
		return err;
	if (counters->on_exec)
		return follow(&count->plan, SWITCH_EXEC, "sched_process_exec", &count->exec_fd, &count->exec_link,
			      error);
	for (size_t i = 0; i < targets->nr && !err; i++)
		err = enter(count, targets->all[i].id, targets->all[i].id);
	if (!err)
		err = descendants_each(targets->all, targets->nr, enter, count, &failed);
	return err ? refuse_bpf(err, "the processes", error) : 0;
}

static int by_level(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static int refuse_cgroup(const char *path, int err, struct tprof_error *error)
{
	if (err == -EOPNOTSUPP) {
		error_set(error, -err, "cgroup %s: no cgroup v2 file system is mounted", path);
		error_hint(error, "mount -t cgroup2 none /sys/fs/cgroup");
		return err;
	}
	error_set(error, -err, "cgroup %s: %s", path, err == -ENOENT ? "there is no such cgroup" : strerror(-err));
	error_hint(error, "give the path below the root of the cgroup v2 mount, as in /proc/PID/cgroup");
	return err;
}

/* Without the mount, the cgroups of tasks have no names. */
static int check_mount(struct tprof_error *error)
{
	uint64_t id;
	uint32_t level;
	int err = cgroup_lookup("/", &id, &level);

	return err ? refuse_cgroup("/", err, error) : 0;
}

static int add_cgroup(struct tprof_counters *counters, struct switch_count *count, const char *path,
		      struct tprof_error *error)
{
	const struct tprof_counter_unit shown = { .name = path, .cpu = -1, .pid = -1, .tid = -1 };
	const uint8_t one = 1;
	uint64_t id;
	uint32_t level;
	int err = cgroup_lookup(path, &id, &level);

	if (err)
		return refuse_cgroup(path, err, error);
	if (level == CGROUP_LEVEL_UNKNOWN) {
		error_set(error, EOPNOTSUPP, "cgroup %s: its depth is not visible in this cgroup namespace", path);
		error_hint(error, "run it in a cgroup of the namespace, or in the initial namespace (nsenter -t 1 -C)");
		return -EOPNOTSUPP;
	}
	if (bpf_map_update_elem(count->plan.scope_fd, &id, &one, BPF_NOEXIST)) {
		if (errno != EEXIST)
			return refuse_bpf(-errno, path, error);
		error_set(error, EINVAL, "cgroup %s: is given twice", path);
		error_hint(error, "give each cgroup once");
		return -EINVAL;
	}
	count->levels[count->plan.nr_levels++] = level;
	if (counters->per == TPROF_PER_CGROUP && switch_state_add_unit(counters, count, id, &shown))
		return error_set(error, ENOMEM, "counters: not enough memory");
	return 0;
}

static int open_cgroups(struct tprof_counters *counters, struct switch_count *count,
			const struct tprof_counters_opts *opts, struct tprof_error *error)
{
	struct switch_plan *plan = &count->plan;
	size_t nr = 0;
	int err = 0;

	count->levels = calloc(opts->nr_cgroups, sizeof(*count->levels));
	if (!count->levels)
		return error_set(error, ENOMEM, "counters: not enough memory");
	for (size_t i = 0; i < opts->nr_cgroups && !err; i++)
		err = add_cgroup(counters, count, opts->cgroups[i], error);
	qsort(count->levels, plan->nr_levels, sizeof(*count->levels), by_level);
	for (size_t i = 0; i < plan->nr_levels; i++)
		if (!nr || count->levels[nr - 1] != count->levels[i])
			count->levels[nr++] = count->levels[i];
	plan->levels = count->levels;
	plan->nr_levels = nr;
	return err;
}

static int check_namespace(const struct tprof_counters_opts *opts, struct tprof_error *error)
{
	bool has_ids = opts->nr_pids || opts->per == TPROF_PER_THREAD || opts->per == TPROF_PER_PROCESS;
	struct stat st;

	if (!has_ids || stat("/proc/self/ns/pid", &st) || st.st_ino == INITIAL_PID_NAMESPACE)
		return 0;
	error_set(error, EOPNOTSUPP, "counting per process or thread: ids of this pid namespace cannot be translated");
	error_hint(error, "run it in the pid namespace of the host (containers: --pid=host)");
	return -EOPNOTSUPP;
}

static int plan_events(const struct tprof_counters *counters, struct switch_count *count)
{
	struct switch_plan *plan = &count->plan;

	plan->per = counters->per;
	plan->nr_events = counters->nr_events;
	plan->counted = calloc(counters->nr_events, sizeof(*plan->counted));
	plan->is_switches = calloc(counters->nr_events, sizeof(*plan->is_switches));
	if (!plan->counted || !plan->is_switches)
		return -ENOMEM;
	for (size_t i = 0; i < counters->nr_events; i++) {
		const struct event *event = &counters->events[i].event;

		plan->counted[i] = counters->events[i].shown.supported;
		plan->is_switches[i] = event->type == PERF_TYPE_SOFTWARE &&
				       event->config == PERF_COUNT_SW_CONTEXT_SWITCHES;
	}
	return 0;
}

int switch_count_open(struct tprof_counters *counters, const struct tprof_counters_opts *opts,
		      struct tprof_error *error)
{
	struct switch_count *count = switch_state_new();
	int err = check_namespace(opts, error), nr_cpus;

	if (!count)
		return error_set(error, ENOMEM, "counters: not enough memory");
	counters->by_switch = count;
	if (err)
		return err;
	nr_cpus = libbpf_num_possible_cpus();
	if (nr_cpus < 0)
		return error_set(error, -nr_cpus, "the CPUs of this machine cannot be counted: %s", strerror(-nr_cpus));
	count->plan.nr_cpus = (uint32_t)nr_cpus;
	if (plan_events(counters, count))
		return error_set(error, ENOMEM, "counters: not enough memory");
	err = make_maps(count, counters);
	if (err)
		return refuse_bpf(err, "the tables", error);
	count->plan.has_tree = opts->nr_pids;
	count->plan.has_cgroups = opts->nr_cgroups;
	if (opts->nr_pids)
		err = open_tree(counters, count, error);
	else if (opts->nr_cgroups)
		err = open_cgroups(counters, count, opts, error);
	else if (counters->per == TPROF_PER_CGROUP)
		err = check_mount(error);
	if (err)
		return err;
	err = switch_state_add_first(counters, count);
	return err ? error_set(error, -err, "counters: the units cannot be listed: %s", strerror(-err)) :
		     load_programs(count, error);
}

/*
 * Removes the events of a CPU that has been offline: they are still in the table. What they have counted since the last
 * switch is added first. When this returns, no program that has read them runs there any more.
 */
static int remove_ended(const struct tprof_counters *counters, struct count_slot *slot)
{
	const struct switch_plan *plan = &counters->by_switch->plan;
	int err = switch_state_flush_cpu(counters, slot->cpu);

	for (size_t i = 0; i < counters->nr_events && !err; i++) {
		uint32_t index = (uint32_t)(i * plan->nr_cpus) + (uint32_t)slot->cpu;

		if (bpf_map_delete_elem(plan->counters_fd, &index) && errno != ENOENT)
			err = -errno;
	}
	return err ? err : switch_state_flush_cpu(counters, slot->cpu);
}

/*
 * The last readings are set to zero while the table has no events for the CPU. Otherwise a switch in between would read
 * the old events once more: the whole would be added to one unit, and subtracted from the next.
 */
int switch_count_add_cpu(struct tprof_counters *counters, struct count_slot *slot, struct tprof_error *error)
{
	const struct switch_plan *plan = &counters->by_switch->plan;
	struct switch_reading zeros[TPROF_COUNTERS_MAX_EVENTS] = { 0 };
	int err = slot->in_table ? remove_ended(counters, slot) : 0;

	if (!err && bpf_map_update_elem(plan->last_fd, &slot->cpu, zeros, BPF_ANY))
		err = -errno;
	for (size_t i = 0; i < counters->nr_events && !err; i++) {
		uint32_t index = (uint32_t)(i * plan->nr_cpus) + (uint32_t)slot->cpu;

		if (slot->fds[i] >= 0 && bpf_map_update_elem(plan->counters_fd, &index, &slot->fds[i], BPF_ANY))
			err = -errno;
		slot->in_table = true;
	}
	return err && err != -ENODEV ? refuse_bpf(err, "the table of counters", error) : err;
}

int switch_count_attach(struct tprof_counters *counters, struct tprof_error *error)
{
	struct switch_count *count = counters->by_switch;

	if (count->switch_link >= 0)
		return 0;
	count->switch_link = bpf_raw_tracepoint_open("sched_switch", count->switch_fd);
	return count->switch_link < 0 ? refuse_bpf(-errno, "sched_switch", error) : 0;
}

void switch_count_detach(struct tprof_counters *counters)
{
	struct switch_count *count = counters->by_switch;

	if (count->switch_link >= 0)
		close(count->switch_link);
	count->switch_link = -1;
}
