// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * A minimal agent: prints the five functions with the most samples of the whole machine every second, until Ctrl-C.
 *
 *	cc agent.c $(pkg-config --cflags --libs libtprof) -o agent
 */
#include <signal.h>
#include <stdio.h>
#include <tprof/tprof.h>

static volatile sig_atomic_t stopping;

static void on_signal(int number)
{
	stopping = number;
}

static int fail(const char *text, const char *hint)
{
	fprintf(stderr, "agent: %s\n%s%s%s", text, hint[0] ? "hint: " : "", hint, hint[0] ? "\n" : "");
	return 1;
}

static int print_interval(struct tprof_session *session)
{
	struct tprof_profile *profile = tprof_session__snapshot(session);
	struct tprof_profile *functions = profile ? tprof_profile__group(profile, TPROF_GROUP_FUNCTION) : NULL;
	const struct tprof_entry *entry;

	for (size_t i = 0; functions && i < 5 && (entry = tprof_profile__entry(functions, i)); i++)
		printf("%6.2f%%  %s (%s)\n", entry->percent, entry->symbol, entry->object);
	if (functions)
		printf("%6.0f   samples lost\n\n", (double)tprof_ledger__lost(tprof_profile__ledger(profile)).samples);
	tprof_profile__free(functions);
	tprof_profile__free(profile);
	fflush(stdout);
	return functions ? 0 : -1;
}

int main(void)
{
	struct tprof_error error;
	struct tprof_session *session = tprof_session__open(NULL, &error);
	struct tprof_filter *filter = session ? tprof_filter__open("top", &error) : NULL;
	int err;

	if (!filter) {
		tprof_session__close(session);
		return fail(error.text, error.hint);
	}
	signal(SIGINT, on_signal);
	err = tprof_session__add_filter(session, filter) || tprof_session__start(session);
	while (!err && !stopping && !ferror(stdout))
		err = (tprof_session__wait(session, 1000) && !stopping) || print_interval(session);
	if (err)
		err = fail(tprof_session__error(session), tprof_session__hint(session));
	tprof_session__close(session);
	return err || ferror(stdout);
}
