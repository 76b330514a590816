// SPDX-License-Identifier: GPL-2.0-only
/* Moves in a list. */
#include "scroll.h"

#include <curses.h>

static void move_by(struct scroll *scroll, long lines)
{
	if (lines < 0 && scroll->at < (size_t)-lines)
		scroll->at = 0;
	else
		scroll->at += (size_t)lines;
}

bool scroll_key(struct scroll *scroll, int key)
{
	long page = scroll->page > 1 ? (long)scroll->page - 1 : 1;

	switch (key) {
	case KEY_UP:
	case 'k':
		move_by(scroll, -1);
		return true;
	case KEY_DOWN:
	case 'j':
		move_by(scroll, 1);
		return true;
	case KEY_PPAGE:
		move_by(scroll, -page);
		return true;
	case KEY_NPAGE:
		move_by(scroll, page);
		return true;
	case KEY_HOME:
		scroll->at = 0;
		return true;
	case KEY_END:
		scroll->at = (size_t)-1 / 2;
		return true;
	default:
		return false;
	}
}

void scroll_fit(struct scroll *scroll, size_t nr, size_t page)
{
	scroll->page = page;
	if (scroll->at >= nr)
		scroll->at = nr ? nr - 1 : 0;
	if (scroll->at < scroll->first)
		scroll->first = scroll->at;
	if (page && scroll->at >= scroll->first + page)
		scroll->first = scroll->at - page + 1;
	if (scroll->first + page > nr)
		scroll->first = nr > page ? nr - page : 0;
}
