// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes to a pseudo terminal for that many seconds and reads it back. The kernel handles each character that is
 * written in a work item, which this thread queues and waits for.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* Below the size at which a terminal stops its writer. */
#define BYTES 2048

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static int pass(int to, int from, char *bytes)
{
	size_t got = 0;

	if (write(to, bytes, BYTES) != BYTES)
		return -1;
	while (got < BYTES) {
		ssize_t nr = read(from, bytes, BYTES - got);

		if (nr <= 0)
			return -1;
		got += (size_t)nr;
	}
	return 0;
}

static int run(int ptm, time_t seconds)
{
	int pts = open(ptsname(ptm), O_RDWR | O_NOCTTY);
	struct termios settings;
	struct timespec now;
	char bytes[BYTES];
	time_t end;

	if (pts < 0 || tcgetattr(pts, &settings))
		return fail("the terminal");
	/* Each character is looked at, none is special, and none is echoed. */
	settings.c_lflag = ISIG;
	settings.c_iflag = IXON;
	settings.c_oflag = 0;
	settings.c_cc[VMIN] = 1;
	settings.c_cc[VTIME] = 0;
	if (tcsetattr(pts, TCSANOW, &settings))
		return fail("tcsetattr");
	memset(bytes, 'x', sizeof(bytes));
	clock_gettime(CLOCK_MONOTONIC, &now);
	for (end = now.tv_sec + seconds; now.tv_sec < end; clock_gettime(CLOCK_MONOTONIC, &now)) {
		if (pass(ptm, pts, bytes))
			return fail("write and read");
	}
	return 0;
}

int main(int argc, char **argv)
{
	int ptm = posix_openpt(O_RDWR | O_NOCTTY);

	if (argc != 2) {
		fprintf(stderr, "usage: %s SECONDS\n", argv[0]);
		return 2;
	}
	if (ptm < 0 || grantpt(ptm) || unlockpt(ptm))
		return fail("posix_openpt");
	return run(ptm, atol(argv[1]));
}
