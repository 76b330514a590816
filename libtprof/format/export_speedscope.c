// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Profiles in speedscope's format: one sampled profile, whose stacks have the process as the root. Numbers are written
 * directly, since a large profile has millions of them; jansson writes quoted strings.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "export.h"

/* A frame of speedscope: a function or a process. Strings belong to the profile, so their addresses identify them. */
struct name {
	struct hash_node node;
	const char *symbol, *object;
	const char *file;		/* source file; NULL: unknown */
	unsigned int line;		/* first line of the function; 0: unknown */
	int pid;
	size_t index;
};

struct names {
	struct hash index;
	struct name **names;
	size_t nr, capacity;
};

static bool same_name(const struct name *a, const struct name *b)
{
	return a->symbol == b->symbol && a->object == b->object && a->file == b->file && a->line == b->line &&
	       a->pid == b->pid;
}

static struct name *find_name(struct names *names, const struct name *name)
{
	uint64_t key = hash_mix((uintptr_t)name->symbol, (uintptr_t)name->object);
	struct name *made;
	struct hash_node *node;

	key = hash_mix(hash_mix(key, (uintptr_t)name->file), name->line);
	key = hash_mix(key, (uint64_t)(int64_t)name->pid);
	for (node = hash_find(&names->index, key); node; node = hash_find_next(node)) {
		if (same_name((struct name *)node, name))
			return (struct name *)node;
	}
	made = malloc(sizeof(*made));
	if (!made)
		return NULL;
	*made = *name;
	if (array_grow_pointers(&names->names, names->nr, &names->capacity) ||
	    hash_add(&names->index, &made->node, key)) {
		free(made);
		return NULL;
	}
	made->index = names->nr;
	names->names[names->nr++] = made;
	return made;
}

static void free_names(struct names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->names[i]);
	free(names->names);
	hash_fini(&names->index);
}

static int write_string(const char *text, FILE *out)
{
	char *mended = strdup(text);
	json_t *string;

	if (!mended)
		return -ENOMEM;
	tprof_text__mend(mended);
	string = json_string(mended);
	free(mended);
	return export_json_write(string, out);
}

/* "comm (pid)", or the part that is known */
static int write_process(const struct name *name, FILE *out)
{
	char text[256];

	if (name->pid < 0)
		return write_string(name->symbol, out);
	snprintf(text, sizeof(text), "%s (%d)", name->symbol[0] ? name->symbol : "process", name->pid);
	return write_string(text, out);
}

static int write_names(const struct names *names, FILE *out)
{
	int err = 0;

	fputs("\"shared\":{\"frames\":[", out);
	for (size_t i = 0; i < names->nr && !err; i++) {
		const struct name *name = names->names[i];

		fputs(i ? ",{\"name\":" : "{\"name\":", out);
		err = name->object ? write_string(name->symbol, out) : write_process(name, out);
		if (!err && name->object && (name->file || name->object[0])) {
			fputs(",\"file\":", out);
			err = write_string(name->file ? name->file : name->object, out);
		}
		if (name->line)
			fprintf(out, ",\"line\":%u", name->line);
		fputc('}', out);
	}
	fputs("]},", out);
	return err;
}

/* The frame of a process, which has no object. */
static struct name *find_process(struct names *names, const char *comm, int pid)
{
	return find_name(names, &(struct name){ .symbol = comm, .pid = pid });
}

/* Frames stand for functions, so the line is the function's first. */
static struct name *find_function(struct names *names, const struct tprof_frame *frame)
{
	bool source = frame->file && frame->file[0] && frame->start_line;

	return find_name(names, &(struct name){
		.symbol = frame->symbol, .object = frame->object, .file = source ? frame->file : NULL,
		.line = source ? frame->start_line : 0, .pid = -1,
	});
}

static int write_index(const struct name *name, const char *before, FILE *out)
{
	if (!name)
		return -ENOMEM;
	fprintf(out, "%s%zu", before, name->index);
	return 0;
}

static int write_call_stack(struct names *names, const struct tprof_call_stack *stack, FILE *out)
{
	bool process = stack->comm[0] || stack->pid >= 0;
	int err = process ? write_index(find_process(names, stack->comm, stack->pid), "[", out) : 0;

	for (size_t i = stack->nr_frames; i-- > 0 && !err;) {
		const struct tprof_frame *frame = stack->frames[i];
		bool first = !process && i + 1 == stack->nr_frames;

		err = write_index(find_function(names, frame), first ? "[" : ",", out);
	}
	fputc(']', out);
	return err;
}

static int write_entry(struct names *names, const struct tprof_entry *entry, FILE *out)
{
	const struct tprof_frame frame = { .symbol = entry->symbol, .object = entry->object };
	const struct tprof_frame *frames[] = { &frame };
	const struct tprof_call_stack stack = {
		.frames = frames, .nr_frames = 1, .comm = entry->comm, .pid = entry->pid,
	};

	return write_call_stack(names, &stack, out);
}

static int write_stacks(struct names *names, const struct tprof_profile *profile, FILE *out)
{
	size_t nr = profile->calls.nr ? profile->calls.nr : profile->nr;
	int err = 0;

	fputs("\"samples\":[", out);
	for (size_t i = 0; i < nr && !err; i++) {
		fputs(i ? "," : "", out);
		err = profile->calls.nr ? write_call_stack(names, &profile->calls.call_stacks[i]->call_stack, out) :
					  write_entry(names, &profile->entries[i]->entry, out);
	}
	return err;
}

/* Returns the sum of the weights. */
static uint64_t write_weights(const struct tprof_profile *profile, FILE *out)
{
	size_t nr = profile->calls.nr ? profile->calls.nr : profile->nr;
	uint64_t sum = 0;

	fputs("],\"weights\":[", out);
	for (size_t i = 0; i < nr; i++) {
		uint64_t weight = profile->calls.nr ? profile->calls.call_stacks[i]->call_stack.weight :
						      profile->entries[i]->entry.weight;

		fprintf(out, "%s%" PRIu64, i ? "," : "", weight);
		sum += weight;
	}
	return sum;
}

int export_speedscope(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts)
{
	const struct tprof_info *info = &profile->info;
	struct names names = { 0 };
	uint64_t sum;
	int err;

	(void)opts;
	fprintf(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"tprof %s\","
		"\"tprof\":", tprof_version());
	err = export_json_write(export_json_summary(profile), out);
	fprintf(out, ",\"activeProfileIndex\":0,\"profiles\":[{\"type\":\"sampled\",\"unit\":\"%s\",\"name\":",
		strcmp(info->unit, "ns") ? "none" : "nanoseconds");
	if (!err)
		err = write_string(info->event, out);
	fputc(',', out);
	if (!err)
		err = write_stacks(&names, profile, out);
	sum = write_weights(profile, out);
	fprintf(out, "],\"startValue\":0,\"endValue\":%" PRIu64 "}],", sum);
	if (!err)
		err = write_names(&names, out);
	fputs("\"name\":", out);
	if (!err)
		err = write_string(info->event, out);
	fputs("}\n", out);
	free_names(&names);
	return err;
}
