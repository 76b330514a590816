// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Sessions that write their samples to a raw recording. */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/sized.h"
#include "collect_raw.h"
#include "session.h"

/* The filter's only table of counts; NULL if there are several, or it is not one of samples. */
static const struct table *table_of_samples(const struct tprof_filter *filter)
{
	const struct table *found = NULL;

	for (size_t i = 0; i < filter->nr_tables; i++) {
		const struct table *table = &filter->tables[i];

		if (table->stacks)
			continue;
		if (found || !table->tally || !value_layout_find(&table->key, VALUE_NS))
			return NULL;
		found = table;
	}
	return found;
}

static int refuse_filters(struct tprof_session *session)
{
	if (session->filters.nr != 1)
		error_set(&session->error, EINVAL, "raw recording: the session has %zu filters instead of one",
			  session->filters.nr);
	else
		error_set(&session->error, EINVAL, "raw recording: %s does not count each sample separately",
			  tprof_filter__name(session->filters.all[0]));
	error_hint(&session->error, "use the filter raw, or one whose only table has a tprof_ns_t in its key");
	return -EINVAL;
}

int tprof_session__raw_begin(struct tprof_session *session, int fd)
{
	if (session->state != SESSION_OPEN || session->engine || session->collector.raw)
		return error_set(&session->error, EBUSY, "raw recording: the session has been started already, or has "
				 "a raw recording");
	if (session->filters.nr != 1 || !table_of_samples(session->filters.all[0]))
		return refuse_filters(session);
	session->collector.raw = collect_raw_new(fd);
	return session->collector.raw ? 0 : error_set(&session->error, ENOMEM, "raw recording: not enough memory");
}

static int failed(struct tprof_session *session, int err)
{
	struct raw_writer *writer = session->collector.raw->writer;

	writer->told = true;
	error_set(&session->error, -err, "raw recording: cannot be written: %s", strerror(-err));
	if (err == -ENOSPC || err == -EDQUOT)
		error_hint(&session->error, "%s; free some disk space, or write to another file system",
			   writer->started ? "the file is readable up to this point" : "nothing was recorded");
	return err;
}

int session_raw_start(struct tprof_session *session)
{
	struct tprof_event_info events[TPROF_EVENTS_MAX];
	struct tprof_raw_info info = { .info.sz = sizeof(info.info), .start_ns = session->started_ns,
				       .events = events, .nr_events = session->sampling.nr_events };
	struct utsname machine;
	struct timespec now;
	int err = tprof_session__info(session, &info.info);

	uname(&machine);
	clock_gettime(CLOCK_REALTIME, &now);
	info.start_real_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	info.kernel = machine.release;
	info.machine = machine.machine;
	info.version = tprof_version();
	for (size_t e = 0; e < info.nr_events && !err; e++) {
		events[e].sz = sizeof(events[e]);
		err = tprof_session__event(session, e, &events[e]);
	}
	if (!err)
		err = raw_writer_start(session->collector.raw->writer, &info);
	/* That the reader of a pipe is gone is reported by the first flush, as if it went later. */
	return err && err != -EPIPE ? failed(session, err) : 0;
}

static int write_name(void *ctx, const struct tprof_frame *frame, const char *symbol, const char *object)
{
	return raw_writer_name(ctx, frame, symbol, object);
}

/* Writes the names that became known since the last reading. @all: also the final names of the others. */
static int write_late_names(const struct tprof_session *session, bool all)
{
	struct symbolizer_late late = { .fn = write_name, .ctx = session->collector.raw->writer, .all = all };

	return symbolizer_settle_late(session->symbolizer, &late);
}

bool session_raw_has_ended(const struct tprof_session *session)
{
	return session->collector.raw && session->collector.raw->writer->ended;
}

int session_raw_flush(struct tprof_session *session)
{
	struct raw_writer *writer = session->collector.raw->writer;
	uint64_t until_ns = session->state == SESSION_RUNNING ? session->settled_ns : session->stopped_ns;
	int err;

	collect_raw_forget(session->collector.raw);
	if (!writer->out.err && !writer->ended)
		writer->out.err = write_late_names(session, false);
	for (size_t e = 0; e < session->sampling.nr_events; e++)
		raw_writer_set_event(writer, e, &session->settled_events[e], session->ops->period(session->engine, e));
	err = raw_writer_flush(writer, &session->settled, session->ops->period(session->engine, 0), until_ns);
	return err && !writer->told ? failed(session, err) : 0;
}

int tprof_session__raw_end(struct tprof_session *session, struct tprof_raw_sum *sum)
{
	struct collect_raw *raw = session->collector.raw;
	struct tprof_raw_sum written;
	struct tprof_tally samples;
	int err = session_check_process(session), given;

	if (err)
		return err;
	if (!raw)
		return error_set(&session->error, EINVAL, "raw recording: the session has no raw recording");
	if (session->state != SESSION_STOPPED)
		return error_set(&session->error, EBUSY, "raw recording: the session is not stopped");
	err = session_collect(session);
	if (!err && !raw->writer->ended)
		err = write_late_names(session, true);
	if (!err) {
		err = raw_writer_end(raw->writer, session->stopped_ns);
		err = err ? failed(session, err) : 0;
	}
	samples = raw_writer_samples(raw->writer);
	written = (struct tprof_raw_sum){
		.samples = samples.samples,
		.weight = samples.weight,
		.bytes = raw->writer->out.bytes,
		.until_ns = raw->writer->until_ns,
		.complete = !err,
	};
	given = sum ? sized_give(sum, &written, sizeof(written)) : 0;
	return err ? err : sized_error(&session->error, given, "sum of the raw recording");
}
