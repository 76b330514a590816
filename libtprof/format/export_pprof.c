// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Profiles as pprof files: all call stacks, or, without them, each entry as a call stack of one function. The caller's
 * limit is ignored, because the samples of a file must add up. Equal profiles give identical files.
 */
#include <errno.h>
#include <stdlib.h>

#include "export.h"
#include "pprof.h"
#include "pprof_build.h"
#include "pprof_comments.h"

/* The file that is written, and the sum of its values. */
struct file {
	struct pprof_build build;
	const struct tprof_profile *profile;
	struct pprof_values total;
};

static void add_up(struct file *file, const struct pprof_values *values)
{
	for (size_t e = 0; e < values->nr; e++) {
		file->total.events[e].samples += values->events[e].samples;
		file->total.events[e].weight += values->events[e].weight;
	}
}

static int add_call_stacks(struct file *file)
{
	const struct tprof_profile *profile = file->profile;
	struct pprof_values values = { .nr = profile->nr_events };
	int err = 0;

	for (size_t i = 0; i < profile->calls.nr && !err; i++) {
		for (size_t e = 0; e < values.nr; e++)
			values.events[e] = tprof_profile__call_stack_value(profile, i, e);
		add_up(file, &values);
		err = pprof_build_sample(&file->build, &profile->calls.call_stacks[i]->call_stack, &values, -1, -1);
	}
	return err;
}

static int add_entries(struct file *file)
{
	const struct tprof_profile *profile = file->profile;
	struct tprof_frame *frames = pprof_build_take(&file->build, profile->nr * sizeof(*frames));
	struct pprof_values values = { .nr = profile->nr_events };
	int err = frames ? 0 : -ENOMEM;

	for (size_t i = 0; i < profile->nr && !err; i++) {
		const struct tprof_entry *entry = &profile->entries[i]->entry;
		const struct tprof_frame *frame = &frames[i];
		const struct tprof_call_stack stack = {
			.frames = &frame, .nr_frames = 1, .comm = entry->comm, .cgroup = entry->cgroup,
			.owner = entry->owner, .pid = entry->pid,
		};

		frames[i] = (struct tprof_frame){ .symbol = entry->symbol, .object = entry->object, .path = "",
						  .build_id = "", .mode = entry->mode, .file = entry->file,
						  .line = entry->line };
		for (size_t e = 0; e < values.nr; e++)
			values.events[e] = tprof_profile__entry_value(profile, i, e);
		add_up(file, &values);
		err = pprof_build_sample(&file->build, &stack, &values, entry->cpu, (int)entry->mode);
	}
	return err;
}

static int add_comment(void *ctx, const char *text)
{
	return pprof_build_comment(ctx, text);
}

/* The comments of one event alone. */
static int describe_event(struct file *file, size_t event)
{
	const struct tprof_event_info *described = tprof_profile__event(file->profile, event);
	struct pprof_comments comments = {
		.info = file->profile->info, .ledger = *tprof_profile__event_ledger(file->profile, event),
		.total = file->total.events[event], .stacks = file->profile->calls.nr != 0,
	};

	comments.info.event = described->event;
	comments.info.unit = described->unit;
	comments.info.rate_hz = described->rate_hz;
	comments.info.period = described->period;
	return pprof_comments_write(&comments, (int)event, add_comment, &file->build);
}

static int describe(struct file *file)
{
	const struct tprof_profile *profile = file->profile;
	const struct pprof_comments comments = {
		.info = profile->info, .ledger = profile->ledger, .total = file->total.events[0],
		.stacks = profile->calls.nr != 0,
	};
	int err = pprof_comments_write(&comments, -1, add_comment, &file->build);

	for (size_t e = 0; e < profile->nr_events && profile->nr_events > 1 && !err; e++)
		err = describe_event(file, e);
	return err;
}

int export_pprof(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts)
{
	struct file file = { .profile = profile, .total.nr = profile->nr_events };
	int err = pprof_build_string(&file.build, "") ? -ENOMEM : 0;

	(void)opts;
	if (!err)
		err = profile->calls.nr ? add_call_stacks(&file) : add_entries(&file);
	if (!err)
		err = describe(&file);
	if (!err)
		err = pprof_build_write(&file.build, profile, out);
	pprof_build_fini(&file.build);
	return err;
}
