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

static int add_call_stacks(struct pprof_build *build, const struct tprof_profile *profile, struct tprof_tally *total)
{
	int err = 0;

	for (size_t i = 0; i < profile->calls.nr && !err; i++) {
		const struct tprof_call_stack *stack = &profile->calls.call_stacks[i]->call_stack;

		total->samples += stack->samples;
		total->weight += stack->weight;
		err = pprof_build_sample(build, stack, -1, -1);
	}
	return err;
}

static int add_entries(struct pprof_build *build, const struct tprof_profile *profile, struct tprof_tally *total)
{
	struct tprof_frame *frames = pprof_build_take(build, profile->nr * sizeof(*frames));
	int err = frames ? 0 : -ENOMEM;

	for (size_t i = 0; i < profile->nr && !err; i++) {
		const struct tprof_entry *entry = &profile->entries[i]->entry;
		const struct tprof_frame *frame = &frames[i];
		const struct tprof_call_stack stack = {
			.frames = &frame, .nr_frames = 1, .comm = entry->comm, .cgroup = entry->cgroup,
			.pid = entry->pid, .samples = entry->samples, .weight = entry->weight,
		};

		frames[i] = (struct tprof_frame){ .symbol = entry->symbol, .object = entry->object, .path = "",
						  .build_id = "", .mode = entry->mode, .file = entry->file,
						  .line = entry->line };
		total->samples += entry->samples;
		total->weight += entry->weight;
		err = pprof_build_sample(build, &stack, entry->cpu, (int)entry->mode);
	}
	return err;
}

static int add_comment(void *ctx, const char *text)
{
	return pprof_build_comment(ctx, text);
}

int export_pprof(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts)
{
	struct pprof_comments comments = { .info = profile->info, .ledger = profile->ledger };
	struct pprof_build build = { 0 };
	int err = pprof_build_string(&build, "") ? -ENOMEM : 0;

	(void)opts;
	comments.stacks = profile->calls.nr != 0;
	if (!err && comments.stacks)
		err = add_call_stacks(&build, profile, &comments.total);
	else if (!err)
		err = add_entries(&build, profile, &comments.total);
	if (!err)
		err = pprof_comments_write(&comments, add_comment, &build);
	if (!err)
		err = pprof_build_write(&build, profile, out);
	pprof_build_fini(&build);
	return err;
}
