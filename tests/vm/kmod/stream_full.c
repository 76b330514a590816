// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session with two filters, one that keeps and one that counts, and a small stream that is not read for a while: the
 * counting filter sees each sample nevertheless; kept samples that do not fit are lost as stream_full; and after a
 * reader has read, while the session runs, the stream has space again.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "stream.h"

/* The records that a reader has read. */
struct seen {
	uint64_t samples, weight;
	struct tprof_tally told;
};

static int session;

/* Reads all available records; the descriptor is nonblocking. */
static void drain(struct seen *seen)
{
	static struct records records;
	const struct tprof_record *record;

	while (read_records(session, &records, sizeof(records.bytes)) > 0) {
		while ((record = next_read(&records))) {
			const struct tprof_sample *sample = content(record);
			const struct tprof_tally *tally = content(record);

			if (record->type == TPROF_RECORD_SAMPLE) {
				seen->samples++;
				seen->weight += sample->weight;
			} else if (record->type == TPROF_RECORD_LOST) {
				seen->told.samples += tally->samples;
				seen->told.weight += tally->weight;
			}
		}
	}
}

static struct tprof_tally lost_full(void)
{
	struct tprof_ledger_read ledger = read_ledger(session, -1);

	return ledger.lost[TPROF_LOST_STREAM_FULL];
}

/* Waits without reading until @nr samples are lost. */
static void starve(uint64_t nr)
{
	uint64_t before = lost_full().samples;

	while (lost_full().samples < before + nr)
		burn(10 * MS);
}

/* Reads until @nr kept samples have arrived. */
static void feed(struct seen *seen, uint64_t nr)
{
	uint64_t before = seen->samples;

	while (seen->samples < before + nr) {
		drain(seen);
		burn(1 * MS);
	}
}

int main(void)
{
	int counter = new_counter(), keep, count, links[2];
	struct tprof_ledger_read ledger;
	const struct tprof_tally *kept, *full;
	struct seen seen = { 0 };
	uint64_t delivered;

	session = create_session(open_device());
	need(session >= 0 && configure(session, 0, getpagesize()) == 0 && add_timer(session, MS) == 0,
	     "a session, a small stream");
	need(fcntl(session, F_SETFL, O_NONBLOCK) == 0, "its reader does not wait");
	keep = attach_filter(session, "keep", 0, (const struct bpf_insn[]){ ANSWER(TPROF_KEEP) }, 2);
	count = make_counting_filter(session, "count", counter, TPROF_DONE);
	links[0] = keep;
	links[1] = link_filter(count);
	need(links[0] >= 0 && links[1] >= 0, "two filters");
	need(ioctl(session, TPROF_IOC_START) == 0, "the session starts");

	starve(100);
	check(true, "nobody reads, and samples are lost");
	feed(&seen, 200);
	check(true, "somebody reads, and samples are kept, more than the stream holds");
	starve(100);
	check(true, "nobody reads any more, and samples are lost again");
	feed(&seen, 200);
	check(true, "and then kept again");

	need(ioctl(session, TPROF_IOC_STOP) == 0, "the session stops");
	/* The stream may have been full at the end. After the read, a LOST record precedes the next record. */
	drain(&seen);
	flush(session);
	drain(&seen);
	ledger = read_ledger(session, -1);
	kept = &ledger.outcomes[TPROF_OUTCOME_KEPT];
	full = &ledger.lost[TPROF_LOST_STREAM_FULL];
	delivered = ledger.fired.samples - ledger.outcomes[TPROF_OUTCOME_DECIMATED].samples;
	check(closes(&ledger), "the ledger closes");
	is(lost(&ledger), full->samples, "nothing is lost for another reason");
	is(ledger.outcomes[TPROF_OUTCOME_DONE].samples, 0, "none is done with, for one filter keeps them all");
	is(read_counter(counter), delivered, "the filter that counts has seen each of them");
	is(read_filter_info(session, 1).calls, delivered, "and the module says so");
	is(read_filter_info(session, 0).kept, kept->samples + full->samples,
	   "the other one kept each, with room or not");
	is(seen.samples, kept->samples, "what the ledger has as kept was in the stream");
	is(seen.weight, kept->weight, "with its weight");
	is(seen.told.samples, full->samples, "what it has as lost was told there");
	is(seen.told.weight, full->weight, "with its weight");
	diag("%llu kept, %llu lost", (unsigned long long)kept->samples, (unsigned long long)full->samples);
	close(links[0]);
	close(links[1]);
	close(count);
	close(counter);
	close(session);
	return done_testing();
}
