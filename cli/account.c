// SPDX-License-Identifier: GPL-2.0-only
/* What a ledger says at a glance. */
#include "account.h"

uint64_t account_missing(const struct tprof_ledger *ledger)
{
	uint64_t missing = tprof_ledger__lost(ledger).samples;

	for (int i = 0; i < TPROF_NR_COUNTINGS; i++)
		if (i != TPROF_COUNTING_AGGREGATED)
			missing += ledger->countings[i].samples;
	return missing;
}

uint64_t account_handled(const struct tprof_ledger *ledger)
{
	return ledger->outcomes[TPROF_OUTCOME_DONE].samples + ledger->outcomes[TPROF_OUTCOME_KEPT].samples;
}

double account_idle_percent(const struct tprof_ledger *ledger)
{
	/* What the kernel fired on idle CPUs without running a filter is idle time as well. */
	double idle = (double)ledger->idle.weight + (double)ledger->lost[TPROF_LOST_IDLE_MISSED].weight;
	double outside = (double)ledger->outcomes[TPROF_OUTCOME_OUT_OF_SCOPE].weight;
	double scope = (double)ledger->fired.weight - outside;

	return scope > 0 && idle < scope ? 100 * idle / scope : scope > 0 ? 100 : 0;
}
