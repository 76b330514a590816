// SPDX-License-Identifier: GPL-2.0-only
/* Boxes over a table: frames, keys, and text. */
#include "box.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/cell.h"
#include "screen.h"

int box_rows_that_fit(void)
{
	return LINES - BOX_HEAD_ROWS - 2;
}

struct box box_draw(int rows, int columns, const char *title)
{
	struct box box = { .rows = rows, .columns = columns };

	if (box.rows > box_rows_that_fit())
		box.rows = box_rows_that_fit();
	if (box.columns > COLS - 4)
		box.columns = COLS - 4;
	box.row = BOX_HEAD_ROWS + 1 + (box_rows_that_fit() - box.rows) / 2;
	box.column = (COLS - box.columns) / 2;
	for (int row = box.row - 1; row <= box.row + box.rows; row++)
		screen_text(row, box.column - 2, box.columns + 4, A_NORMAL, "");
	mvaddch(box.row - 1, box.column - 2, ACS_ULCORNER);
	mvaddch(box.row - 1, box.column + box.columns + 1, ACS_URCORNER);
	mvaddch(box.row + box.rows, box.column - 2, ACS_LLCORNER);
	mvaddch(box.row + box.rows, box.column + box.columns + 1, ACS_LRCORNER);
	mvhline(box.row - 1, box.column - 1, ACS_HLINE, box.columns + 2);
	mvhline(box.row + box.rows, box.column - 1, ACS_HLINE, box.columns + 2);
	mvvline(box.row, box.column - 2, ACS_VLINE, box.rows);
	mvvline(box.row, box.column + box.columns + 1, ACS_VLINE, box.rows);
	attrset(A_BOLD);
	mvprintw(box.row - 1, box.column, " %s ", title);
	attrset(A_NORMAL);
	return box;
}

void box_keys(const struct box_key *keys, size_t nr)
{
	struct box box = box_draw((int)nr, 56, "Keys");

	for (int i = 0; i < box.rows; i++) {
		screen_text(box.row + i, box.column, 9, A_BOLD, keys[i].key);
		screen_text(box.row + i, box.column + 9, box.columns - 9, A_NORMAL, keys[i].what);
	}
}

/* The number of bytes that fit on a line of @columns columns, at least one character, up to a line feed. */
static int line_bytes(const char *text, int columns)
{
	int bytes = 0, width = 0;

	while (text[bytes] && text[bytes] != '\n') {
		char character[8];
		int next = bytes + 1;

		while ((text[next] & 0xc0) == 0x80 && next - bytes < (int)sizeof(character) - 1)
			next++;
		snprintf(character, sizeof(character), "%.*s", next - bytes, text + bytes);
		width += cell_width(character);
		if (width > columns && bytes)
			break;
		bytes = next;
	}
	return bytes;
}

static const char *next_line(const char *text, int bytes)
{
	text += bytes;
	return *text == '\n' ? text + 1 : text;
}

void box_text(const char *title, const char *text)
{
	int columns = COLS - 8 < 100 ? COLS - 8 : 100, rows = 0;
	struct box box;

	for (const char *at = text; *at; rows++)
		at = next_line(at, line_bytes(at, columns));
	box = box_draw(rows, columns, title);
	for (int row = 0; row < box.rows; row++) {
		int bytes = line_bytes(text, columns);
		bool cut = row == box.rows - 1 && *next_line(text, bytes);
		char line[512];

		if (cut)
			bytes = line_bytes(text, columns - 1);
		snprintf(line, sizeof(line), "%.*s%s", bytes, text, cut ? cell_ellipsis() : "");
		screen_text(box.row + row, box.column, box.columns, A_NORMAL, line);
		text = next_line(text, bytes);
	}
}
