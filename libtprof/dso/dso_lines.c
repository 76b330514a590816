// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Source lines of an opened file. */
#include "dso_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "elf/demangle.h"
#include "elf/elf_symbols.h"

/* A result has a few hundred bytes. A full cache is emptied. */
#define MAX_ANSWERS 16384

struct answer {
	struct hash_node node;		/* key: offset */
	size_t nr;
	struct elf_place places[];
};

struct dso_lines {
	struct elf_lines *lines;
	struct intern *strings;
	struct hash answers;
};

struct dso_lines *dso_lines_open(int fd, const struct debug_search *search, struct intern *strings)
{
	struct dso_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->strings = strings;
	lines->lines = elf_lines_open(fd, search);
	if (!lines->lines) {
		free(lines);
		return NULL;
	}
	return lines;
}

static bool free_answer(void *ctx, struct hash_node *node)
{
	(void)ctx;
	free(node);
	return false;
}

void dso_lines_close(struct dso_lines *lines)
{
	if (!lines)
		return;
	hash_filter(&lines->answers, free_answer, NULL);
	hash_fini(&lines->answers);
	elf_lines_close(lines->lines);
	free(lines);
}

static const char *readable(struct intern *strings, const char *function)
{
	char name[2 * ELF_NAME_MAX];

	return intern_string(strings, demangle(function, name, sizeof(name)) ? name : function);
}

/* A file without a line is as useless as a line without a file. */
static bool keep(struct intern *strings, struct elf_place *place)
{
	if (place->function) {
		place->function = readable(strings, place->function);
		if (!place->function)
			return false;
	}
	if (!place->file || !place->line) {
		place->file = NULL;
		place->line = 0;
		return true;
	}
	place->file = intern_string(strings, place->file);
	return place->file;
}

static struct answer *look_up(struct dso_lines *lines, uint64_t offset)
{
	struct elf_place places[ELF_PLACES_MAX];
	size_t nr = elf_lines_find(lines->lines, offset, places);
	struct answer *answer = malloc(sizeof(*answer) + nr * sizeof(places[0]));

	if (!answer)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		if (!keep(lines->strings, &places[i])) {
			free(answer);
			return NULL;
		}
	}
	answer->nr = nr;
	memcpy(answer->places, places, nr * sizeof(places[0]));
	if (hash_add(&lines->answers, &answer->node, offset)) {
		free(answer);
		return NULL;
	}
	return answer;
}

size_t dso_lines_find(struct dso_lines *lines, uint64_t offset, const struct elf_place **places)
{
	struct answer *answer = (struct answer *)hash_find(&lines->answers, offset);

	if (!answer && lines->answers.nr >= MAX_ANSWERS)
		hash_filter(&lines->answers, free_answer, NULL);
	if (!answer)
		answer = look_up(lines, offset);
	*places = answer ? answer->places : NULL;
	return answer ? answer->nr : 0;
}

const char *dso_lines_lost(const struct dso_lines *lines)
{
	return elf_lines_lost(lines->lines);
}
