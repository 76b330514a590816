// SPDX-License-Identifier: GPL-2.0-only
/* What there is to know about the terminal before, or without, drawing on it. */
#include "term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termcap.h>
#include <unistd.h>

bool term_is_screen(void)
{
	const char *name = getenv("TERM");

	return isatty(STDOUT_FILENO) && name && name[0] && strcmp(name, "dumb");
}

bool term_is_known(void)
{
	return tgetent(NULL, getenv("TERM")) == 1;
}

void term_size(int *rows, int *columns)
{
	struct winsize size;

	*rows = 24;
	*columns = 80;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		return;
	*rows = size.ws_row;
	*columns = size.ws_col;
}

bool term_wants_colour(void)
{
	const char *no = getenv("NO_COLOR");

	return !no || !no[0];
}
