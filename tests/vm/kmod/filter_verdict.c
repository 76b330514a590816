// SPDX-License-Identifier: GPL-2.0-only
/*
 * Invalid verdicts of a filter are counted, and the samples are lost as bad_verdict, unless another filter keeps them.
 *
 * vm: all=arm64
 */
#include <limits.h>

#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"

static int device;

struct outcome {
	struct tprof_ledger_read ledger;
	struct tprof_filter_info filters[2];
	uint64_t delivered;
};

/* Runs two filters with these verdicts; the stream is large enough for all kept samples. */
static struct outcome run(int first, int second)
{
	const struct bpf_insn insns[2][2] = { { ANSWER(first) }, { ANSWER(second) } };
	struct outcome o = { 0 };
	int session = create_session(device), links[2];

	need(session >= 0 && configure(session, 0, 1 << 20) == 0 && add_timer(session, MS) == 0, "a session is made");
	for (int i = 0; i < 2; i++) {
		links[i] = attach_filter(session, "filter", 0, insns[i], 2);
		need(links[i] >= 0, "a filter is attached");
	}
	need(ioctl(session, TPROF_IOC_START) == 0, "the session starts");
	burn(50 * MS);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "the session stops");
	o.ledger = read_ledger(session, -1);
	o.delivered = o.ledger.fired.samples - o.ledger.outcomes[TPROF_OUTCOME_DECIMATED].samples;
	for (int i = 0; i < 2; i++)
		o.filters[i] = read_filter_info(session, i);
	close(links[0]);
	close(links[1]);
	close(session);
	return o;
}

/* One filter with an invalid verdict, and one that returns DONE. */
static void alone(int answer)
{
	struct outcome o = run(answer, TPROF_DONE);
	const struct tprof_tally *bad = &o.ledger.lost[TPROF_LOST_BAD_VERDICT];

	check(o.delivered > 0, "%d: there are samples", answer);
	is(o.filters[0].bad, o.delivered, "%d: each answer is counted as bad", answer);
	is(o.filters[0].calls, o.delivered, "%d: and the filter called all the same", answer);
	is(o.filters[0].kept, 0, "%d: none is kept", answer);
	is(o.filters[1].calls, o.delivered, "%d: the other filter sees each sample", answer);
	is(o.filters[1].bad, 0, "%d: and answers well", answer);
	is(bad->samples, o.delivered, "%d: the samples are lost as bad_verdict", answer);
	is(bad->weight, o.ledger.fired.weight, "%d: with their weight", answer);
	is(lost(&o.ledger), bad->samples, "%d: and for no other reason", answer);
	check(closes(&o.ledger), "%d: the ledger closes", answer);
	is(o.filters[0].state, TPROF_FILTER_ACTIVE, "%d: the filter is not switched off for that", answer);
}

static void kept(int first, int second, const char *name)
{
	struct outcome o = run(first, second);

	is(o.filters[first == TPROF_KEEP].bad, o.delivered, "%s: the bad answers are counted", name);
	is(o.filters[first != TPROF_KEEP].kept, o.delivered, "%s: the other filter keeps the samples", name);
	is(o.ledger.outcomes[TPROF_OUTCOME_KEPT].samples, o.delivered, "%s: so they are kept", name);
	is(lost(&o.ledger), 0, "%s: and not lost", name);
	check(closes(&o.ledger), "%s: the ledger closes", name);
}

int main(void)
{
	static const int answers[] = { 2, -1, INT_MAX, INT_MIN };

	device = open_device();
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		alone(answers[i]);
	kept(2, TPROF_KEEP, "kept after it");
	kept(TPROF_KEEP, 2, "kept before it");
	return done_testing();
}
