/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Splits a list of events with groups, "task-clock,{cycles,instructions},cpu/event=0x3c,umask=1/", into words. */
#ifndef TPROF_EVENT_WORDS_H
#define TPROF_EVENT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct event_word {
	const char *text;	/* not terminated */
	size_t length;
	bool continues;		/* is in the same group as the word before it */
};

/* A zeroed struct is at the start of a list. */
struct event_words {
	const char *at;
	bool in_group, in_second;	/* within braces; and behind the first event in them */
	bool is_done;
};

/*
 * Finds the next word of @list, which must be the same in each call. Commas between slashes are part of a word. Returns
 * 1, 0 at the end, or -EINVAL after setting the sentence: an empty word, or braces that do not match.
 */
int event_words_next(struct event_words *words, const char *list, struct event_word *word, struct tprof_error *error);

#endif
