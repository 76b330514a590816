// SPDX-License-Identifier: GPL-2.0-only
/* The signals of failed writes: SIGPIPE and SIGXFSZ. */
#include "write_signals.h"

#include <signal.h>
#include <stddef.h>

static const int numbers[] = { SIGPIPE, SIGXFSZ };

#define NR_SIGNALS (sizeof(numbers) / sizeof(numbers[0]))

static struct sigaction given[NR_SIGNALS];

void write_signals_ignore(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	for (size_t i = 0; i < NR_SIGNALS; i++)
		sigaction(numbers[i], &ignore, &given[i]);
}

void write_signals_give_back(void)
{
	for (size_t i = 0; i < NR_SIGNALS; i++)
		sigaction(numbers[i], &given[i], NULL);
}
