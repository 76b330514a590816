// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Profiles from raw recordings. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "raw_profile.h"
#include "base/error.h"
#include "profile/profile.h"
#include "raw_ledger.h"
#include "raw_read.h"

/* Limit for all call stacks together, as for pprof files. */
#define MAX_FRAMES (UINT64_C(1) << 26)

/* Limit of groups that are summed before they are added to the profile. */
#define MAX_GROUPS (1U << 20)

/* The sums of the samples of one task or CPU with one call stack, until the definitions are dropped. */
struct group {
	struct hash_node node;		/* key: both numbers, the call stack's in the lower half */
	struct tprof_tally tallies[];	/* one for each event */
};

struct gathering {
	struct tprof_read_opts opts;
	struct tprof_profile *profile;
	struct hash groups;
	uint64_t frames;		/* of all call stacks in the profile */
	struct tprof_tally outside[TPROF_EVENTS_MAX];	/* samples of each event outside the requested part */
	struct tprof_error *error;
	const char *name;
};

static int no_memory(const struct gathering *gathering)
{
	return error_set(gathering->error, ENOMEM, "%s: not enough memory", gathering->name);
}

static int gather_all(void *ctx, struct raw_reader *reader);

/* The events are known before the first sample. */
static int set_events(struct gathering *gathering, const struct raw_reader *reader)
{
	if (gathering->profile->nr_events == reader->nr_events ||
	    !profile_set_events(gathering->profile, reader->event_infos, reader->nr_events))
		return 0;
	return no_memory(gathering);
}

static struct group *new_group(struct gathering *gathering, const struct raw_reader *reader, uint64_t key)
{
	struct group *group = calloc(1, sizeof(*group) + reader->nr_events * sizeof(group->tallies[0]));

	if (group && !set_events(gathering, reader) && !hash_add(&gathering->groups, &group->node, key))
		return group;
	free(group);
	return NULL;
}

static int gather_sample(void *ctx, struct raw_reader *reader, const struct raw_sample *sample)
{
	struct gathering *gathering = ctx;
	uint32_t owner = gathering->opts.owner == TPROF_OWNER_CPU ? (uint32_t)sample->cpu : sample->task;
	uint64_t key = (uint64_t)owner << 32 | sample->call_stack;
	struct tprof_tally *into = &gathering->outside[sample->event];

	if (raw_is_within(reader, sample->time_ns, &gathering->opts)) {
		struct group *group = (struct group *)hash_find(&gathering->groups, key);

		if (!group)
			group = new_group(gathering, reader, key);
		if (!group)
			return no_memory(gathering);
		into = &group->tallies[sample->event];
	}
	into->samples += sample->samples;
	into->weight += sample->weight;
	return gathering->groups.nr < MAX_GROUPS ? 0 : gather_all(gathering, reader);
}

static int too_many_frames(const struct gathering *gathering)
{
	int err = error_set(gathering->error, EFBIG, "%s: its call stacks have more than %" PRIu64 " frames",
			    gathering->name, MAX_FRAMES);

	error_hint(gathering->error, "read a part of it: --from, --to");
	return err;
}

/* The task or CPU of a group. */
struct owner {
	const char *name, *cgroup;
	pid_t pid;
	char cpu[16];
};

static void find_owner(const struct gathering *gathering, const struct raw_reader *reader, uint32_t number,
		       struct owner *owner)
{
	bool thread = gathering->opts.owner == TPROF_OWNER_THREAD;
	const struct raw_task *task;

	if (gathering->opts.owner == TPROF_OWNER_CPU) {
		snprintf(owner->cpu, sizeof(owner->cpu), "CPU %u", number);
		owner->name = number <= INT32_MAX ? owner->cpu : "";
		owner->cgroup = "";
		owner->pid = -1;
		return;
	}
	task = &reader->tasks[number];
	owner->name = reader->strings[thread ? task->thread : task->comm];
	owner->cgroup = reader->strings[task->cgroup];
	owner->pid = thread ? task->tid : task->pid;
}

/* Adds the sum of an event. */
static int add_sum(struct gathering *gathering, struct raw_reader *reader, const struct group *group,
		   const struct owner *owner, size_t event)
{
	struct tprof_call_stack call_stack = {
		.comm = owner->name, .cgroup = owner->cgroup, .pid = owner->pid,
		.samples = group->tallies[event].samples, .weight = group->tallies[event].weight,
	};
	struct tprof_entry entry = {
		.comm = call_stack.comm, .cgroup = call_stack.cgroup, .pid = call_stack.pid, .cpu = -1,
		.samples = call_stack.samples, .weight = call_stack.weight,
	};
	size_t nr_call_stacks = gathering->profile->calls.nr;

	call_stack.frames = raw_reader_frames(reader, (uint32_t)group->node.key, &call_stack.nr_frames);
	if (!call_stack.frames)
		return no_memory(gathering);
	profile_set_place(&entry, call_stack.frames[0]);
	entry.mode = call_stack.frames[0]->mode;
	if (profile_add_call_stack_of(gathering->profile, &call_stack, event) ||
	    profile_add_of(gathering->profile, &entry, event))
		return no_memory(gathering);
	gathering->frames += gathering->profile->calls.nr > nr_call_stacks ? call_stack.nr_frames : 0;
	return gathering->frames > MAX_FRAMES ? too_many_frames(gathering) : 0;
}

static int add_group(struct gathering *gathering, struct raw_reader *reader, const struct group *group,
		     const struct owner *owner)
{
	int err = 0;

	for (size_t e = 0; e < reader->nr_events && !err; e++)
		if (group->tallies[e].samples)
			err = add_sum(gathering, reader, group, owner, e);
	return err;
}

struct addition {
	struct gathering *gathering;
	struct raw_reader *reader;
	int err;
};

/* For hash_filter(): removes every group. */
static bool move_group(void *ctx, struct hash_node *node)
{
	struct addition *addition = ctx;
	struct owner owner;

	if (!addition->err && addition->reader) {
		find_owner(addition->gathering, addition->reader, (uint32_t)(node->key >> 32), &owner);
		addition->err = add_group(addition->gathering, addition->reader, (struct group *)node, &owner);
	}
	free(node);
	return false;
}

static int gather_all(void *ctx, struct raw_reader *reader)
{
	struct addition addition = { .gathering = ctx, .reader = reader };

	hash_filter(&addition.gathering->groups, move_group, &addition);
	return addition.err;
}

/* Determines the requested part; an empty one is an error. */
static int check_part(const struct gathering *gathering, const struct raw_reader *reader, uint64_t *duration_ns)
{
	const struct tprof_read_opts *opts = &gathering->opts;
	uint64_t all_ns = raw_reader_duration_ns(reader);
	uint64_t to_ns = opts->to_ns && opts->to_ns < all_ns ? opts->to_ns : all_ns;

	if (opts->from_ns && opts->from_ns >= all_ns)
		return error_set(gathering->error, EINVAL, "%s: ends after %.3f s, before the requested part begins",
				 gathering->name, (double)all_ns / 1e9);
	*duration_ns = to_ns - opts->from_ns;
	return 0;
}

static int refuse_value(const struct gathering *gathering)
{
	const struct tprof_profile *profile = gathering->profile;
	char names[400] = "";
	size_t length = 0;

	for (size_t e = 0; e < profile->nr_events && length < sizeof(names); e++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s", e ? ", " : "",
					   tprof_profile__event(profile, e)->event);
	error_set(gathering->error, EINVAL, "%s: has no sample value named %s", gathering->name, gathering->opts.value);
	error_hint(gathering->error, "it has %s", names);
	return -EINVAL;
}

/* Reduces the profile to the requested event. */
static int choose(struct gathering *gathering)
{
	struct tprof_profile *all = gathering->profile, *one;
	size_t event = 0;

	while (event < all->nr_events && strcmp(tprof_profile__event(all, event)->event, gathering->opts.value) != 0)
		event++;
	if (event == all->nr_events)
		return refuse_value(gathering);
	if (all->nr_events == 1)
		return 0;
	one = tprof_profile__of_event(all, event);
	if (!one)
		return no_memory(gathering);
	tprof_profile__free(all);
	gathering->profile = one;
	return 0;
}

static int gather(struct gathering *gathering, struct raw_reader *reader)
{
	const struct raw_listener listener = {
		.sample = gather_sample, .forget = gather_all, .notes = &gathering->opts, .ctx = gathering,
	};
	int err = raw_reader_run(reader, &listener);

	if (!err)
		err = check_part(gathering, reader, &gathering->profile->duration_ns);
	if (!err && profile_set_info(gathering->profile, &reader->info.info))
		err = no_memory(gathering);
	if (!err)
		err = set_events(gathering, reader);
	if (err)
		return err;
	raw_reader_warn(reader, &gathering->opts);
	gathering->profile->ledger = raw_ledger(reader, gathering->outside);
	for (size_t e = 0; e < reader->nr_events && reader->nr_events > 1; e++) {
		struct profile_event *event = &gathering->profile->events[e];

		event->ledger = raw_event_ledger(reader, e, &gathering->outside[e]);
		event->info.period = reader->event_infos[e].period;
	}
	profile_finish(gathering->profile);
	return gathering->opts.value ? choose(gathering) : 0;
}

struct tprof_profile *raw_profile_read(int fd, const struct file_head *head, const char *name,
				       const struct tprof_read_opts *opts, struct tprof_error *error)
{
	struct gathering gathering = { .opts = *opts, .profile = profile_new(), .error = error, .name = name };
	struct addition nothing = { .gathering = &gathering };
	struct raw_reader reader;
	int err = raw_reader_open(&reader, fd, head, name, error);

	if (!err && !gathering.profile)
		err = no_memory(&gathering);
	if (!err)
		err = gather(&gathering, &reader);
	hash_filter(&gathering.groups, move_group, &nothing);
	hash_fini(&gathering.groups);
	raw_reader_close(&reader);
	if (!err)
		return gathering.profile;
	tprof_profile__free(gathering.profile);
	raw_add_hint(error, err);
	errno = -err;
	return NULL;
}
