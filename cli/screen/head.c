// SPDX-License-Identifier: GPL-2.0-only
/* The first line of a view. */
#include "head.h"

#include <stdio.h>
#include <string.h>

#include "base/cell.h"
#include "base/ledger.h"
#include "base/units.h"
#include "screen.h"

enum {
	MARGIN = 1,
	GAP = 2,
	PERCENT_FROM_COLUMNS = 60,
};

/* A few lost samples are normal; loss.text is set only above 1 %. */
static attr_t loss_paint(const struct tprof_loss *loss)
{
	if (!loss->missing)
		return screen_paint(PAINT_GOOD);
	return screen_paint(loss->text[0] ? PAINT_HOT : PAINT_WARM);
}

void head_draw(const struct tprof_info *info, const struct tprof_ledger *ledger)
{
	const struct tprof_ledger none = { .sz = sizeof(none) };
	const struct tprof_loss missing = ledger_loss(ledger ? ledger : &none);
	char rate[40], samples[40], loss[64];
	int column = MARGIN, spare, event;
	struct units_text text;

	if (info->rate_hz)
		snprintf(rate, sizeof(rate), "%llu Hz", (unsigned long long)info->rate_hz);
	else
		snprintf(rate, sizeof(rate), "1/%s", units_count(&text, info->period));
	snprintf(samples, sizeof(samples), "%s samples", units_count(&text, ledger ? ledger_handled(ledger) : 0));
	snprintf(loss, sizeof(loss), "lost %s", units_count(&text, missing.missing));
	if (missing.missing && COLS >= PERCENT_FROM_COLUMNS)
		snprintf(loss, sizeof(loss), "lost %s (%.1f %%)", text.text, missing.percent);

	spare = COLS - 2 * MARGIN - 3 * 1 - GAP;
	spare -= (int)(strlen(info->engine) + strlen(rate) + strlen(samples) + strlen(loss));
	event = cell_width(info->event);
	if (event > spare)
		event = spare;

	column = screen_text(0, column, (int)strlen(info->engine), A_BOLD, info->engine) + 1;
	column = screen_text(0, column, event, A_BOLD, info->event) + 1;
	screen_text(0, column, (int)strlen(rate), A_BOLD, rate);
	column = COLS - MARGIN - (int)strlen(loss);
	screen_text(0, column, (int)strlen(loss), loss_paint(&missing), loss);
	column -= GAP + (int)strlen(samples);
	screen_text(0, column, (int)strlen(samples), A_NORMAL, samples);
}
