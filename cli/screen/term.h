/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal: whether there is one, how large, and whether it should be coloured. */
#ifndef TPROF_TERM_H
#define TPROF_TERM_H

#include <stdbool.h>

/* Somebody looks at stdout, and the terminal can move its cursor. */
bool term_is_screen(void);
/* Its type is in the terminal database. */
bool term_is_known(void);
/* Size of the terminal on stdout; 24 by 80 if it does not say. */
void term_size(int *rows, int *columns);
/* Unless NO_COLOR is set and not empty (no-color.org). */
bool term_wants_colour(void);

/*
 * For who is ended without going through curses: remembers, before a view begins, how the terminal on stdout is, and
 * gives it back like that. The latter may be called from another thread, and is not held up by a terminal that is.
 * term_hold() is for a process that cannot open the terminal later; term_forget() ends all of it.
 */
void term_hold(void);
void term_remember(void);
void term_give_back(void);
void term_forget(void);

#endif
