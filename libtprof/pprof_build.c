// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The pieces of a pprof file. All of one build live until its end; equal ones are found by hash. */
#include "pprof_build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gzip.h"
#include "pprof.h"
#include "pprof.pb-c.h"
#include "profile.h"
#include "utf8.h"

/* pid, comm, cgroup, cpu, mode */
#define MAX_LABELS 5

struct string {
	struct hash_node node;
	int64_t id;
	size_t length;
	char text[];
};

struct mapping {
	struct hash_node node;
	enum tprof_mode mode;
	Pprof__Mapping message;
};

struct function {
	struct hash_node node;
	Pprof__Function message;
};

struct location {
	struct hash_node node;
	const struct tprof_frame *frame;
	Pprof__Location message;
	Pprof__Line line, *lines[1];
};

struct sample {
	Pprof__Sample message;
	int64_t values[2];
	Pprof__Label labels[MAX_LABELS], *pointers[MAX_LABELS];
	uint64_t locations[];
};

void *pprof_build_take(struct pprof_build *build, size_t bytes)
{
	struct pprof_block *block = calloc(1, sizeof(*block) + bytes);

	if (!block)
		return NULL;
	block->next = build->blocks;
	build->blocks = block;
	return block->bytes;
}

static int append(struct pprof_list *list, void *item)
{
	if (profile_make_room(&list->items, list->nr, &list->room))
		return -ENOMEM;
	list->items[list->nr++] = item;
	return 0;
}

/* To be found again by @node. */
static int append_under(struct pprof_list *list, void *item, struct hash_node *node, uint64_t key)
{
	return hash_add(&list->index, node, key) ? -ENOMEM : append(list, item);
}

static int64_t add_string(struct pprof_build *build, const char *text, uint64_t key)
{
	size_t length = strlen(text);
	struct string *made = pprof_build_take(build, sizeof(*made) + length + 1);

	if (!made)
		return -ENOMEM;
	made->id = (int64_t)build->strings.nr;
	made->length = length;
	memcpy(made->text, text, length + 1);
	return append_under(&build->strings, made, &made->node, key) ? -ENOMEM : made->id;
}

int64_t pprof_build_string(struct pprof_build *build, const char *text)
{
	uint64_t key = hash_text(text);
	struct hash_node *node;

	for (node = hash_find(&build->strings.index, key); node; node = hash_find_next(node)) {
		struct string *known = (struct string *)node;

		if (strcmp(known->text, text) == 0)
			return known->id;
	}
	return add_string(build, text, key);
}

/* Grows it until the address is within, by the rules of pprof.h. */
static void stretch(Pprof__Mapping *mapping, uint64_t address, enum tprof_mode mode)
{
	uint64_t limit = address == UINT64_MAX ? address : address + 1;

	if (mode == TPROF_MODE_KERNEL && address < mapping->start)
		mapping->start = address > PPROF_KERNEL_START ? address : PPROF_KERNEL_START;
	if (limit > mapping->limit)
		mapping->limit = limit;
}

static struct mapping *add_mapping(struct pprof_build *build, const Pprof__Mapping *message, enum tprof_mode mode,
				   uint64_t key)
{
	struct mapping *made = pprof_build_take(build, sizeof(*made));

	if (!made || append_under(&build->mappings, &made->message, &made->node, key))
		return NULL;
	made->mode = mode;
	made->message = *message;
	made->message.id = build->mappings.nr;
	made->message.has_functions = true;
	if (mode == TPROF_MODE_KERNEL)
		made->message.start = UINT64_MAX;
	return made;
}

/* The id of the object's mapping; 0, none, for a mark that has no object. */
static int64_t find_mapping(struct pprof_build *build, const struct tprof_frame *frame, const char *file)
{
	Pprof__Mapping message = PPROF__MAPPING__INIT;
	struct mapping *known = NULL;
	struct hash_node *node;
	uint64_t key;

	if (!file[0] && !frame->build_id[0] && frame->mode == TPROF_MODE_UNKNOWN)
		return 0;
	message.file = pprof_build_string(build, file);
	message.build_id = pprof_build_string(build, frame->build_id);
	if (message.file < 0 || message.build_id < 0)
		return -ENOMEM;
	key = profile_mix(profile_mix((uint64_t)message.file, (uint64_t)message.build_id), frame->mode);
	for (node = hash_find(&build->mappings.index, key); node; node = hash_find_next(node)) {
		known = (struct mapping *)node;
		if (known->message.file == message.file && known->message.build_id == message.build_id &&
		    known->mode == frame->mode)
			break;
	}
	known = node ? known : add_mapping(build, &message, frame->mode, key);
	if (!known)
		return -ENOMEM;
	if (frame->mode != TPROF_MODE_UNKNOWN)
		stretch(&known->message, frame->address, frame->mode);
	return (int64_t)known->message.id;
}

static int64_t find_function(struct pprof_build *build, const char *symbol, const char *file)
{
	int64_t name = pprof_build_string(build, symbol), place = pprof_build_string(build, file);
	uint64_t key = profile_mix((uint64_t)name, (uint64_t)place);
	struct function *made;
	struct hash_node *node;

	if (name < 0 || place < 0)
		return -ENOMEM;
	for (node = hash_find(&build->functions.index, key); node; node = hash_find_next(node)) {
		struct function *known = (struct function *)node;

		if (known->message.name == name && known->message.file == place)
			return (int64_t)known->message.id;
	}
	made = pprof_build_take(build, sizeof(*made));
	if (!made || append_under(&build->functions, &made->message, &made->node, key))
		return -ENOMEM;
	pprof__function__init(&made->message);
	made->message.id = build->functions.nr;
	/* No linkage name: readers would take the name for one that they may shorten, and templates would be one. */
	made->message.name = name;
	made->message.file = place;
	return (int64_t)made->message.id;
}

/* Whether the object and the path follow from what the mapping is called. */
static bool is_plain(const struct tprof_frame *frame, const char *file)
{
	return strcmp(frame->path, file[0] == '/' ? file : "") == 0 && strcmp(frame->object, pprof_object(file)) == 0;
}

static int64_t add_location(struct pprof_build *build, const struct tprof_frame *frame, uint64_t key)
{
	const char *file = frame->path[0] ? frame->path : frame->object, *object = "";
	struct location *made = pprof_build_take(build, sizeof(*made));
	int64_t mapping, function;

	if (!is_plain(frame, file)) {
		object = frame->object;
		file = frame->path;
	}
	mapping = find_mapping(build, frame, file);
	function = find_function(build, frame->symbol, object);
	if (!made || mapping < 0 || function < 0 || append_under(&build->locations, &made->message, &made->node, key))
		return -ENOMEM;
	made->frame = frame;
	pprof__location__init(&made->message);
	pprof__line__init(&made->line);
	made->line.function = (uint64_t)function;
	made->lines[0] = &made->line;
	made->message.id = build->locations.nr;
	made->message.mapping = (uint64_t)mapping;
	made->message.address = frame->address;
	made->message.line = made->lines;
	made->message.n_line = 1;
	return (int64_t)made->message.id;
}

/* A profile has each frame once, so its address stands for it. */
int64_t pprof_build_location(struct pprof_build *build, const struct tprof_frame *frame)
{
	uint64_t key = (uintptr_t)frame;
	struct hash_node *node = hash_find(&build->locations.index, key);

	return node ? (int64_t)((struct location *)node)->message.id : add_location(build, frame, key);
}

static Pprof__Label *add_label(struct pprof_build *build, struct sample *sample, const char *name)
{
	Pprof__Label *label = &sample->labels[sample->message.n_label];
	int64_t key = pprof_build_string(build, name);

	if (key < 0)
		return NULL;
	pprof__label__init(label);
	label->key = key;
	sample->pointers[sample->message.n_label++] = label;
	return label;
}

static int label_number(struct pprof_build *build, struct sample *sample, const char *name, int number)
{
	Pprof__Label *label = number < 0 ? NULL : add_label(build, sample, name);

	if (label)
		label->number = number;
	return label || number < 0 ? 0 : -ENOMEM;
}

static int label_text(struct pprof_build *build, struct sample *sample, const char *name, const char *text)
{
	Pprof__Label *label = text[0] ? add_label(build, sample, name) : NULL;

	if (!text[0])
		return 0;
	if (label)
		label->text = pprof_build_string(build, text);
	return label && label->text >= 0 ? 0 : -ENOMEM;
}

static int label_all(struct pprof_build *build, struct sample *sample, const struct tprof_chain *chain, int cpu,
		     int mode)
{
	if (label_number(build, sample, PPROF_LABEL_PID, chain->pid) ||
	    label_text(build, sample, PPROF_LABEL_COMM, chain->comm) ||
	    label_text(build, sample, PPROF_LABEL_CGROUP, chain->cgroup) ||
	    label_number(build, sample, PPROF_LABEL_CPU, cpu))
		return -ENOMEM;
	return mode < 0 ? 0 : label_text(build, sample, PPROF_LABEL_MODE, tprof_mode__name((enum tprof_mode)mode));
}

int pprof_build_sample(struct pprof_build *build, const struct tprof_chain *chain, int cpu, int mode)
{
	struct sample *made = pprof_build_take(build, sizeof(*made) + chain->nr_frames * sizeof(made->locations[0]));

	if (chain->samples > INT64_MAX || chain->weight > INT64_MAX)
		return -ERANGE;
	if (!made)
		return -ENOMEM;
	pprof__sample__init(&made->message);
	made->values[0] = (int64_t)chain->samples;
	made->values[1] = (int64_t)chain->weight;
	made->message.value = made->values;
	made->message.n_value = 2;
	made->message.label = made->pointers;
	made->message.location = made->locations;
	for (size_t i = 0; i < chain->nr_frames; i++) {
		int64_t location = pprof_build_location(build, chain->frames[i]);

		if (location < 0)
			return -ENOMEM;
		made->locations[made->message.n_location++] = (uint64_t)location;
	}
	return label_all(build, made, chain, cpu, mode) ? -ENOMEM : append(&build->samples, &made->message);
}

int pprof_build_comment(struct pprof_build *build, const char *text)
{
	int64_t id = pprof_build_string(build, text);

	return id < 0 ? -ENOMEM : append(&build->comments, build->strings.items[id]);
}

/* The format has UTF-8; names on this machine may be anything. */
static int put_strings(struct pprof_build *build, Pprof__Profile *message)
{
	ProtobufCBinaryData *strings = pprof_build_take(build, build->strings.nr * sizeof(*strings));
	int64_t *comments = pprof_build_take(build, build->comments.nr * sizeof(*comments));

	if (!strings || !comments)
		return -ENOMEM;
	for (size_t i = 0; i < build->strings.nr; i++) {
		struct string *string = build->strings.items[i];

		utf8_mend(string->text);
		strings[i] = (ProtobufCBinaryData){ string->length, (uint8_t *)string->text };
	}
	for (size_t i = 0; i < build->comments.nr; i++)
		comments[i] = ((struct string *)build->comments.items[i])->id;
	message->string = strings;
	message->n_string = build->strings.nr;
	message->comment = comments;
	message->n_comment = build->comments.nr;
	return 0;
}

static int write_message(const Pprof__Profile *message, FILE *out)
{
	size_t size = pprof__profile__get_packed_size(message);
	uint8_t *bytes = malloc(size);
	int err;

	if (!bytes)
		return -ENOMEM;
	pprof__profile__pack(message, bytes);
	err = gzip_write(bytes, size, out);
	free(bytes);
	return err;
}

int pprof_build_write(struct pprof_build *build, const struct tprof_profile *profile, FILE *out)
{
	const struct tprof_info *info = &profile->info;
	Pprof__Profile message = PPROF__PROFILE__INIT;
	Pprof__ValueType samples = PPROF__VALUE_TYPE__INIT, weight = PPROF__VALUE_TYPE__INIT,
			 period = PPROF__VALUE_TYPE__INIT, *types[] = { &samples, &weight };

	samples.name = pprof_build_string(build, "samples");
	samples.unit = pprof_build_string(build, "count");
	weight.name = message.default_type = pprof_build_string(build, "weight");
	weight.unit = period.unit = pprof_build_string(build, info->unit);
	period.name = pprof_build_string(build, info->event);
	if (samples.name < 0 || samples.unit < 0 || weight.name < 0 || weight.unit < 0 || period.name < 0 ||
	    put_strings(build, &message))
		return -ENOMEM;
	message.sample_type = types;
	message.n_sample_type = 2;
	message.sample = (Pprof__Sample **)build->samples.items;
	message.n_sample = build->samples.nr;
	message.mapping = (Pprof__Mapping **)build->mappings.items;
	message.n_mapping = build->mappings.nr;
	message.location = (Pprof__Location **)build->locations.items;
	message.n_location = build->locations.nr;
	message.function = (Pprof__Function **)build->functions.items;
	message.n_function = build->functions.nr;
	message.duration_ns = (int64_t)profile->duration_ns;
	message.period_type = &period;
	message.period = (int64_t)info->period;
	return write_message(&message, out);
}

static void list_fini(struct pprof_list *list)
{
	free(list->items);
	hash_fini(&list->index);
}

void pprof_build_fini(struct pprof_build *build)
{
	struct pprof_block *next;

	list_fini(&build->strings);
	list_fini(&build->mappings);
	list_fini(&build->functions);
	list_fini(&build->locations);
	list_fini(&build->samples);
	list_fini(&build->comments);
	for (struct pprof_block *block = build->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
}
