// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Builds the items of a pprof file. They live as long as the build; equal ones are found by hash. */
#include "pprof_build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/gzip.h"
#include "format/pprof.pb-c.h"
#include "pprof.h"
#include "profile/profile.h"

/* pid, comm, cgroup, owner, cpu, mode */
#define MAX_LABELS 6

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

/* A location: inlined functions, and the function that contains the code. */
struct location {
	struct hash_node node;
	Pprof__Location message;
	struct line {
		const struct tprof_frame *frame;
		Pprof__Line message, *pointer;
	} lines[];
};

struct sample {
	Pprof__Sample message;
	Pprof__Label labels[MAX_LABELS], *pointers[MAX_LABELS];
	uint64_t locations[];			/* then samples and weight of each event */
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
	if (array_grow_pointers(&list->items, list->nr, &list->capacity))
		return -ENOMEM;
	list->items[list->nr++] = item;
	return 0;
}

/* Appends an item that can be found by @node. */
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

/* Extends the mapping to include the address, by the rules of pprof.h. */
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

/* The id of the object's mapping; 0 for a mark that has no object. */
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
	key = hash_mix(hash_mix((uint64_t)message.file, (uint64_t)message.build_id), frame->mode);
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
	known->message.has_files |= frame->file[0] != '\0';
	known->message.has_lines |= frame->line != 0;
	return (int64_t)known->message.id;
}

static int64_t find_function(struct pprof_build *build, const struct tprof_frame *frame, const char *object)
{
	Pprof__Function message = PPROF__FUNCTION__INIT;
	struct function *made;
	struct hash_node *node;
	uint64_t key;

	/*
	 * Usually no linkage name: with one, readers assume that they may shorten the name, as they do for templates.
	 */
	message.name = pprof_build_string(build, frame->symbol);
	message.linkage_name = pprof_build_string(build, object);
	message.file = pprof_build_string(build, frame->file);
	message.start_line = frame->start_line;
	if (message.name < 0 || message.linkage_name < 0 || message.file < 0)
		return -ENOMEM;
	key = hash_mix(hash_mix((uint64_t)message.name, (uint64_t)message.linkage_name), (uint64_t)message.file);
	key = hash_mix(key, frame->start_line);
	for (node = hash_find(&build->functions.index, key); node; node = hash_find_next(node)) {
		const Pprof__Function *known = &((struct function *)node)->message;

		if (known->name == message.name && known->linkage_name == message.linkage_name &&
		    known->file == message.file && known->start_line == message.start_line)
			return (int64_t)known->id;
	}
	made = pprof_build_take(build, sizeof(*made));
	if (!made || append_under(&build->functions, &made->message, &made->node, key))
		return -ENOMEM;
	made->message = message;
	made->message.id = build->functions.nr;
	return (int64_t)made->message.id;
}

/* True if object and path follow from the mapping's name. */
static bool is_plain(const struct tprof_frame *frame, const char *file)
{
	return strcmp(frame->path, file[0] == '/' ? file : "") == 0 && strcmp(frame->object, pprof_object(file)) == 0;
}

static int add_line(struct pprof_build *build, const struct tprof_frame *frame, const char *object, struct line *line)
{
	int64_t function = find_function(build, frame, object);

	pprof__line__init(&line->message);
	line->frame = frame;
	line->message.function = (uint64_t)function;
	line->message.line = frame->line;
	line->pointer = &line->message;
	return function < 0 ? -ENOMEM : 0;
}

static int64_t add_location(struct pprof_build *build, const struct tprof_frame *const *frames, size_t nr, uint64_t key)
{
	const struct tprof_frame *code = frames[nr - 1];
	const char *file = code->path[0] ? code->path : code->object, *object = "";
	struct location *made = pprof_build_take(build, sizeof(*made) + nr * sizeof(made->lines[0]));
	Pprof__Line **lines = pprof_build_take(build, nr * sizeof(*lines));
	int64_t mapping;

	if (!is_plain(code, file)) {
		object = code->object;
		file = code->path;
	}
	mapping = find_mapping(build, code, file);
	if (!made || !lines || mapping < 0)
		return -ENOMEM;
	pprof__location__init(&made->message);
	for (size_t i = 0; i < nr; i++) {
		if (add_line(build, frames[i], object, &made->lines[i]))
			return -ENOMEM;
		lines[i] = &made->lines[i].message;
	}
	if (append_under(&build->locations, &made->message, &made->node, key))
		return -ENOMEM;
	made->message.id = build->locations.nr;
	made->message.mapping = (uint64_t)mapping;
	made->message.address = code->address;
	made->message.line = lines;
	made->message.n_line = nr;
	return (int64_t)made->message.id;
}

static bool is_location(const struct location *known, const struct tprof_frame *const *frames, size_t nr)
{
	for (size_t i = 0; i < nr && i < known->message.n_line; i++) {
		if (known->lines[i].frame != frames[i])
			return false;
	}
	return known->message.n_line == nr;
}

/* A profile stores each frame once, so its address identifies it. */
static int64_t find_location(struct pprof_build *build, const struct tprof_frame *const *frames, size_t nr)
{
	struct hash_node *node;
	uint64_t key = nr;

	for (size_t i = 0; i < nr; i++)
		key = hash_mix(key, (uintptr_t)frames[i]);
	for (node = hash_find(&build->locations.index, key); node; node = hash_find_next(node)) {
		if (is_location((struct location *)node, frames, nr))
			return (int64_t)((struct location *)node)->message.id;
	}
	return add_location(build, frames, nr, key);
}

/* The number of frames at one address: the inlined functions and the function that contains the code. */
static size_t count_lines(const struct tprof_frame *const *frames, size_t nr)
{
	size_t lines = 1;

	while (lines < nr && frames[lines - 1]->inlined && frames[lines]->address == frames[0]->address &&
	       frames[lines]->path == frames[0]->path && frames[lines]->object == frames[0]->object)
		lines++;
	return lines;
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

static int label_all(struct pprof_build *build, struct sample *sample, const struct tprof_call_stack *stack, int cpu,
		     int mode)
{
	if (label_number(build, sample, PPROF_LABEL_PID, stack->pid) ||
	    label_text(build, sample, PPROF_LABEL_COMM, stack->comm) ||
	    label_text(build, sample, PPROF_LABEL_CGROUP, stack->cgroup) ||
	    label_text(build, sample, PPROF_LABEL_OWNER, stack->owner) ||
	    label_number(build, sample, PPROF_LABEL_CPU, cpu))
		return -ENOMEM;
	return mode < 0 ? 0 : label_text(build, sample, PPROF_LABEL_MODE, tprof_mode__name((enum tprof_mode)mode));
}

static bool fit(const struct pprof_values *values)
{
	for (size_t e = 0; e < values->nr; e++) {
		if (values->events[e].samples > INT64_MAX || values->events[e].weight > INT64_MAX)
			return false;
	}
	return true;
}

int pprof_build_sample(struct pprof_build *build, const struct tprof_call_stack *stack,
		       const struct pprof_values *values, int cpu, int mode)
{
	const size_t locations = stack->nr_frames * sizeof(uint64_t), bytes = 2 * values->nr * sizeof(int64_t);
	struct sample *made = pprof_build_take(build, sizeof(*made) + locations + bytes);

	if (!fit(values))
		return -ERANGE;
	if (!made)
		return -ENOMEM;
	pprof__sample__init(&made->message);
	made->message.value = (int64_t *)&made->locations[stack->nr_frames];
	made->message.n_value = 2 * values->nr;
	for (size_t e = 0; e < values->nr; e++) {
		made->message.value[2 * e] = (int64_t)values->events[e].samples;
		made->message.value[2 * e + 1] = (int64_t)values->events[e].weight;
	}
	made->message.label = made->pointers;
	made->message.location = made->locations;
	for (size_t i = 0, nr; i < stack->nr_frames; i += nr) {
		int64_t location;

		nr = count_lines(&stack->frames[i], stack->nr_frames - i);
		location = find_location(build, &stack->frames[i], nr);
		if (location < 0)
			return -ENOMEM;
		made->locations[made->message.n_location++] = (uint64_t)location;
	}
	return label_all(build, made, stack, cpu, mode) ? -ENOMEM : append(&build->samples, &made->message);
}

int pprof_build_comment(struct pprof_build *build, const char *text)
{
	int64_t id = pprof_build_string(build, text);

	return id < 0 ? -ENOMEM : append(&build->comments, build->strings.items[id]);
}

/* The format requires UTF-8; names on the machine may be any bytes. */
static int put_strings(struct pprof_build *build, Pprof__Profile *message)
{
	ProtobufCBinaryData *strings = pprof_build_take(build, build->strings.nr * sizeof(*strings));
	int64_t *comments = pprof_build_take(build, build->comments.nr * sizeof(*comments));

	if (!strings || !comments)
		return -ENOMEM;
	for (size_t i = 0; i < build->strings.nr; i++) {
		struct string *string = build->strings.items[i];

		tprof_text__mend(string->text);
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

/* The sample types: samples and weight of each event. Of several events, they are named by the event. */
struct types {
	Pprof__ValueType types[2 * TPROF_EVENTS_MAX], *pointers[2 * TPROF_EVENTS_MAX];
	size_t nr;
};

static int add_type(struct pprof_build *build, struct types *types, const char *name, const char *unit)
{
	Pprof__ValueType *type = &types->types[types->nr];

	pprof__value_type__init(type);
	type->name = pprof_build_string(build, name);
	type->unit = pprof_build_string(build, unit);
	types->pointers[types->nr++] = type;
	return type->name < 0 || type->unit < 0 ? -ENOMEM : 0;
}

static int add_types(struct pprof_build *build, struct types *types, const struct tprof_profile *profile)
{
	size_t nr = tprof_profile__nr_events(profile);
	int err = 0;

	for (size_t e = 0; e < nr && !err; e++) {
		const struct tprof_event_info *event = tprof_profile__event(profile, e);
		char *samples;

		if (asprintf(&samples, "%s" PPROF_SAMPLES_SUFFIX, event->event) < 0)
			return -ENOMEM;
		err = add_type(build, types, nr > 1 ? samples : "samples", "count");
		if (!err)
			err = add_type(build, types, nr > 1 ? event->event : "weight",
				       nr > 1 ? event->unit : profile->info.unit);
		free(samples);
	}
	return err;
}

int pprof_build_write(struct pprof_build *build, const struct tprof_profile *profile, FILE *out)
{
	const struct tprof_info *info = &profile->info;
	Pprof__Profile message = PPROF__PROFILE__INIT;
	Pprof__ValueType period = PPROF__VALUE_TYPE__INIT;
	struct types types = { .nr = 0 };

	if (add_types(build, &types, profile))
		return -ENOMEM;
	message.default_type = types.types[1].name;
	period.unit = types.types[1].unit;
	period.name = pprof_build_string(build, info->event);
	if (period.name < 0 || put_strings(build, &message))
		return -ENOMEM;
	message.sample_type = types.pointers;
	message.n_sample_type = types.nr;
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
