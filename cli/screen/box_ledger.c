// SPDX-License-Identifier: GPL-2.0-only
/* The box with the ledger. */
#include <stdio.h>

#include "base/units.h"
#include "box.h"
#include "screen.h"

/* The lines of the ledger. On a small terminal, lines without samples are left out. */
struct ledger_lines {
	struct box box;
	const char *unit;
	bool brief;
	int used;
};

static void ledger_line(struct ledger_lines *lines, const char *name, const struct tprof_tally *tally,
			bool bad)
{
	attr_t attributes = screen_paint(!tally->samples ? PAINT_FAINT : bad ? PAINT_HOT : PAINT_PLAIN);
	struct units_text weight;
	char text[128];

	if (lines->used >= lines->box.rows || (lines->brief && !tally->samples))
		return;
	snprintf(text, sizeof(text), "%-16s %12llu %14s", name, (unsigned long long)tally->samples,
		 tally->weight ? units_weight(&weight, tally->weight, lines->unit) : "");
	screen_text(lines->box.row + lines->used++, lines->box.column, lines->box.columns, attributes, text);
}

/* Under multiplexing, the share of the time in which the event was counted. */
static void counted_line(struct ledger_lines *lines, const struct tprof_ledger *ledger)
{
	char text[128];

	if (lines->used >= lines->box.rows)
		return;
	snprintf(text, sizeof(text), "%-16s %10.1f %% of the time", "counted", 100 * tprof_ledger__counted(ledger));
	screen_text(lines->box.row + lines->used++, lines->box.column, lines->box.columns, screen_paint(PAINT_HOT),
		    text);
}

void box_ledger(const struct tprof_ledger *ledger, const char *unit)
{
	const bool multiplexed = ledger && tprof_ledger__counted(ledger) < 1;
	const int rows = 1 + TPROF_NR_OUTCOMES + TPROF_NR_LOST_REASONS + 1 + TPROF_NR_COUNTINGS + 1 + multiplexed;
	struct ledger_lines lines = { .brief = rows > box_rows_that_fit(), .box = box_draw(rows, 44, "Ledger") };

	if (!ledger)
		return;
	lines.unit = unit;
	if (multiplexed)
		counted_line(&lines, ledger);
	ledger_line(&lines, "fired", &ledger->fired, false);
	for (int i = 0; i < TPROF_NR_OUTCOMES; i++)
		ledger_line(&lines, tprof_outcome__name(i), &ledger->outcomes[i], false);
	for (int i = 0; i < TPROF_NR_LOST_REASONS; i++)
		ledger_line(&lines, tprof_lost_reason__name(i), &ledger->lost[i],
			    i != TPROF_LOST_IDLE_MISSED);
	lines.used++;
	for (int i = 0; i < TPROF_NR_COUNTINGS; i++)
		ledger_line(&lines, tprof_counting__name(i), &ledger->countings[i],
			    i != TPROF_COUNTING_AGGREGATED);
	/* Aggregated samples without a name, because side-band events were lost. */
	ledger_line(&lines, "unnamed", &ledger->unnamed_sideband_lost, true);
}
