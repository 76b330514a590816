// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Parser for pprof files. protobuf-c unpacks the message into memory that is limited; ids and strings are validated
 * here.
 */
#include "pprof_parse.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/gzip.h"
#include "format/pprof.pb-c.h"
#include "pprof.h"

int pprof_damaged(const struct pprof_file *file, struct tprof_error *error, const char *how)
{
	return error_set(error, EBADMSG, "%s: damaged, or not a profile: %s", file->name, how);
}

static int no_memory(const struct pprof_file *file, struct tprof_error *error)
{
	return error_set(error, ENOMEM, "%s: not enough memory", file->name);
}

struct budget {
	size_t left;
	bool spent;
	bool no_memory;
};

/* Overhead of malloc() for one block. */
#define PIECE_BYTES 16

static void *spend(void *ctx, size_t size)
{
	struct budget *budget = ctx;
	void *piece;

	if (budget->left < PIECE_BYTES || size > budget->left - PIECE_BYTES) {
		budget->spent = true;
		return NULL;
	}
	budget->left -= size + PIECE_BYTES;
	piece = malloc(size ? size : 1);
	budget->no_memory |= !piece;
	return piece;
}

static void give_back(void *ctx, void *piece)
{
	(void)ctx;
	free(piece);
}

static int unpack(struct pprof_file *file, int fd, const struct file_head *head, struct tprof_error *error)
{
	struct budget budget = { .left = PPROF_MAX_MEMORY };
	ProtobufCAllocator allocator = { spend, give_back, &budget };
	struct gzip_bytes unpacked;
	int err = gzip_read(fd, head, file->name, PPROF_MAX_UNPACKED, &unpacked, error);

	if (err)
		return err;
	file->message = pprof__profile__unpack(&allocator, unpacked.size, unpacked.bytes);
	free(unpacked.bytes);
	if (file->message)
		return 0;
	if (budget.spent)
		return error_set(error, EFBIG, "%s: takes more than %zu MiB of memory, the limit", file->name,
				 PPROF_MAX_MEMORY >> 20);
	if (budget.no_memory)
		return no_memory(file, error);
	return pprof_damaged(file, error, "it is not a pprof message");
}

/* Copies all strings, NUL-terminated and made valid UTF-8. */
static int copy_strings(struct pprof_file *file, struct tprof_error *error)
{
	const Pprof__Profile *message = file->message;
	size_t bytes = 1;
	char *text;

	for (size_t i = 0; i < message->n_string; i++)
		bytes += message->string[i].len + 1;
	file->strings = calloc(message->n_string + 1, sizeof(*file->strings));
	file->text = text = malloc(bytes);
	if (!file->strings || !file->text)
		return no_memory(file, error);
	for (size_t i = 0; i < message->n_string; i++) {
		const ProtobufCBinaryData *string = &message->string[i];

		file->strings[i] = text;
		for (size_t c = 0; c < string->len; c++)
			*text++ = string->data[c] ? (char)string->data[c] : '?';
		*text++ = '\0';
		tprof_text__mend((char *)file->strings[i]);
	}
	if (!message->n_string || file->strings[0][0])
		return pprof_damaged(file, error, "the first string of its string table is not empty");
	return 0;
}

const char *pprof_string(const struct pprof_file *file, int64_t index)
{
	return index >= 0 && (uint64_t)index < file->message->n_string ? file->strings[index] : NULL;
}

static int compare_ids(const void *a, const void *b)
{
	const struct pprof_id *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* @id_at: offset of the id in a message, 64 bits wide in all kinds of messages that have one. */
static int sort_ids(struct pprof_file *file, struct pprof_ids *ids, void *messages, size_t nr, size_t id_at,
		    struct tprof_error *error)
{
	void **message = messages;

	ids->ids = calloc(nr + 1, sizeof(*ids->ids));
	if (!ids->ids)
		return no_memory(file, error);
	ids->nr = nr;
	for (size_t i = 0; i < nr; i++) {
		memcpy(&ids->ids[i].id, (const char *)message[i] + id_at, sizeof(ids->ids[i].id));
		ids->ids[i].index = i;
	}
	qsort(ids->ids, nr, sizeof(*ids->ids), compare_ids);
	for (size_t i = 0; i < nr; i++) {
		if (!ids->ids[i].id || (i && ids->ids[i].id == ids->ids[i - 1].id))
			return pprof_damaged(file, error, "an id is 0 or occurs twice");
	}
	return 0;
}

long pprof_find(const struct pprof_ids *ids, uint64_t id)
{
	const struct pprof_id key = { .id = id }, *found;

	/* Files usually number items from 1 on. */
	if (id && id <= ids->nr && ids->ids[id - 1].id == id)
		return (long)ids->ids[id - 1].index;
	found = bsearch(&key, ids->ids, ids->nr, sizeof(*ids->ids), compare_ids);
	return found ? (long)found->index : -1;
}

static int read_comments(struct pprof_file *file, struct tprof_error *error)
{
	const Pprof__Profile *message = file->message;
	struct tprof_error why = { 0 };
	int err = 0;

	for (size_t i = 0; i < message->n_comment && !err; i++) {
		const char *text = pprof_string(file, message->comment[i]);

		err = text ? pprof_comments_take(&file->described, text, &why) :
			     error_set(&why, EBADMSG, "damaged: a comment refers to a missing string");
	}
	if (!err && (file->described.all.seen || file->described.nr_events))
		err = pprof_comments_check(&file->described, &why);
	if (!err && file->described.nr_events && file->described.nr_events * 2 != message->n_sample_type)
		err = error_set(&why, EBADMSG, "damaged: its sample types are not those of its events");
	file->comments = file->described.all;
	file->nr_events = file->described.nr_events ? file->described.nr_events : 1;
	if (err) {
		error_set(error, -err, "%s: %s", file->name, why.text);
		error_hint(error, "%s", why.hint);
	}
	return err;
}

static bool is_count(const struct pprof_file *file, size_t at)
{
	const char *unit = pprof_string(file, file->message->sample_type[at]->unit);

	return unit && !strcmp(unit, "count");
}

/* True if the name means a count of samples: "samples", or "cycles_sample" if there are several events. */
static bool is_of_samples(const struct pprof_file *file, size_t at)
{
	const char *name = pprof_string(file, file->message->sample_type[at]->name), *word;

	if (!name)
		return false;
	word = strrchr(name, '_');
	word = word ? word + 1 : name;
	return !strcmp(word, "samples") || (!strcmp(word, "sample") && word != name);
}

bool pprof_is_ours(const struct pprof_file *file)
{
	return file->comments.version != 0;
}

static const char *value_name(const struct pprof_file *file, size_t at)
{
	const char *name = pprof_string(file, file->message->sample_type[at]->name);

	return name ? name : "";
}

/* The index of the last value of that name, or -1. */
static long find_value(const struct pprof_file *file, const char *name)
{
	for (size_t i = file->message->n_sample_type; i-- > 0;) {
		if (!strcmp(value_name(file, i), name))
			return (long)i;
	}
	return -1;
}

void pprof_other_values(const struct pprof_file *file, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < file->message->n_sample_type && length < size; i++) {
		if (i != file->weight_at)
			length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "",
						   value_name(file, i));
	}
}

/*
 * In tprof's own files, samples and weight of an event belong together, and both are shown: chooses the event of which
 * this value is the weight.
 */
static bool choose_event(struct pprof_file *file, size_t at)
{
	if (!file->described.nr_events)
		return at == file->weight_at;
	if (!(at % 2))
		return false;
	file->comments = file->described.events[at / 2];
	file->nr_events = 1;
	return true;
}

static int refuse_value(const struct pprof_file *file, const char *value, struct tprof_error *error)
{
	const struct pprof_described *described = &file->described;
	char names[256] = "";
	size_t length = 0;

	error_set(error, EINVAL, "%s: has no sample value named %s", file->name, value);
	for (size_t e = 0; e < described->nr_events && length < sizeof(names); e++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s", e ? ", " : "",
					   described->events[e].info.event);
	if (!described->nr_events && pprof_is_ours(file))
		snprintf(names, sizeof(names), "%s", file->comments.info.event);
	if (names[0]) {
		error_hint(error, "it has %s", names);
		return -EINVAL;
	}
	pprof_other_values(file, names, sizeof(names));
	error_hint(error, "it has %s%s%s", names, names[0] ? ", " : "", value_name(file, file->weight_at));
	return -EINVAL;
}

/* The only event of one of tprof's own files, by its name. */
static bool is_only_event(const struct pprof_file *file, const char *value)
{
	return pprof_is_ours(file) && !file->described.nr_events && !strcmp(file->comments.info.event, value);
}

/* Chooses the weight. */
static int choose_weight(struct pprof_file *file, const char *value, struct tprof_error *error)
{
	const Pprof__Profile *message = file->message;
	const char *usual = pprof_string(file, message->default_type);
	long at;

	file->weight_at = message->n_sample_type - 1;
	at = usual && usual[0] ? find_value(file, usual) : -1;
	if (at >= 0)
		file->weight_at = (size_t)at;
	if (file->described.nr_events)
		file->weight_at = 1;
	if (!value || is_only_event(file, value))
		return 0;
	at = find_value(file, value);
	if (at < 0 && value[0] == '-') {
		at = find_value(file, value + 1);
		file->negated = at >= 0;
	}
	if (at >= 0 && pprof_is_ours(file) && !choose_event(file, (size_t)at))
		at = -1;
	if (at < 0)
		return refuse_value(file, value, error);
	file->weight_at = (size_t)at;
	return 0;
}

/*
 * Chooses the values. The weight is the requested value, or the file's default, or else the last value. The samples are
 * the last count at or before the weight, because related values are adjacent. If the file has several values and the
 * weight is itself a count (of events), only a value named as samples is used.
 */
static int choose_values(struct pprof_file *file, const char *value, struct tprof_error *error)
{
	const Pprof__Profile *message = file->message;
	bool by_name;
	int err;

	if (!message->n_sample_type)
		return pprof_damaged(file, error, "it has no sample types");
	err = choose_weight(file, value, error);
	if (err)
		return err;
	if (file->described.nr_events) {
		file->samples_at = file->weight_at - 1;
		file->counted = true;
		return 0;
	}
	by_name = message->n_sample_type > 1 && is_count(file, file->weight_at);
	for (size_t i = 0; i <= file->weight_at; i++) {
		if (is_count(file, i) && (!by_name || is_of_samples(file, i))) {
			file->samples_at = i;
			file->counted = true;
		}
	}
	return 0;
}

int pprof_open(struct pprof_file *file, int fd, const struct file_head *head, const char *name, const char *value,
	       struct tprof_error *error)
{
	const Pprof__Profile *message;
	int err;

	*file = (struct pprof_file){ .name = name };
	err = unpack(file, fd, head, error);
	if (err)
		return err;
	message = file->message;
	err = copy_strings(file, error);
	if (!err)
		err = sort_ids(file, &file->mappings, message->mapping, message->n_mapping,
			       offsetof(Pprof__Mapping, id), error);
	if (!err)
		err = sort_ids(file, &file->locations, message->location, message->n_location,
			       offsetof(Pprof__Location, id), error);
	if (!err)
		err = sort_ids(file, &file->functions, message->function, message->n_function,
			       offsetof(Pprof__Function, id), error);
	if (!err)
		err = read_comments(file, error);
	return err ? err : choose_values(file, value, error);
}

void pprof_close(struct pprof_file *file)
{
	ProtobufCAllocator allocator = { spend, give_back, NULL };

	if (file->message)
		pprof__profile__free_unpacked(file->message, &allocator);
	free(file->strings);
	free(file->text);
	free(file->mappings.ids);
	free(file->locations.ids);
	free(file->functions.ids);
}

static int small_number(int64_t number)
{
	return number >= 0 && number <= INT_MAX ? (int)number : -1;
}

/* Unknown labels belong to other programs and are skipped. */
static int read_label(const struct pprof_file *file, const Pprof__Label *label, struct pprof_sample *sample)
{
	const char *key = pprof_string(file, label->key), *text = pprof_string(file, label->text);

	if (!key || !text)
		return -EBADMSG;
	if (!strcmp(key, PPROF_LABEL_PID))
		sample->pid = small_number(label->number);
	else if (!strcmp(key, PPROF_LABEL_CPU))
		sample->cpu = small_number(label->number);
	else if (!strcmp(key, PPROF_LABEL_COMM))
		sample->comm = text;
	else if (!strcmp(key, PPROF_LABEL_CGROUP))
		sample->cgroup = text;
	else if (!strcmp(key, PPROF_LABEL_OWNER))
		sample->owner = text;
	else if (!strcmp(key, PPROF_LABEL_MODE))
		sample->mode = text;
	return 0;
}

/* A value: its distance above or below 0. */
struct signed_value {
	uint64_t above, below;
};

static struct signed_value value_at(const struct pprof_file *file, const Pprof__Sample *message, size_t at)
{
	int64_t value = message->value[at];
	/* INT64_MIN has no positive counterpart. */
	uint64_t far = value < 0 ? -(uint64_t)value : (uint64_t)value;

	return (value < 0) == file->negated ? (struct signed_value){ .above = far } :
					      (struct signed_value){ .below = far };
}

int pprof_sample(const struct pprof_file *file, size_t index, struct pprof_sample *sample, struct tprof_error *error)
{
	const Pprof__Sample *message = file->message->sample[index];
	struct signed_value samples = { 0 }, weight;

	*sample = (struct pprof_sample){ .comm = "", .cgroup = "", .owner = "", .mode = "", .pid = -1, .cpu = -1 };
	if (message->n_value != file->message->n_sample_type)
		return pprof_damaged(file, error, "a sample does not have one value for each sample type");
	if (file->counted)
		samples = value_at(file, message, file->samples_at);
	weight = value_at(file, message, file->weight_at);
	sample->samples = weight.below ? 0 : samples.above;
	sample->weight = weight.above;
	sample->below = weight.below;
	sample->events[0] = (struct tprof_tally){ sample->samples, sample->weight };
	for (size_t e = 1; e < file->nr_events; e++) {
		const struct signed_value count = value_at(file, message, 2 * e);
		const struct signed_value more = value_at(file, message, 2 * e + 1);

		sample->events[e] = (struct tprof_tally){ count.above, more.above };
	}
	sample->locations = message->location;
	sample->nr_locations = message->n_location;
	for (size_t i = 0; i < message->n_label; i++) {
		if (read_label(file, message->label[i], sample))
			return pprof_damaged(file, error, "a label refers to a missing string");
	}
	return 0;
}
