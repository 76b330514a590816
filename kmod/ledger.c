// SPDX-License-Identifier: GPL-2.0-only
/* The ledger of a session on one CPU. */
#include <linux/string.h>

#include "ledger.h"

void tprof_account_init(struct tprof_account *account)
{
	seqcount_init(&account->seq);
}

void tprof_account_clear(struct tprof_account *account)
{
	raw_write_seqcount_begin(&account->seq);
	memset(&account->fired, 0, sizeof(account->fired));
	memset(&account->idle, 0, sizeof(account->idle));
	memset(account->books, 0, sizeof(account->books));
	raw_write_seqcount_end(&account->seq);
}

static void tally_add(struct tprof_tally *into, const struct tprof_tally *from)
{
	into->samples += from->samples;
	into->weight += from->weight;
}

void tprof_account_add(const struct tprof_account *account, struct tprof_ledger_read *sum)
{
	struct tprof_account copy;
	unsigned int seq, i;

	do {
		seq = read_seqcount_begin(&account->seq);
		copy.fired = account->fired;
		copy.idle = account->idle;
		memcpy(copy.books, account->books, sizeof(copy.books));
	} while (read_seqcount_retry(&account->seq, seq));

	tally_add(&sum->fired, &copy.fired);
	tally_add(&sum->idle, &copy.idle);
	for (i = 0; i < TPROF_NR_OUTCOMES; i++)
		tally_add(&sum->outcomes[i], &copy.books[i]);
	for (i = 0; i < TPROF_NR_LOST_REASONS; i++)
		tally_add(&sum->lost[i], &copy.books[TPROF_BOOK_LOST(i)]);
}
