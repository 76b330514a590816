// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Counting at context switches: reads the table, and turns its keys into units. */
#include "switch_state.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "switch_count.h"

#define OTHERS "(others)"

/* Ended threads and processes are moved out of the table when it has this many entries. */
#define DRAIN_FROM 4096

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

struct switch_count *switch_state_new(void)
{
	struct switch_count *count = calloc(1, sizeof(*count));

	if (!count)
		return NULL;
	count->switch_fd = count->flush_fd = count->fork_fd = count->free_fd = count->exec_fd = -1;
	count->switch_link = count->fork_link = count->free_link = count->exec_link = -1;
	count->plan.counters_fd = count->plan.last_fd = count->plan.delta_fd = count->plan.empty_fd = -1;
	count->plan.others_fd = count->plan.units_fd = count->plan.scope_fd = -1;
	return count;
}

void switch_count_close(struct switch_count *count)
{
	if (!count)
		return;
	close_fd(count->switch_link);
	close_fd(count->fork_link);
	close_fd(count->free_link);
	close_fd(count->exec_link);
	close_fd(count->switch_fd);
	close_fd(count->flush_fd);
	close_fd(count->fork_fd);
	close_fd(count->free_fd);
	close_fd(count->exec_fd);
	close_fd(count->plan.counters_fd);
	close_fd(count->plan.last_fd);
	close_fd(count->plan.delta_fd);
	close_fd(count->plan.empty_fd);
	close_fd(count->plan.others_fd);
	close_fd(count->plan.units_fd);
	close_fd(count->plan.scope_fd);
	free(count->plan.counted);
	free(count->plan.is_switches);
	free(count->levels);
	free(count->value);
	hash_fini(&count->units);
	cgroups_free(count->cgroups);
	free(count);
}

int switch_state_add_unit(struct tprof_counters *counters, struct switch_count *count, uint64_t key,
			  const struct tprof_counter_unit *shown)
{
	long index = counters_add_unit(counters, shown);

	return index < 0 ? -ENOMEM : hash_add(&count->units, &counters->units[index]->node, key);
}

/* A process of the options is a unit also while it does not run. */
static int add_process(struct tprof_counters *counters, struct switch_count *count, pid_t pid)
{
	char comm[PROC_COMM_LEN] = "";
	const struct tprof_counter_unit shown = { .name = comm, .cpu = -1, .pid = pid, .tid = -1 };

	if (!proc_read(&counters->targets.text, "%d/comm", pid))
		proc_parse_comm(counters->targets.text.text, comm);
	return switch_state_add_unit(counters, count, (uint64_t)pid, &shown);
}

int switch_state_add_first(struct tprof_counters *counters, struct switch_count *count)
{
	struct tprof_counter_unit shown = { .name = "", .cpu = -1, .pid = -1, .tid = -1 };
	int err = 0;

	count->value = calloc(1, count->value_bytes);
	if (!count->value)
		return -ENOMEM;
	if (counters->per == TPROF_PER_TOTAL)
		return switch_state_add_unit(counters, count, 0, &shown);
	for (size_t i = 0; counters->per == TPROF_PER_PROCESS && i < counters->targets.nr && !err; i++)
		err = add_process(counters, count, counters->targets.all[i].id);
	/* A command has other threads once it is executed. */
	if (counters->per == TPROF_PER_THREAD && counters->targets.nr && !counters->on_exec)
		err = switch_state_add_threads(counters, count);
	for (size_t i = 0; counters->per == TPROF_PER_CPU && i < counters->cpus.nr && !err; i++) {
		shown.cpu = (int)counters->cpus.ids[i];
		err = switch_state_add_unit(counters, count, counters->cpus.ids[i], &shown);
	}
	return err;
}

int switch_state_flush_cpu(const struct tprof_counters *counters, int cpu)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = (__u32)cpu);

	if (!bpf_prog_test_run_opts(counters->by_switch->flush_fd, &opts))
		return 0;
	return errno == ENXIO ? -ENODEV : -errno;
}

/* Runs the program on each CPU that has counters. */
static int flush(const struct tprof_counters *counters, struct tprof_error *error)
{
	for (size_t i = 0; i < counters->nr_slots; i++) {
		const struct count_slot *slot = &counters->slots[i];
		int err = slot->is_open ? switch_state_flush_cpu(counters, slot->cpu) : 0;

		if (err && err != -ENODEV)
			return error_set(error, -err, "counting at context switches: CPU %d: %s", slot->cpu,
					 strerror(-err));
	}
	return 0;
}

/* Also if its parent has not reaped it yet. The threads of a process may run on after the first one. */
static bool has_ended(struct tprof_counters *counters, uint64_t id)
{
	struct proc_text *text = &counters->targets.text;
	struct proc_stat stat;
	int err;

	if (!id)
		return false;
	/* Not /proc/ID/stat, which adds up all threads of the process. */
	err = proc_read(text, "%" PRIu64 "/task/%" PRIu64 "/stat", id, id);
	if (err)
		return err == -ENOENT || err == -ESRCH;
	if (proc_parse_stat(text->text, &stat))
		return false;
	return counters->per == TPROF_PER_THREAD ? proc_stat_is_zombie(&stat) : proc_stat_is_dead(&stat);
}

/* Names and ids of a unit, as in the table. */
static void describe(const struct tprof_counters *counters, struct switch_count *count, uint64_t key,
		     struct tprof_counter_unit *shown, char name[64])
{
	const struct switch_value *value = count->value;
	const char *path;

	*shown = (struct tprof_counter_unit){ .name = name, .cpu = -1, .pid = -1, .tid = -1 };
	name[0] = '\0';
	switch (counters->per) {
	case TPROF_PER_TOTAL:
		break;
	case TPROF_PER_CPU:
		shown->cpu = (int)key;
		break;
	case TPROF_PER_THREAD:
		shown->tid = (pid_t)value->tid;
		/* fall through */
	case TPROF_PER_PROCESS:
		shown->pid = (pid_t)value->tgid;
		snprintf(name, 64, "%.*s", (int)sizeof(value->comm), key ? value->comm : "(idle)");
		break;
	case TPROF_PER_CGROUP:
		if (!count->cgroups)
			count->cgroups = cgroups_new();
		path = count->cgroups ? cgroups_path(count->cgroups, key) : NULL;
		if (path)
			shown->name = path;
		else
			snprintf(name, 64, "(removed cgroup %" PRIu64 ")", key);
		break;
	}
}

/* The unit of the values beyond the limit. */
static struct count_unit *others(struct tprof_counters *counters, struct switch_count *count)
{
	const struct tprof_counter_unit shown = { .name = OTHERS, .cpu = -1, .pid = -1, .tid = -1 };
	long index;

	if (count->others)
		return count->others;
	index = counters_add_unit(counters, &shown);
	if (index >= 0)
		count->others = counters->units[index];
	return count->others;
}

/*
 * The unit of a key; a new one if it is not known, or if its values were moved out of the table and another process has
 * the id now.
 */
static struct count_unit *unit_of(struct tprof_counters *counters, struct switch_count *count, uint64_t key)
{
	bool has_comm = counters->per == TPROF_PER_THREAD || counters->per == TPROF_PER_PROCESS;
	struct count_unit *unit = (struct count_unit *)hash_find(&count->units, key);
	bool is_same = unit && !(unit->drained && !has_ended(counters, key));
	struct tprof_counter_unit shown;
	char name[64];

	if (is_same && (!has_comm || unit->drained))
		return unit;
	if (!is_same && counters->nr_units >= TPROF_COUNTERS_MAX_UNITS)
		return others(counters, count);
	describe(counters, count, key, &shown, name);
	if (is_same)
		return count_unit_rename(unit, shown.name) ? NULL : unit;
	if (switch_state_add_unit(counters, count, key, &shown))
		return NULL;
	return (struct count_unit *)hash_find(&count->units, key);
}

static void set_values(const struct tprof_counters *counters, const struct switch_count *count,
		       struct count_unit *unit)
{
	for (size_t i = 0; i < counters->nr_events; i++) {
		const struct switch_reading *from = &count->value->readings[i];
		struct count_reading *to = &unit->readings[i];

		*to = unit->drained ? unit->drained[i] : (struct count_reading){ 0 };
		to->raw += from->raw;
		to->enabled_ns += from->enabled_ns;
		to->running_ns += from->running_ns;
		unit->scaled[i] = count_scale(to);
	}
}

/* Adds the values in the buffer to those that were moved out of the table. Errors: ENOMEM. */
static int keep_drained(const struct tprof_counters *counters, const struct switch_count *count,
			struct count_unit *unit)
{
	if (!unit->drained)
		unit->drained = calloc(counters->nr_events, sizeof(*unit->drained));
	if (!unit->drained)
		return -ENOMEM;
	for (size_t i = 0; i < counters->nr_events; i++) {
		unit->drained[i].raw += count->value->readings[i].raw;
		unit->drained[i].enabled_ns += count->value->readings[i].enabled_ns;
		unit->drained[i].running_ns += count->value->readings[i].running_ns;
	}
	return 0;
}

/* Moves the values of a key out of the table. Errors: ENOMEM. */
static int drain(const struct tprof_counters *counters, const struct switch_count *count, struct count_unit *unit,
		 uint64_t key)
{
	if (bpf_map_lookup_and_delete_elem(count->plan.units_fd, &key, count->value))
		return 0;
	return keep_drained(counters, count, unit);
}

static void update_end(struct tprof_counters *counters, struct count_unit *unit, uint64_t key)
{
	uint64_t id;
	uint32_t level;

	switch (counters->per) {
	case TPROF_PER_THREAD:
	case TPROF_PER_PROCESS:
		unit->shown.ended = has_ended(counters, key);
		break;
	case TPROF_PER_CGROUP:
		unit->shown.ended = cgroup_lookup(unit->shown.name, &id, &level) != 0 || id != key;
		break;
	default:
		break;
	}
}

/*
 * A task is switched out for the last time shortly after its end shows in /proc, so its values are moved only if it
 * showed at the last reading.
 */
static int read_entry(struct tprof_counters *counters, struct switch_count *count, uint64_t key, bool drains)
{
	struct count_unit *unit = unit_of(counters, count, key);
	bool was_over;

	if (!unit)
		return -ENOMEM;
	if (unit == count->others)
		return drain(counters, count, unit, key);
	set_values(counters, count, unit);
	was_over = unit->shown.ended;
	update_end(counters, unit, key);
	return drains && was_over && unit->shown.ended && counters->per != TPROF_PER_CGROUP ?
	       drain(counters, count, unit, key) : 0;
}

/* All keys, before entries are deleted: the key after a deleted one would be the first. */
static uint64_t *read_keys(const struct switch_count *count, size_t *nr)
{
	size_t capacity = 0;
	uint64_t *keys = array_reserve(NULL, 1, &capacity, sizeof(*keys)), key = 0;

	*nr = 0;
	while (keys && bpf_map_get_next_key(count->plan.units_fd, *nr ? &key : NULL, &key) == 0) {
		uint64_t *grown = array_grow(keys, *nr, &capacity, sizeof(*keys));

		if (!grown) {
			free(keys);
			return NULL;
		}
		keys = grown;
		keys[(*nr)++] = key;
	}
	return keys;
}

static int read_others(struct tprof_counters *counters, struct switch_count *count)
{
	const int zero = 0;
	bool any = false;

	if (bpf_map_lookup_elem(count->plan.others_fd, &zero, count->value))
		return -errno;
	for (size_t i = 0; i < counters->nr_events; i++)
		any |= count->value->readings[i].enabled_ns != 0;
	if (!any && !count->others)
		return 0;
	if (!others(counters, count))
		return -ENOMEM;
	set_values(counters, count, count->others);
	return 0;
}

static int read_table(struct tprof_counters *counters, struct switch_count *count)
{
	size_t nr;
	uint64_t *keys = read_keys(count, &nr);
	int err = keys ? 0 : -ENOMEM;

	for (size_t i = 0; i < nr && !err; i++)
		if (!bpf_map_lookup_elem(count->plan.units_fd, &keys[i], count->value))
			err = read_entry(counters, count, keys[i], nr >= DRAIN_FROM);
	free(keys);
	return err ? err : read_others(counters, count);
}

int switch_count_read(struct tprof_counters *counters, struct tprof_error *error)
{
	int err = flush(counters, error);

	if (err)
		return err;
	err = read_table(counters, counters->by_switch);
	return err ? error_set(error, -err, "counting at context switches: the table cannot be read: %s",
			       strerror(-err)) : 0;
}
