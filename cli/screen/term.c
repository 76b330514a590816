// SPDX-License-Identifier: GPL-2.0-only
/* What there is to know about the terminal before, or without, drawing on it. */
#include "term.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termcap.h>
#include <termios.h>
#include <unistd.h>

static struct {
	int fd;			/* of its own, by which writing does not wait; -1: none */
	struct termios modes;
	char text[256];		/* what ends a view */
	size_t length;
} remembered = { .fd = -1 };

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

static int append(int c)
{
	if (remembered.length < sizeof(remembered.text))
		remembered.text[remembered.length++] = (char)c;
	return c;
}

void term_hold(void)
{
	char name[64];

	if (remembered.fd >= 0)
		return;
	/* Not stdout, which others have too: they would not wait either when they write. */
	if (!ttyname_r(STDOUT_FILENO, name, sizeof(name)) && !tcgetattr(STDOUT_FILENO, &remembered.modes))
		remembered.fd = open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

void term_remember(void)
{
	/* The keypad, attributes, the cursor, and the screen on which the view is */
	static const char *const endings[] = { "ke", "me", "ve", "te" };

	term_hold();
	remembered.length = 0;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		char *ending = tgetstr(endings[i], NULL);

		if (ending)
			tputs(ending, 1, append);
	}
}

/* Others may be in the middle of a write for a moment; where they stay there, nothing can be done. */
static void write_ending(int fd)
{
	for (int tries = 0; tries < 10; tries++) {
		if (write(fd, remembered.text, remembered.length) >= 0 || errno != EAGAIN)
			return;
		poll(NULL, 0, 10);
	}
}

void term_give_back(void)
{
	const int fd = remembered.fd;

	if (fd < 0)
		return;
	tcsetattr(fd, TCSANOW, &remembered.modes);
	/* Output that was stopped by a key goes on only if it is stopped like this first. */
	tcflow(fd, TCOOFF);
	tcflow(fd, TCOON);
	write_ending(fd);
}

void term_forget(void)
{
	if (remembered.fd >= 0)
		close(remembered.fd);
	remembered.fd = -1;
	remembered.length = 0;
}
