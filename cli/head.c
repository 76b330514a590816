// SPDX-License-Identifier: GPL-2.0-only
/* The first line of a view. */
#include "head.h"

#include <stdio.h>
#include <string.h>

#include "account.h"
#include "cell.h"
#include "screen.h"
#include "units.h"

enum {
	MARGIN = 1,
	GAP = 2,
	PERCENT_FROM_COLUMNS = 60,
};

/* A sample here and there is lost on every machine; a percent of them bends the answer. */
static attr_t loss_paint(uint64_t lost, uint64_t fired)
{
	if (!lost)
		return screen_paint(PAINT_GOOD);
	return screen_paint(lost * 100 < fired ? PAINT_WARM : PAINT_HOT);
}

void head_draw(const struct tprof_info *info, const struct tprof_ledger *shown, const struct tprof_ledger *whole)
{
	uint64_t lost = account_missing(whole), fired = whole->fired.samples;
	char rate[40], samples[40], loss[64];
	int column = MARGIN, spare, event;
	struct units_text text;

	if (info->rate_hz)
		snprintf(rate, sizeof(rate), "%llu Hz", (unsigned long long)info->rate_hz);
	else
		snprintf(rate, sizeof(rate), "1/%s", units_count(&text, info->period));
	snprintf(samples, sizeof(samples), "%s samples",
		 units_count(&text, shown ? account_handled(shown) : 0));
	snprintf(loss, sizeof(loss), "lost %s", units_count(&text, lost));
	if (lost && fired && COLS >= PERCENT_FROM_COLUMNS)
		snprintf(loss, sizeof(loss), "lost %s (%.1f %%)", text.text,
			 100.0 * (double)lost / (double)fired);

	spare = COLS - 2 * MARGIN - 3 * 1 - GAP;
	spare -= (int)(strlen(info->engine) + strlen(rate) + strlen(samples) + strlen(loss));
	event = cell_width(info->event);
	if (event > spare)
		event = spare;

	column = screen_text(0, column, (int)strlen(info->engine), A_BOLD, info->engine) + 1;
	column = screen_text(0, column, event, A_BOLD, info->event) + 1;
	screen_text(0, column, (int)strlen(rate), A_BOLD, rate);
	column = COLS - MARGIN - (int)strlen(loss);
	screen_text(0, column, (int)strlen(loss), loss_paint(lost, fired), loss);
	column -= GAP + (int)strlen(samples);
	screen_text(0, column, (int)strlen(samples), A_NORMAL, samples);
}
