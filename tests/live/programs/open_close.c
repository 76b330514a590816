// SPDX-License-Identifier: GPL-2.0-only
/*
 * open_close CYCLES [COMMAND...]: opens, starts, reads and closes a session CYCLES times; prints the memory and the
 * descriptors that the last nine tenths of the cycles have leaked: "KIB DESCRIPTORS". With a command, executes it while
 * the first session samples.
 */
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tprof.h"

static long resident_kib(void)
{
	char line[128];
	long kib = -1;
	FILE *status = fopen("/proc/self/status", "r");

	while (status && fgets(line, sizeof(line), status)) {
		if (sscanf(line, "RssAnon: %ld", &kib) == 1)
			break;
	}
	if (status)
		fclose(status);
	return kib;
}

static long descriptors(void)
{
	long nr = 0;
	DIR *dir = opendir("/proc/self/fd");

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	return nr;
}

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	return -1;
}

static int use(struct tprof_session *session, char **command)
{
	struct tprof_profile *profile;

	if (tprof_session__start(session))
		return fail("start", tprof_session__error(session));
	if (tprof_session__start(session) != -EBUSY)
		return fail("start again", "is not refused");
	tprof_session__wait(session, 1);
	profile = tprof_session__snapshot(session);
	if (!profile)
		return fail("snapshot", tprof_session__error(session));
	tprof_profile__free(profile);
	if (!*command)
		return 0;
	execvp(*command, command);
	return fail(*command, strerror(errno));
}

/* Kernel symbols take half of the time; every fourth cycle is enough to detect a leak of them. */
static int cycle(int i, char **command)
{
	TPROF_OPTS(tprof_session_opts, opts, .rate_hz = 997, .user_only = i % 4 != 0);
	struct tprof_error error = { .text = "" };
	struct tprof_session *session = tprof_session__open(&opts, &error);
	struct tprof_filter *filter = tprof_filter__open("top", &error);
	int err = 0;

	if (!session || !filter) {
		tprof_filter__free(filter);
		tprof_session__close(session);
		return fail("open", error.text);
	}
	if (tprof_session__add_filter(session, filter))
		err = fail("add filter", tprof_session__error(session));
	else
		err = use(session, command);
	tprof_session__close(session);
	return err;
}

int main(int argc, char **argv)
{
	const int cycles = argc > 1 ? atoi(argv[1]) : 1000;
	long kib = 0, fds = 0;

	for (int i = 0; i < cycles; i++) {
		if (cycle(i, argc > 2 ? argv + 2 : argv + argc))
			return EXIT_FAILURE;
		if (i == cycles / 10) {
			malloc_trim(0);
			kib = resident_kib();
			fds = descriptors();
		}
	}
	malloc_trim(0);
	printf("%ld %ld\n", resident_kib() - kib, descriptors() - fds);
	return EXIT_SUCCESS;
}
