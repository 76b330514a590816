// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Raw recordings sample by sample. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "raw_ledger.h"
#include "raw_read.h"

struct each {
	struct tprof_read_opts opts;
	tprof_raw_fn fn;
	void *ctx;
};

static int each_sample(void *ctx, struct raw_reader *reader, const struct raw_sample *found)
{
	const struct each *each = ctx;
	const struct raw_task *task = &reader->tasks[found->task];
	struct tprof_raw_sample sample = {
		.time_ns = found->time_ns,
		.samples = found->samples,
		.weight = found->weight,
		.comm = reader->strings[task->comm],
		.thread = reader->strings[task->thread],
		.cgroup = reader->strings[task->cgroup],
		.pid = task->pid,
		.tid = task->tid,
		.cpu = found->cpu,
		.flags = found->flags,
		.event = found->event,
	};

	if (!raw_is_within(reader, found->time_ns, &each->opts))
		return 0;
	sample.frames = raw_reader_frames(reader, found->call_stack, &sample.nr_frames);
	return sample.frames ? each->fn(each->ctx, &reader->info, &sample) : -ENOMEM;
}

int tprof_raw__each(int fd, const char *name, const struct tprof_read_opts *opts, tprof_raw_fn fn, void *ctx,
		    struct tprof_raw_sum *sum, struct tprof_error *error)
{
	struct each each = { .fn = fn, .ctx = ctx };
	const struct raw_listener listener = { .sample = each_sample, .notes = &each.opts, .ctx = &each };
	struct tprof_raw_sum read;
	struct raw_reader reader;
	struct file_head head;
	int err = raw_read_opts(&each.opts, opts, error), given;

	if (err)
		return err;
	err = file_head_read(&head, fd);
	if (err) {
		error_set(error, -err, "%s: %s", name, strerror(-err));
		error_hint(error, "give a file that can be read");
		return err;
	}
	err = raw_reader_open(&reader, fd, &head, name, error);
	if (!err)
		err = raw_reader_run(&reader, &listener);
	if (!err)
		raw_reader_warn(&reader, &each.opts);
	read = (struct tprof_raw_sum){
		.samples = reader.read.samples,
		.weight = reader.read.weight,
		.bytes = reader.sound_bytes,
		.until_ns = reader.until_ns,
		.complete = reader.ended && !reader.input.damage,
	};
	given = sum ? sized_give(sum, &read, sizeof(read)) : 0;
	raw_reader_close(&reader);
	if (err == -EBADMSG || err == -EFBIG || err == -ENOMEM)
		raw_add_hint(error, err);
	return err ? err : sized_error(error, given, "sum of the raw recording");
}
