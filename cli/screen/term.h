/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties of the terminal: presence, type, size, color; and its emergency restore. */
#ifndef TPROF_TERM_H
#define TPROF_TERM_H

#include <stdbool.h>

/* Whether stdout is a terminal that can move its cursor. */
bool term_is_screen(void);
/* Whether its type is in the terminal database. */
bool term_is_known(void);
/* The size of the terminal on stdout; 24 by 80 if unknown. */
void term_size(int *rows, int *columns);
/* False if NO_COLOR is set and not empty (no-color.org). */
bool term_wants_colour(void);

/*
 * Restores the terminal when the process terminates without calling curses. term_remember() saves the state of the
 * terminal on stdout, before a view starts. term_give_back() restores it; it may be called from another thread, and
 * does not block on a stopped terminal. term_hold() opens the terminal early, for a process that cannot open it later.
 * term_forget() closes it.
 */
void term_hold(void);
void term_remember(void);
void term_give_back(void);
void term_forget(void);

#endif
