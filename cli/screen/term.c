// SPDX-License-Identifier: GPL-2.0-only
/* Properties of the terminal that are needed before, or without, drawing on it. */
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
	int fd;			/* a separate, non-blocking open of the terminal; -1: none */
	struct termios modes;
	char text[256];		/* control sequences that end a view */
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
	/* Not stdout: O_NONBLOCK would also apply to other processes that share its open file. */
	if (!ttyname_r(STDOUT_FILENO, name, sizeof(name)) && !tcgetattr(STDOUT_FILENO, &remembered.modes))
		remembered.fd = open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

void term_remember(void)
{
	/* Reset the keypad, attributes and cursor, and leave the alternate screen. */
	static const char *const endings[] = { "ke", "me", "ve", "te" };

	term_hold();
	remembered.length = 0;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		char *ending = tgetstr(endings[i], NULL);

		if (ending)
			tputs(ending, 1, append);
	}
}

/* Retry for a moment while others write to the terminal; then give up. */
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
	/* Output stopped by a key (Ctrl-S) resumes only after TCOOFF and TCOON. */
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
