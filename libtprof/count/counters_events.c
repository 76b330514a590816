// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The events of counters: their names, their groups, and whether this machine has them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "count_modes.h"
#include "counters.h"
#include "event_words.h"

void count_event_attr(const struct tprof_counters *counters, const struct count_event *counted,
		      struct perf_event_attr *attr)
{
	bool all = count_modes_are_all(&counted->event);

	event_attr_init(attr, &counted->event, 0);
	if (counted->leaves_kernel || (counters->user_only && !all))
		attr->exclude_kernel = attr->exclude_hv = 1;
	if (counters->kernel_only && !all)
		attr->exclude_user = 1;
}

static int try_open(const struct tprof_counters *counters, const struct count_event *counted, pid_t pid, int cpu)
{
	struct perf_event_attr attr;
	long fd;

	count_event_attr(counters, counted, &attr);
	fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	close((int)fd);
	return 0;
}

/* Can it be counted, for a thread or on one of the CPUs? Other errors than a missing event are those of opening. */
static int probe_once(const struct tprof_counters *counters, const struct count_event *counted)
{
	int err = counters->targets.nr ? try_open(counters, counted, 0, -1) : -ENOENT;

	for (size_t i = 0; i < counters->cpus.nr && event_is_missing(err); i++) {
		int on_cpu = try_open(counters, counted, -1, (int)counters->cpus.ids[i]);

		/* A PMU that counts no single threads is none for threads. */
		if (counters->targets.nr && !on_cpu)
			return -EOPNOTSUPP;
		/* A CPU of another type does not have the event; one that has it tells more. */
		if (!i || !event_is_missing(on_cpu) || on_cpu == -EOPNOTSUPP)
			err = on_cpu;
	}
	return err;
}

/*
 * Without privileges, the kernel permits what leaves the kernel out: clocks are still complete, faults are those of
 * user mode. Returns false if nothing would be left to count.
 */
static bool leave_kernel(const struct tprof_counters *counters, struct count_event *counted)
{
	enum tprof_log_level level = counters->by_default ? TPROF_LOG_INFO : TPROF_LOG_WARN;

	counted->leaves_kernel = true;
	if (event_is_clock(&counted->event))
		return true;
	if (!count_modes_is_kernel(&counted->event)) {
		log_info(&counters->log, "event %s: counted in user mode only, as this user may not count the kernel",
			 counted->name);
		return true;
	}
	log_write(&counters->log, level, "event %s: it occurs in the kernel, which this user may not count",
		  counted->name);
	return false;
}

/* Some PMUs count all modes only, and refuse to leave one out. */
static void log_missing(const struct tprof_counters *counters, const struct count_event *counted)
{
	struct tprof_counters all = *counters;

	all.user_only = all.kernel_only = false;
	if ((counters->user_only || counters->kernel_only) && !event_is_missing(probe_once(&all, counted)))
		log_warn(&counters->log, "event %s: its PMU cannot leave out a mode: it is not counted with %s",
			 counted->name, counters->user_only ? "user_only" : "kernel_only");
	else
		log_info(&counters->log, "event %s: this machine does not have it", counted->name);
}

/* A PMU that is shared with guests refuses to count them. */
static void probe(const struct tprof_counters *counters, struct count_event *counted)
{
	int err = probe_once(counters, counted);

	if (err == -EOPNOTSUPP && event_may_leave_guests(&counted->event)) {
		counted->event.excludes |= EVENT_EXCLUDE_GUEST;
		err = probe_once(counters, counted);
		if (!err)
			log_info(&counters->log, "event %s: guests are not counted", counted->name);
	}
	counted->shown.supported = !event_is_missing(err);
	if (!counted->shown.supported)
		log_missing(counters, counted);
	else if (counters->user_only && count_modes_may_help(&counted->event, err))
		counted->shown.supported = leave_kernel(counters, counted);
}

static int check_event(const struct tprof_counters *counters, const struct count_event *counted,
		       struct tprof_error *error)
{
	for (size_t i = 0; i < counters->nr_events; i++) {
		if (strcmp(counters->events[i].name, counted->name) != 0)
			continue;
		error_set(error, EINVAL, "event %s: is given twice", counted->name);
		error_hint(error, "give each event once; a value is the same in every place");
		return -EINVAL;
	}
	if (counted->event.type != EVENT_TYPE_SOURCE)
		return count_modes_check(&counted->event, error);
	error_set(error, EINVAL, "event %s: a place in code can be sampled, but not counted", counted->name);
	error_hint(error, "tprof run top -e %s counts every hit with the module", counted->name);
	return -EINVAL;
}

static int refuse_number(struct tprof_error *error)
{
	error_set(error, E2BIG, "events: at most %d can be counted at once", TPROF_COUNTERS_MAX_EVENTS);
	error_hint(error, "count the others in another run");
	return -E2BIG;
}

/* A PMU counts a group of its own events only. */
static int check_group(const struct tprof_counters *counters, const struct count_event *counted, size_t group,
		       struct tprof_error *error)
{
	for (size_t i = group; i < counters->nr_events; i++) {
		const struct count_event *other = &counters->events[i];

		if (!other->event.core_pmu || !counted->event.core_pmu ||
		    other->event.core_pmu == counted->event.core_pmu)
			continue;
		error_set(error, EINVAL, "event %s: cannot be in a group with %s: they are of the PMUs of different "
			  "types of CPUs", counted->name, other->name);
		error_hint(error, "make a group for each PMU, or leave out the braces");
		return -EINVAL;
	}
	return 0;
}

/* @group: index of the first event of its group; that of the next event: it begins one. */
static int add_event(struct tprof_counters *counters, const char *name, size_t group, struct tprof_error *error)
{
	struct count_event *events, *counted;
	int err;

	if (counters->nr_events == TPROF_COUNTERS_MAX_EVENTS)
		return refuse_number(error);
	events = array_grow(counters->events, counters->nr_events, &counters->events_capacity, sizeof(*events));
	if (!events)
		return error_set(error, ENOMEM, "counters: not enough memory");
	counters->events = events;
	counted = &events[counters->nr_events];
	*counted = (struct count_event){ 0 };
	err = event_parse(&counted->event, name, error);
	if (err)
		return err;
	counted->name = strdup(counted->event.name);
	if (!counted->name)
		return error_set(error, ENOMEM, "counters: not enough memory");
	err = check_event(counters, counted, error);
	if (!err)
		err = check_group(counters, counted, group, error);
	if (err) {
		free(counted->name);
		return err;
	}
	counted->shown = (struct tprof_counter_event){
		.name = counted->name, .unit = counted->event.unit,
		.group = group,
	};
	counters->nr_events++;
	probe(counters, counted);
	return 0;
}

static int refuse_mixture(const char *name, struct tprof_error *error)
{
	error_set(error, EINVAL, "event %s: is in a group with an event that each type of CPU of this machine has",
		  name);
	error_hint(error, "name the PMU of each event: {cpu_core/cycles/,task-clock}");
	return -EINVAL;
}

/* The events of a group, or a single one. */
struct word_group {
	char names[TPROF_COUNTERS_MAX_EVENTS][sizeof(((struct event *)0)->name)];
	size_t nr;
};

static int add_group_of(struct tprof_counters *counters, const struct word_group *words, const char *pmu,
			struct tprof_error *error)
{
	char name[sizeof(words->names[0])];
	size_t group = counters->nr_events;
	int err = 0;

	for (size_t i = 0; i < words->nr && !err; i++) {
		if (pmu && !event_is_of_core(words->names[i]))
			return refuse_mixture(words->names[i], error);
		if (!pmu)
			snprintf(name, sizeof(name), "%s", words->names[i]);
		else if (event_core_name(name, sizeof(name), words->names[i], pmu))
			return error_set(error, EINVAL, "event: the name is too long");
		err = add_event(counters, name, group, error);
	}
	return err;
}

/* On a hybrid machine, events that are not of a certain PMU stand for those of each PMU, and so do their groups. */
static int add_group(struct tprof_counters *counters, const struct word_group *words, struct tprof_error *error)
{
	const struct core_pmus *pmus = &counters->core_pmus;
	size_t first = counters->nr_events;
	bool any = false;
	int err = 0;

	for (size_t i = 0; i < words->nr; i++)
		any |= event_is_of_core(words->names[i]);
	if (!pmus->nr || !any)
		return add_group_of(counters, words, NULL, error);
	for (size_t i = 0; i < pmus->nr && !err; i++)
		err = add_group_of(counters, words, pmus->all[i].name, error);
	for (size_t i = first; i < first + words->nr && !err; i++) {
		counters->events[i].nr_alike = pmus->nr;
		counters->events[i].alike_step = words->nr;
	}
	return err;
}

/* Adds the word to the group. The group before it ends if the word is not in it: @words is added then. */
static int take_word(struct tprof_counters *counters, struct word_group *words, const struct event_word *word,
		     struct tprof_error *error)
{
	int err = 0;

	if (words->nr && !word->continues) {
		err = add_group(counters, words, error);
		words->nr = 0;
	}
	if (err)
		return err;
	if (word->length >= sizeof(words->names[0]))
		return error_set(error, EINVAL, "event: the name is too long");
	if (words->nr == TPROF_COUNTERS_MAX_EVENTS)
		return refuse_number(error);
	memcpy(words->names[words->nr], word->text, word->length);
	words->names[words->nr++][word->length] = '\0';
	return 0;
}

static int add_list(struct tprof_counters *counters, const char *list, struct word_group *group,
		    struct tprof_error *error)
{
	struct event_words words = { 0 };
	struct event_word word;
	int more;

	while ((more = event_words_next(&words, list, &word, error)) > 0) {
		more = take_word(counters, group, &word, error);
		if (more)
			return more;
	}
	if (!more)
		more = add_group(counters, group, error);
	group->nr = 0;
	return more;
}

int counters_add_events(struct tprof_counters *counters, const char *const *names, size_t nr,
			struct tprof_error *error)
{
	struct word_group *group = calloc(1, sizeof(*group));
	int err = group ? 0 : error_set(error, ENOMEM, "counters: not enough memory");

	for (size_t i = 0; i < nr && !err; i++)
		err = names[i] ? add_list(counters, names[i], group, error) :
				 error_set(error, EINVAL, "events[%zu] is NULL", i);
	free(group);
	return err;
}

int counters_add_default_events(struct tprof_counters *counters, struct tprof_error *error)
{
	static const char *const software[] = { "task-clock,context-switches,cpu-migrations,page-faults" };
	static const char *const hardware[] = { "cycles,instructions,branches,branch-misses" };
	const struct count_event cycles = {
		.event = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES },
	};
	int err, probed;

	counters->by_default = true;
	err = counters_add_events(counters, software, 1, error);
	if (err)
		return err;
	probed = probe_once(counters, &cycles);
	if (event_is_missing(probed) && probed != -EOPNOTSUPP) {
		log_info(&counters->log, "this machine has no hardware counters: only software events are counted");
		return 0;
	}
	return counters_add_events(counters, hardware, 1, error);
}
