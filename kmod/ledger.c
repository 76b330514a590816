// SPDX-License-Identifier: GPL-2.0-only
/* The ledger of a session on one CPU. */
#include <linux/string.h>

#include "ledger.h"

void tprof_ledger_init(struct tprof_percpu_ledger *ledger)
{
	seqcount_init(&ledger->seq);
}

void tprof_ledger_clear(struct tprof_percpu_ledger *ledger)
{
	raw_write_seqcount_begin(&ledger->seq);
	memset(ledger->events, 0, sizeof(ledger->events));
	raw_write_seqcount_end(&ledger->seq);
}

static void tally_add(struct tprof_tally *into, const struct tprof_tally *from)
{
	into->samples += from->samples;
	into->weight += from->weight;
}

void tprof_ledger_sum(const struct tprof_percpu_ledger *ledger, unsigned int event, struct tprof_ledger_read *sum)
{
	struct tprof_event_ledger copy;
	unsigned int seq, i;

	do {
		seq = read_seqcount_begin(&ledger->seq);
		copy = ledger->events[event];
	} while (read_seqcount_retry(&ledger->seq, seq));

	tally_add(&sum->fired, &copy.fired);
	tally_add(&sum->idle, &copy.idle);
	for (i = 0; i < TPROF_NR_OUTCOMES; i++)
		tally_add(&sum->outcomes[i], &copy.slots[i]);
	for (i = 0; i < TPROF_NR_LOST_REASONS; i++)
		tally_add(&sum->lost[i], &copy.slots[TPROF_SLOT_LOST(i)]);
}
