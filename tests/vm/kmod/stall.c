// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stream without a reader: without TPROF_CONFIG_STALL filters continue to count, and kept samples are lost; with it,
 * filters see no samples until the stream has space. Either way the ledger and LOST records in the stream have the
 * loss.
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "process.h"
#include "stream.h"

static struct tprof_filter_info read_filter(int session)
{
	struct tprof_filter_info filter = { .size = sizeof(filter) };

	need(ioctl(session, TPROF_IOC_FILTER, &filter) == 0, "FILTER answers");
	return filter;
}

/* Reads the samples and the sums of LOST records; the session is stopped. */
static void drain(int session, uint64_t *samples, struct tprof_tally *told)
{
	static struct records records;
	const struct tprof_record *record;

	while (read_records(session, &records, sizeof(records.bytes)) > 0) {
		while ((record = next_read(&records))) {
			const struct tprof_tally *tally = content(record);

			*samples += record->type == TPROF_RECORD_SAMPLE;
			if (record->type != TPROF_RECORD_LOST)
				continue;
			told->samples += tally->samples;
			told->weight += tally->weight;
		}
	}
}

static void full(const char *name, uint32_t flags)
{
	static const struct bpf_insn keep[] = { ANSWER(TPROF_KEEP) };
	int session = create_session(open_device()), link;
	const struct tprof_tally *lost_full, *kept;
	struct tprof_ledger_read ledger;
	struct tprof_filter_info filter;
	struct tprof_tally told = { 0 };
	uint64_t samples = 0;

	need(configure(session, flags, getpagesize()) == 0 && add_timer(session, MS) == 0, "a session, a small stream");
	link = attach_filter(session, "keep", 0, keep, 2);
	need(link >= 0, "that keeps all");
	need(ioctl(session, TPROF_IOC_START) == 0, "is started");
	while (!read_ledger(session, -1).lost[TPROF_LOST_STREAM_FULL].samples)
		burn(10 * MS);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "is stopped");
	ledger = read_ledger(session, -1);
	filter = read_filter(session);
	lost_full = &ledger.lost[TPROF_LOST_STREAM_FULL];
	kept = &ledger.outcomes[TPROF_OUTCOME_KEPT];
	check(closes(&ledger), "%s: the ledger closes", name);
	check(kept->samples > 0 && lost_full->samples > 0, "%s: some are kept, some are lost", name);
	is(lost_full->samples, lost(&ledger), "%s: and not lost otherwise", name);
	is(filter.calls, flags ? kept->samples : ledger.fired.samples, "%s: the filter was called for %s", name,
	   flags ? "those that are kept" : "all");

	/*
	 * The stream has space again, and a LOST record precedes the next record. The stream may be full again at the
	 * end; then one more record, written while no source runs, brings the rest of the loss.
	 */
	drain(session, &samples, &told);
	need(ioctl(session, TPROF_IOC_START) == 0, "is started again");
	while (read_filter(session).calls == filter.calls)
		burn(1 * MS);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "and stopped");
	drain(session, &samples, &told);
	flush(session);
	drain(session, &samples, &told);
	ledger = read_ledger(session, -1);
	check(read_filter(session).calls > filter.calls, "%s: with room, the filter is called", name);
	is(samples, kept->samples, "%s: what was kept is in the stream", name);
	is(told.samples, lost_full->samples, "%s: what was lost is told there", name);
	is(told.weight, lost_full->weight, "%s: with its weight", name);
	diag("%llu kept, %llu lost", (unsigned long long)kept->samples, (unsigned long long)lost_full->samples);
	close(link);
	close(session);
}

int main(void)
{
	pin(0);
	full("default", 0);
	full("stall", TPROF_CONFIG_STALL);
	return done_testing();
}
