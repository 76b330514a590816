// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Call stacks in the folded format of flame graph tools, one per line: process, frames from the root to the leaf,
 * separated by semicolons, then a space and the weight. Call stacks that differ only in addresses are one line. The
 * heaviest comes first. A profile without call stacks has lines of one frame.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/text_stream.h"
#include "export.h"

struct line {
	struct hash_node node;		/* hashed by text */
	uint64_t weight;
	char text[];
};

struct lines {
	struct hash index;
	struct line **all;
	size_t nr, capacity;
	struct text_stream next;	/* the line being written */
};

/* Names must not contain the separator. Line feeds and other control characters have been replaced before. */
static void put_name(FILE *out, const char *name)
{
	for (; *name; name++)
		putc(*name == ';' ? ':' : *name, out);
}

/*
 * Writes the process as the root, unless the profile does not distinguish processes. A process without a name has
 * "[unknown]".
 */
static void put_process(FILE *out, const char *comm, pid_t pid)
{
	if (!comm[0] && pid < 0)
		return;
	put_name(out, comm[0] ? comm : "[unknown]");
	putc(';', out);
}

static int add_line(struct lines *lines, uint64_t weight)
{
	const char *text = text_stream_text(&lines->next);
	struct hash_node *node;
	struct line *made;
	uint64_t key;

	if (!text)
		return -ENOMEM;
	key = hash_text(text);
	for (node = hash_find(&lines->index, key); node; node = hash_find_next(node)) {
		struct line *line = (struct line *)node;

		if (strcmp(line->text, text))
			continue;
		line->weight += weight;
		return 0;
	}
	made = malloc(sizeof(*made) + strlen(text) + 1);
	if (!made || array_grow_pointers(&lines->all, lines->nr, &lines->capacity) ||
	    hash_add(&lines->index, &made->node, key)) {
		free(made);
		return -ENOMEM;
	}
	made->weight = weight;
	strcpy(made->text, text);
	lines->all[lines->nr++] = made;
	return 0;
}

static int add_call_stacks(struct lines *lines, const struct tprof_profile *profile)
{
	int err = 0;

	for (size_t i = 0; i < tprof_profile__nr_call_stacks(profile) && !err; i++) {
		const struct tprof_call_stack *stack = tprof_profile__call_stack(profile, i);
		FILE *out = text_stream_begin(&lines->next);

		if (!out)
			return -ENOMEM;
		put_process(out, stack->comm, stack->pid);
		for (size_t frame = stack->nr_frames; frame > 0; frame--) {
			put_name(out, stack->frames[frame - 1]->symbol);
			if (frame > 1)
				putc(';', out);
		}
		err = add_line(lines, stack->weight);
	}
	return err;
}

static int add_entries(struct lines *lines, const struct tprof_profile *profile)
{
	int err = 0;

	for (size_t i = 0; i < tprof_profile__nr_entries(profile) && !err; i++) {
		const struct tprof_entry *entry = tprof_profile__entry(profile, i);
		FILE *out = text_stream_begin(&lines->next);

		if (!out)
			return -ENOMEM;
		put_process(out, entry->comm, entry->pid);
		put_name(out, entry->symbol);
		err = add_line(lines, entry->weight);
	}
	return err;
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = *(struct line *const *)a, *y = *(struct line *const *)b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return strcmp(x->text, y->text);
}

int export_folded(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts)
{
	struct lines lines = { 0 };
	int err = tprof_profile__nr_call_stacks(profile) ? add_call_stacks(&lines, profile) :
							   add_entries(&lines, profile);

	if (!err && lines.nr)
		qsort(lines.all, lines.nr, sizeof(*lines.all), compare_lines);
	for (size_t i = 0; i < lines.nr; i++) {
		if (!err && (!opts->limit || i < opts->limit))
			fprintf(out, "%s %" PRIu64 "\n", lines.all[i]->text, lines.all[i]->weight);
		free(lines.all[i]);
	}
	text_stream_close(&lines.next);
	free(lines.all);
	hash_fini(&lines.index);
	return err;
}
