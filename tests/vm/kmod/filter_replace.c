// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filters are replaced, attached and detached while the session samples at a high rate: exactly the attached filters
 * see each sample, either the old or the new program, and the ledger is exact.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"

#define PERIOD	50000			/* 20,000 samples a second on each CPU */
#define NR	500

static int device;

static int new_session(void)
{
	int session = create_session(device);

	need(session >= 0 && add_timer(session, PERIOD) == 0, "a session is made");
	return session;
}

/* The number of samples for which filters were called. */
static uint64_t delivered(const struct tprof_ledger_read *ledger)
{
	return ledger->fired.samples - ledger->outcomes[TPROF_OUTCOME_DECIMATED].samples;
}

/*
 * One program returns DONE for all samples, the other KEEP; without a stream, kept samples count as stream_full. So the
 * ledger shows which program has seen how many.
 */
static void replaced(void)
{
	int session = new_session(), counters[2] = { new_counter(), new_counter() }, maps[2], link, failed = 0;
	const struct tprof_tally *done, *kept;
	struct tprof_filter_info before, filter;
	struct tprof_ledger_read ledger;
	int open_ledgers = 0;

	maps[0] = make_counting_filter(session, "done", counters[0], TPROF_DONE);
	maps[1] = make_counting_filter(session, "keep", counters[1], TPROF_KEEP);
	link = link_filter(maps[0]);
	need(link >= 0, "a filter is attached");
	before = read_filter_info(session, 0);
	need(ioctl(session, TPROF_IOC_START) == 0, "the session starts");
	for (int i = 1; i <= NR; i++) {
		failed += replace_filter(link, maps[i % 2]) != 0;
		burn(MS / 2);
		ledger = read_ledger(session, -1);
		open_ledgers += !closes(&ledger);
	}
	need(ioctl(session, TPROF_IOC_STOP) == 0, "the session stops");
	is(failed, 0, "replaced %d times", NR);
	is(open_ledgers, 0, "the ledger closes each time that it is read");
	ledger = read_ledger(session, -1);
	filter = read_filter_info(session, 0);
	done = &ledger.outcomes[TPROF_OUTCOME_DONE];
	kept = &ledger.lost[TPROF_LOST_STREAM_FULL];
	check(closes(&ledger), "and in the end");
	check(done->samples > 0 && kept->samples > 0, "both programs were called");
	is(done->samples, read_counter(counters[0]), "what the one saw is done");
	is(kept->samples, read_counter(counters[1]), "what the other saw was to be kept");
	is(lost(&ledger), kept->samples, "nothing is lost for another reason");
	is(done->weight + kept->weight, ledger.fired.weight, "together they had all the weight");
	is(filter.calls, delivered(&ledger), "the filter was called for each sample");
	is(filter.kept, kept->samples, "and kept those");
	is(filter.bad, 0, "each answer was a verdict");
	is(filter.id, before.id, "it is the same filter still");
	check(strcmp(filter.name, "done") == 0, "with the name of the last program");
	is(read_session(session).nr_filters, 1, "and the only one");
	diag("%llu done, %llu kept", (unsigned long long)done->samples, (unsigned long long)kept->samples);
	close(link);
	for (int i = 0; i < 2; i++) {
		close(maps[i]);
		close(counters[i]);
	}
	close(session);
}

/* One filter stays attached; another is attached and detached. */
static void attached(void)
{
	int session = new_session(), counter = new_counter(), stays, link, failed = 0;
	const struct bpf_insn done[] = { ANSWER(TPROF_DONE) };
	int map = make_counting_filter(session, "guest", counter, TPROF_KEEP);
	const struct tprof_tally *kept;
	struct tprof_filter_info filter;
	struct tprof_ledger_read ledger;

	stays = attach_filter(session, "stays", 0, done, 2);
	need(stays >= 0 && ioctl(session, TPROF_IOC_START) == 0, "the session starts");
	for (int i = 0; i < NR; i++) {
		link = link_filter(map);
		failed += link < 0 || read_session(session).nr_filters != 2;
		burn(MS / 2);
		close(link);
		failed += read_session(session).nr_filters != 1;
	}
	need(ioctl(session, TPROF_IOC_STOP) == 0, "the session stops");
	is(failed, 0, "attached and detached %d times", NR);
	ledger = read_ledger(session, -1);
	filter = read_filter_info(session, 0);
	kept = &ledger.lost[TPROF_LOST_STREAM_FULL];
	check(closes(&ledger), "attached: the ledger closes");
	check(kept->samples > 0 && ledger.outcomes[TPROF_OUTCOME_DONE].samples > 0,
	      "attached: it was there for some samples, and not for others");
	is(kept->samples, read_counter(counter), "attached: what it saw was to be kept");
	is(lost(&ledger), kept->samples, "attached: nothing is lost for another reason");
	is(filter.calls, delivered(&ledger), "attached: the filter that stays saw each sample");
	close(stays);
	close(map);
	close(counter);
	close(session);
}

int main(void)
{
	pid_t spinner = spin();

	device = open_device();
	replaced();
	attached();
	kill(spinner, SIGKILL);
	waitpid(spinner, NULL, 0);
	return done_testing();
}
