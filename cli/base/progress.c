// SPDX-License-Identifier: GPL-2.0-only
/*
 * The progress line. A separate thread writes it, so it appears even while the operation blocks on a disk or a pipe,
 * and the library needs no progress callback. The thread blocks all signals, because other threads wait for them.
 */
#include "progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cell.h"

static struct {
	pthread_mutex_t lock;		/* protects the fields below */
	pthread_cond_t ended;
	bool is_running, is_ended;
	int shown;			/* columns of the displayed line; 0: none */
	pthread_t thread;		/* valid if is_running */
	char what[256];
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER };

static bool is_wanted(void)
{
	const char *name = getenv("TERM");

	return isatty(STDERR_FILENO) && name && name[0] && strcmp(name, "dumb");
}

static int columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
}

/* Overwrites the line with blanks, which works on any terminal. */
static void erase_line(void)
{
	if (progress.shown)
		fprintf(stderr, "\r%*s\r", progress.shown, "");
	progress.shown = 0;
}

static void draw_line(unsigned int seconds)
{
	char text[320];
	struct cell cell;
	int width;

	snprintf(text, sizeof(text), "tprof: %s, %u s", progress.what, seconds);
	/* The last column stays empty, because some terminals wrap after writing to it. */
	width = cell_width(text) < columns() - 1 ? cell_width(text) : columns() - 1;
	erase_line();
	fprintf(stderr, "%s", cell_fit(&cell, text, width));
	fflush(stderr);
	progress.shown = width;
}

static void *run(void *unused)
{
	struct timespec next;

	(void)unused;
	clock_gettime(CLOCK_MONOTONIC, &next);
	pthread_mutex_lock(&progress.lock);
	for (unsigned int seconds = 1; !progress.is_ended; seconds++) {
		next.tv_sec++;
		while (!progress.is_ended &&
		       !pthread_cond_clockwait(&progress.ended, &progress.lock, CLOCK_MONOTONIC, &next))
			;
		if (!progress.is_ended)
			draw_line(seconds);
	}
	erase_line();
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

void progress_begin(const char *format, ...)
{
	sigset_t all, before;
	va_list args;

	progress_end();
	if (!is_wanted())
		return;
	va_start(args, format);
	vsnprintf(progress.what, sizeof(progress.what), format, args);
	va_end(args);
	progress.is_ended = false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	/* Without the thread there is no progress line, which is not an error. */
	progress.is_running = !pthread_create(&progress.thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_end(void)
{
	if (!progress.is_running)
		return;
	pthread_mutex_lock(&progress.lock);
	progress.is_ended = true;
	pthread_cond_signal(&progress.ended);
	pthread_mutex_unlock(&progress.lock);
	pthread_join(progress.thread, NULL);
	progress.is_running = false;
}

void progress_clear(void)
{
	if (!progress.is_running)
		return;
	pthread_mutex_lock(&progress.lock);
	erase_line();
	pthread_mutex_unlock(&progress.lock);
}
