// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The warnings of a session: those of the client, of the session itself, and on names. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "session.h"

static void add_words(char *text, size_t size, const char *more)
{
	size_t length = strlen(text);

	/* Adds whole sentences only. */
	if (length + strlen(more) + sizeof("; ") <= size)
		snprintf(text + length, size - length, "%s%s", length ? "; " : "", more);
}

void tprof_session__warn(struct tprof_session *session, const char *sentence)
{
	struct session_words *words = session->words;
	size_t length = strlen(words->said);

	if (!sentence[0])
		return;
	add_words(words->said, sizeof(words->said), sentence);
	utf8_clean(words->said + length);
}

const char *session_warnings(const struct tprof_session *session)
{
	const char *names = symbolizer_warnings(session->symbolizer);
	struct session_words *words = session->words;

	memcpy(words->all, words->said, sizeof(words->said));
	if (names)
		add_words(words->all, sizeof(words->all), names);
	return words->all[0] ? words->all : NULL;
}
