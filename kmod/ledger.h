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
#define TPROF_BOOK_LOST(reason)	(TPROF_NR_OUTCOMES + (reason))
#define TPROF_NR_BOOKS		(TPROF_NR_OUTCOMES + TPROF_NR_LOST_REASONS)

struct tprof_account {
	seqcount_t seq;
	struct tprof_tally fired;
	struct tprof_tally idle;
	struct tprof_tally books[TPROF_NR_BOOKS];
};

/* Adds @samples and their weight to slot @book. On the CPU of the ledger, interrupts disabled. */
static inline void tprof_account_book(struct tprof_account *account, unsigned int book, u64 samples, u64 weight,
				      bool idle)
{
	raw_write_seqcount_begin(&account->seq);
	account->fired.samples += samples;
	account->fired.weight += weight;
	account->books[book].samples += samples;
	account->books[book].weight += weight;
	if (idle) {
		account->idle.samples += samples;
		account->idle.weight += weight;
	}
	raw_write_seqcount_end(&account->seq);
}

void tprof_account_init(struct tprof_account *account);
/* Sets all tallies to 0. On the CPU of the ledger with interrupts disabled, or while that CPU is offline. */
void tprof_account_clear(struct tprof_account *account);
/* Adds a consistent copy of the ledger to @sum. Any CPU, any context except NMI. */
void tprof_account_add(const struct tprof_account *account, struct tprof_ledger_read *sum);

#endif
