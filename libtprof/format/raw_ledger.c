// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The ledger of a raw recording, and warnings about a damaged one. */
#include "raw_ledger.h"

#include <errno.h>
#include <inttypes.h>

#include "base/error.h"
#include "base/log.h"
#include "profile/ledger.h"

/*
 * Reconciles the ledger with the file. @there: samples in the file. @counted: aggregated samples in the last ledger.
 * Samples in the file beyond that ledger also fired; samples missing in the file count as not_in_file.
 */
static void settle(uint64_t there, uint64_t counted, __u64 *fired, __u64 *done, __u64 *aggregated, __u64 *not_in_file)
{
	if (there > counted) {
		*fired += there - counted;
		*done += there - counted;
	} else {
		*not_in_file += counted - there;
	}
	*aggregated = there;
}

/* Samples outside the requested part are counted as out of scope. */
static void leave_out(__u64 outside, __u64 *done, __u64 *out_of_scope, __u64 *aggregated)
{
	uint64_t moved = outside < *done ? outside : *done;

	*done -= moved;
	*out_of_scope += moved;
	*aggregated -= outside;
}

static struct tprof_ledger adjusted(const struct tprof_ledger *last, const struct tprof_tally *read,
				    const struct tprof_tally *outside)
{
	struct tprof_ledger ledger = *last;
	struct tprof_tally *done = &ledger.outcomes[TPROF_OUTCOME_DONE];
	struct tprof_tally *scope = &ledger.outcomes[TPROF_OUTCOME_OUT_OF_SCOPE];
	struct tprof_tally *counted = &ledger.countings[TPROF_COUNTING_AGGREGATED];

	settle(read->samples, counted->samples, &ledger.fired.samples, &done->samples, &counted->samples,
	       &ledger.not_in_file.samples);
	settle(read->weight, counted->weight, &ledger.fired.weight, &done->weight, &counted->weight,
	       &ledger.not_in_file.weight);
	leave_out(outside->samples, &done->samples, &scope->samples, &counted->samples);
	leave_out(outside->weight, &done->weight, &scope->weight, &counted->weight);
	return ledger;
}

struct tprof_ledger raw_event_ledger(const struct raw_reader *reader, size_t event, const struct tprof_tally *outside)
{
	return adjusted(&reader->events[event].ledger, &reader->events[event].read, outside);
}

/* If the file was cut short between the ledgers of a reading, only the sum of those of the events has all samples. */
struct tprof_ledger raw_ledger(const struct raw_reader *reader, const struct tprof_tally *outside)
{
	struct tprof_ledger sum = { .sz = sizeof(sum) };

	if (reader->nr_events == 1)
		return adjusted(&reader->ledger, &reader->read, outside);
	for (size_t e = 0; e < reader->nr_events; e++) {
		struct tprof_ledger ledger = raw_event_ledger(reader, e, &outside[e]);

		ledger_add(&sum, &ledger);
	}
	sum.sideband_lost = reader->ledger.sideband_lost;
	sum.unnamed_sideband_lost = reader->ledger.unnamed_sideband_lost;
	return sum;
}

void raw_reader_warn(const struct raw_reader *reader, const struct tprof_read_opts *opts)
{
	const struct log log = { opts->log, opts->log_ctx };
	double seconds = (double)raw_reader_duration_ns(reader) / 1e9;
	uint64_t counted = reader->ledger.countings[TPROF_COUNTING_AGGREGATED].samples;
	uint64_t missing = counted > reader->read.samples ? counted - reader->read.samples : 0;

	if (!reader->input.damage)
		return;
	if (reader->input.cut)
		log_warn(&log, "%s: cut short: it has %llu samples, until %.3f s; %" PRIu64 " more were counted but "
			 "are not in the file", reader->input.name, reader->read.samples, seconds, missing);
	else
		log_warn(&log, "%s: damaged at byte %" PRIu64 ": %s: only the %llu samples before that, until %.3f s, "
			 "are read", reader->input.name, reader->sound_bytes, reader->input.damage,
			 reader->read.samples, seconds);
}

void raw_add_hint(struct tprof_error *error, int err)
{
	if (!error || error->hint[0])
		return;
	if (err == -EINVAL)
		error_hint(error, "the times of a part are seconds since the start of the recording");
	else if (err == -ENOMEM)
		error_hint(error, "read it on a machine with more memory");
	else
		error_hint(error, "give a file from tprof record --raw");
}
