// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Splits lists of events. */
#include "event_words.h"

#include <errno.h>
#include <string.h>

static int malformed(const char *list, const char *why, struct tprof_error *error)
{
	error_set(error, EINVAL, "events %s: %s", list, why);
	error_hint(error, "separate events by commas, and put groups in braces: task-clock,{cycles,instructions}");
	return -EINVAL;
}

static size_t length_of(const char *text)
{
	bool between = false;
	size_t length;

	for (length = 0; text[length]; length++) {
		if (text[length] == '/')
			between = !between;
		else if (!between && strchr(",{}", text[length]))
			break;
	}
	return length;
}

/* Moves behind what follows a word: a comma, the end of a group, the end of the list. */
static int finish(struct event_words *words, const char *list, struct tprof_error *error)
{
	if (*words->at == '}') {
		if (!words->in_group)
			return malformed(list, "a brace is closed that was not opened", error);
		words->in_group = words->in_second = false;
		words->at++;
	}
	if (*words->at == '{' || *words->at == '}')
		return malformed(list, "a comma is missing beside a brace", error);
	if (*words->at == ',') {
		words->at++;
		return 0;
	}
	if (words->in_group)
		return malformed(list, "a brace is not closed", error);
	if (*words->at)
		return malformed(list, "a comma is missing beside a brace", error);
	words->is_done = true;
	return 0;
}

int event_words_next(struct event_words *words, const char *list, struct event_word *word, struct tprof_error *error)
{
	int err;

	if (words->is_done)
		return 0;
	if (!words->at)
		words->at = list;
	if (*words->at == '{') {
		if (words->in_group)
			return malformed(list, "a group cannot be in a group", error);
		words->in_group = true;
		words->at++;
	}
	*word = (struct event_word){ words->at, length_of(words->at), words->in_second };
	if (!word->length)
		return malformed(list, "the name of an event is missing", error);
	words->at += word->length;
	words->in_second = words->in_group;
	err = finish(words, list, error);
	return err ? err : 1;
}
