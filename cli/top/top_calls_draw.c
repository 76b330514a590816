// SPDX-License-Identifier: GPL-2.0-only
/* Draws callers or callees, heaviest first, as many as fit. */
#include <stdio.h>
#include <string.h>

#include "screen/screen.h"
#include "top_calls.h"

enum {
	MARGIN = 1,
	GAP = 2,
	SHARE_COLUMNS = 7,		/* "100.0 %" */
	INDENT = 2,
	NAME_MIN_COLUMNS = 16,		/* kept free of indentation */
};

struct drawing {
	const struct top_calls *calls;
	int row, end;			/* the next line, and the line after the last */
	size_t nr_hidden;		/* lines that do not fit */
};

static void put(struct drawing *drawing, int level, const struct tprof_tally *sum, attr_t attributes, const char *text)
{
	int width = COLS - 2 * MARGIN - SHARE_COLUMNS - GAP, indent = INDENT * level;
	uint64_t whole = drawing->calls->calls.total.weight;
	double percent = sum && whole ? 100.0 * (double)sum->weight / (double)whole : 0;
	char share[32] = "";

	if (drawing->row == drawing->end) {
		drawing->nr_hidden++;
		return;
	}
	if (indent > width - NAME_MIN_COLUMNS)
		indent = width - NAME_MIN_COLUMNS;
	if (sum)
		snprintf(share, sizeof(share), "%5.1f %%", percent);
	screen_text(drawing->row, MARGIN, SHARE_COLUMNS, screen_share_paint(percent), share);
	screen_text(drawing->row++, MARGIN + SHARE_COLUMNS + GAP + indent, width - indent, attributes, text);
}

/* Draws the object only if it differs from that of the line before. */
static const char *put_name(struct drawing *drawing, int level, const struct tprof_tally *sum, uint32_t number,
			    const char *object)
{
	const struct name *name = &drawing->calls->names.names[number];
	bool same = object && !strcmp(object, name->object);
	char text[1024];

	snprintf(text, sizeof(text), "%s%s%s", name->text, same ? "" : "  ", same ? "" : name->object);
	put(drawing, level, sum, screen_paint(name->mode == TPROF_MODE_KERNEL ? PAINT_KERNEL : PAINT_PLAIN), text);
	return name->object;
}

static void put_below(struct drawing *drawing, const struct tree *tree, int level, const char *object)
{
	bool ended = tree->ended.weight && (tree->nr || tree->nr_omitted);
	char text[64];

	for (size_t i = 0; i < tree->nr; i++) {
		const struct tree *child = &tree->children[i];
		const char *last = object;

		for (size_t n = 0; n < child->nr_run; n++)
			last = put_name(drawing, level, n ? NULL : &child->sum, child->run[n], last);
		put_below(drawing, child, level + 1, last);
	}
	if (ended)
		put(drawing, level, &tree->ended, screen_paint(PAINT_FAINT),
		    drawing->calls->step > 0 ? "[no caller]" : "[self]");
	if (!tree->nr_omitted)
		return;
	snprintf(text, sizeof(text), "[%zu more]", tree->nr_omitted);
	put(drawing, level, &tree->omitted, screen_paint(PAINT_FAINT), text);
}

static void put_title(struct drawing *drawing)
{
	const struct top_calls *calls = drawing->calls;
	attr_t attributes = A_UNDERLINE | A_BOLD;
	char text[1024];

	snprintf(text, sizeof(text), "%s %s  %s", calls->step > 0 ? "CALLERS OF" : "CALLEES OF", calls->symbol,
		 calls->object);
	screen_text(drawing->row, 0, COLS, attributes, "");
	screen_text(drawing->row++, MARGIN, COLS - 2 * MARGIN, attributes, text);
}

void top_calls_draw(const struct top_calls *calls, int row, int rows)
{
	struct drawing drawing = { .calls = calls, .row = row, .end = row + rows };
	const struct tree *tree = &calls->tree;
	const char *object = calls->object;
	char text[64];

	if (!calls->symbol || rows < 2)
		return;
	put_title(&drawing);
	for (size_t i = 1; i < tree->nr_run; i++)
		object = put_name(&drawing, 0, i == 1 ? &tree->sum : NULL, tree->run[i], object);
	put_below(&drawing, tree, tree->nr_run > 1, object);
	if (drawing.row == row + 1)
		put(&drawing, 0, NULL, screen_paint(PAINT_FAINT),
		    !tree->nr_run ? "no samples" : calls->step > 0 ? "no callers" : "no callees");
	if (!drawing.nr_hidden)
		return;
	snprintf(text, sizeof(text), "[%zu more lines: make the terminal larger]", drawing.nr_hidden + 1);
	screen_text(drawing.end - 1, 0, COLS, A_NORMAL, "");
	screen_text(drawing.end - 1, MARGIN, COLS - 2 * MARGIN, screen_paint(PAINT_FAINT), text);
}
