/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ledger of a session on one CPU. Only that CPU writes, with interrupts disabled, so writers need no lock. Readers
 * on any CPU use the seqcount to get a consistent copy.
 */
#ifndef _TPROF_LEDGER_H
#define _TPROF_LEDGER_H

#include <linux/seqlock.h>

#include "uapi/tprof_device.h"

/* Slots of the ledger: first the outcomes, then the reasons for a loss. */
#define TPROF_SLOT_LOST(reason)	(TPROF_NR_OUTCOMES + (reason))
#define TPROF_NR_SLOTS		(TPROF_NR_OUTCOMES + TPROF_NR_LOST_REASONS)

/* The part of one event of the session. Its size is a power of two, so that a shift finds it. */
struct tprof_event_ledger {
	union {
		struct {
			struct tprof_tally fired;
			struct tprof_tally idle;
			struct tprof_tally slots[TPROF_NR_SLOTS];
		};
		struct tprof_tally tallies[16];
	};
};

static_assert((sizeof(struct tprof_event_ledger) & (sizeof(struct tprof_event_ledger) - 1)) == 0);

struct tprof_percpu_ledger {
	seqcount_t seq;
	struct tprof_event_ledger events[TPROF_MAX_EVENTS];
};

/* Adds @samples of @event and their weight to @slot. On the CPU of the ledger, interrupts disabled. */
static inline void tprof_ledger_add(struct tprof_percpu_ledger *ledger, unsigned int event, unsigned int slot,
				      u64 samples, u64 weight, bool idle)
{
	struct tprof_event_ledger *into = &ledger->events[event];

	raw_write_seqcount_begin(&ledger->seq);
	into->fired.samples += samples;
	into->fired.weight += weight;
	into->slots[slot].samples += samples;
	into->slots[slot].weight += weight;
	if (idle) {
		into->idle.samples += samples;
		into->idle.weight += weight;
	}
	raw_write_seqcount_end(&ledger->seq);
}

void tprof_ledger_init(struct tprof_percpu_ledger *ledger);
/* Sets all tallies to 0. On the CPU of the ledger with interrupts disabled, or while that CPU is offline. */
void tprof_ledger_clear(struct tprof_percpu_ledger *ledger);
/* Adds a consistent copy of the ledger of @event to @sum. Any CPU, any context except NMI. */
void tprof_ledger_sum(const struct tprof_percpu_ledger *ledger, unsigned int event, struct tprof_ledger_read *sum);

#endif
