// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Profiles from pprof files: tprof's own as they were written, others as far as they have the same information. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pprof_read.h"
#include "base/array.h"
#include "base/error.h"
#include "base/log.h"
#include "elf/demangle.h"
#include "format/pprof.pb-c.h"
#include "pprof.h"
#include "pprof_parse.h"
#include "profile/ledger.h"
#include "profile/profile.h"

/* Limit for all stacks together: a function with a million inlined functions occurs in each stack that contains it. */
#define MAX_FRAMES (UINT64_C(1) << 26)

/* The frames of a location: a range of reader.frames. */
struct place {
	size_t first, nr;
};

struct reader {
	struct pprof_file file;
	struct tprof_profile *profile;
	struct tprof_error *error;
	struct place *places;			/* by index of the location */
	const struct tprof_frame **frames;
	size_t nr_frames;
	const struct tprof_frame **stack;	/* scratch: frames of the current sample */
	size_t stack_capacity;
	uint64_t frames_taken;
	struct tprof_tally total[TPROF_EVENTS_MAX];
	uint64_t below;				/* sum of the negative weights, which are left out */
	struct log log;
};

static int damaged(const struct reader *reader, const char *how)
{
	return pprof_damaged(&reader->file, reader->error, how);
}

static int no_memory(const struct reader *reader)
{
	return error_set(reader->error, ENOMEM, "%s: not enough memory", reader->file.name);
}

/* Properties that frames take from their mapping. */
struct object {
	const char *file, *build_id;
	uint64_t start, offset;
	enum tprof_mode mode;
};

static bool is_ours(const struct reader *reader)
{
	return pprof_is_ours(&reader->file);
}

static enum tprof_mode mode_of(const struct reader *reader, const Pprof__Mapping *mapping, const char *file)
{
	if (mapping->start >= PPROF_KERNEL_START)
		return TPROF_MODE_KERNEL;
	if (is_ours(reader))
		return mapping->limit ? TPROF_MODE_USER : TPROF_MODE_UNKNOWN;
	if (!strncmp(file, "[kernel", strlen("[kernel")) || !strncmp(file, "[guest.kernel", strlen("[guest.kernel")))
		return TPROF_MODE_KERNEL;
	return TPROF_MODE_USER;
}

static int find_object(const struct reader *reader, const Pprof__Location *location, struct object *object)
{
	const Pprof__Profile *message = reader->file.message;
	const Pprof__Mapping *mapping;
	long at;

	*object = (struct object){ .file = "", .build_id = "" };
	if (!location->mapping) {
		if (!is_ours(reader))
			object->mode = location->address >= PPROF_KERNEL_START ? TPROF_MODE_KERNEL : TPROF_MODE_USER;
		return 0;
	}
	at = pprof_find(&reader->file.mappings, location->mapping);
	if (at < 0)
		return damaged(reader, "a location refers to a missing mapping");
	mapping = message->mapping[at];
	object->file = pprof_string(&reader->file, mapping->file);
	object->build_id = pprof_string(&reader->file, mapping->build_id);
	if (!object->file || !object->build_id)
		return damaged(reader, "a mapping refers to a missing string");
	object->start = mapping->start;
	object->offset = mapping->offset;
	object->mode = mode_of(reader, mapping, object->file);
	return 0;
}

/* The file offset, if the mapping is a file. */
static uint64_t place_in(const struct object *object, uint64_t address)
{
	if (object->file[0] != '/' || address < object->start)
		return address;
	return address - object->start + object->offset;
}

static int keep_frame(struct reader *reader, struct tprof_frame *frame, const struct object *object)
{
	const char *bare = frame->object[0] ? frame->object : "unknown";
	size_t length = strlen(bare);
	char symbol[512];
	const struct tprof_frame **kept = &reader->frames[reader->nr_frames];

	if (!frame->symbol[0]) {
		bool bracketed = bare[0] == '[' && bare[length - 1] == ']';

		snprintf(symbol, sizeof(symbol), "%s%.*s+0x%" PRIx64 "]", bracketed ? "" : "[",
			 (int)(bracketed ? length - 1 : length), bare, frame->address);
		frame->symbol = symbol;
	}
	frame->build_id = object->build_id;
	frame->mode = object->mode;
	*kept = profile_keep_frame(reader->profile, frame);
	reader->nr_frames++;
	return *kept ? 0 : no_memory(reader);
}

/* Other programs may write any number. */
static unsigned int line_number(int64_t line)
{
	return line > 0 && line <= INT32_MAX ? (unsigned int)line : 0;
}

/* Demangles the name if the program did not: then name and linkage name are equal, or the latter is empty. */
static const char *readable(const char *name, const char *linkage_name, char *text, size_t size)
{
	if (linkage_name[0] && strcmp(linkage_name, name) != 0)
		return name;
	return demangle(name, text, size) ? text : name;
}

/* Makes the frame of one line of a location. tprof's own functions may name their object themselves. */
static int read_line(struct reader *reader, const Pprof__Location *location, size_t index, const struct object *object)
{
	struct tprof_frame frame = {
		.address = place_in(object, location->address), .inlined = index + 1 < location->n_line,
	};
	const Pprof__Line *line = location->line[index];
	long at = pprof_find(&reader->file.functions, line->function);
	const Pprof__Function *function = at < 0 ? NULL : reader->file.message->function[at];
	const char *own_object = function ? pprof_string(&reader->file, function->linkage_name) : NULL;
	char text[4 * DEMANGLE_MAX_INPUT];

	frame.symbol = function ? pprof_string(&reader->file, function->name) : NULL;
	frame.file = function ? pprof_string(&reader->file, function->file) : NULL;
	if (!frame.symbol || !frame.file || !own_object)
		return damaged(reader, "a location refers to a missing function or name");
	if (!is_ours(reader))
		frame.symbol = readable(frame.symbol, own_object, text, sizeof(text));
	frame.line = line_number(line->line);
	frame.start_line = line_number(function->start_line);
	frame.object = pprof_object(object->file);
	frame.path = object->file[0] == '/' ? object->file : "";
	if (is_ours(reader) && own_object[0]) {
		frame.object = own_object;
		frame.path = object->file;
	}
	return keep_frame(reader, &frame, object);
}

static int read_location(struct reader *reader, const Pprof__Location *location, struct place *place)
{
	struct object object;
	int err = find_object(reader, location, &object);

	place->first = reader->nr_frames;
	for (size_t i = 0; i < location->n_line && !err; i++)
		err = read_line(reader, location, i, &object);
	if (!err && !location->n_line) {
		struct tprof_frame frame = {
			.symbol = "",
			.object = pprof_object(object.file),
			.path = object.file[0] == '/' ? object.file : "",
			.address = place_in(&object, location->address),
		};

		err = keep_frame(reader, &frame, &object);
	}
	place->nr = reader->nr_frames - place->first;
	return err;
}

static int read_locations(struct reader *reader)
{
	const Pprof__Profile *message = reader->file.message;
	size_t nr_frames = 0;
	int err = 0;

	for (size_t i = 0; i < message->n_location; i++)
		nr_frames += message->location[i]->n_line ? message->location[i]->n_line : 1;
	reader->places = calloc(message->n_location + 1, sizeof(*reader->places));
	reader->frames = calloc(nr_frames + 1, sizeof(*reader->frames));
	if (!reader->places || !reader->frames)
		return no_memory(reader);
	for (size_t i = 0; i < message->n_location && !err; i++)
		err = read_location(reader, message->location[i], &reader->places[i]);
	return err;
}

static int append_place(struct reader *reader, struct tprof_call_stack *stack, const struct place *place)
{
	void *larger;

	if (place->nr > MAX_FRAMES - reader->frames_taken)
		return error_set(reader->error, EFBIG, "%s: its call stacks have more than %" PRIu64 " frames",
				 reader->file.name, MAX_FRAMES);
	reader->frames_taken += place->nr;
	larger = array_reserve(reader->stack, stack->nr_frames + place->nr, &reader->stack_capacity,
			       sizeof(*reader->stack));
	if (!larger)
		return no_memory(reader);
	reader->stack = larger;
	memcpy(&reader->stack[stack->nr_frames], &reader->frames[place->first], place->nr * sizeof(*reader->stack));
	stack->nr_frames += place->nr;
	return 0;
}

static int find_frames(struct reader *reader, const struct pprof_sample *sample, struct tprof_call_stack *stack)
{
	int err = 0;

	for (size_t i = 0; i < sample->nr_locations && !err; i++) {
		long at = pprof_find(&reader->file.locations, sample->locations[i]);

		err = at < 0 ? damaged(reader, "a sample refers to a missing location") :
			       append_place(reader, stack, &reader->places[at]);
	}
	stack->frames = reader->stack;
	return err;
}

/* Parses the name of a mode; without a name, the mode of the leaf. */
static enum tprof_mode entry_mode(const char *name, const struct tprof_frame *leaf)
{
	for (int mode = TPROF_MODE_UNKNOWN; name[0] && mode <= TPROF_MODE_IDLE; mode++) {
		if (!strcmp(tprof_mode__name((enum tprof_mode)mode), name))
			return (enum tprof_mode)mode;
	}
	return leaf->mode;
}

static int add_up(struct reader *reader, const struct pprof_sample *sample)
{
	for (size_t e = 0; e < reader->file.nr_events; e++) {
		uint64_t samples = reader->total[e].samples, weight = reader->total[e].weight;

		if (__builtin_add_overflow(samples, sample->events[e].samples, &samples) ||
		    __builtin_add_overflow(weight, sample->events[e].weight, &weight))
			return damaged(reader, "the sum of its samples overflows 64 bits");
		reader->total[e] = (struct tprof_tally){ samples, weight };
	}
	if (__builtin_add_overflow(reader->below, sample->below, &reader->below))
		return damaged(reader, "the sum of its samples overflows 64 bits");
	return 0;
}

static int keep_value(struct reader *reader, struct tprof_entry *entry, struct tprof_call_stack *stack,
		      const struct tprof_tally *value, size_t event)
{
	entry->samples = stack->samples = value->samples;
	entry->weight = stack->weight = value->weight;
	if (!value->samples && !value->weight)
		return 0;
	if (profile_add_of(reader->profile, entry, event))
		return no_memory(reader);
	if (is_ours(reader) && !reader->file.comments.stacks)
		return 0;
	return profile_add_call_stack_of(reader->profile, stack, event) ? no_memory(reader) : 0;
}

static int read_sample(struct reader *reader, size_t index)
{
	static const struct tprof_frame no_stack = { .symbol = "[no stack]", .object = "", .path = "", .build_id = "" };
	const struct tprof_frame *mark = &no_stack;
	struct pprof_sample sample;
	int err = pprof_sample(&reader->file, index, &sample, reader->error);
	struct tprof_call_stack stack = { .comm = sample.comm, .cgroup = sample.cgroup, .owner = sample.owner,
					  .pid = sample.pid };
	struct tprof_entry entry = { .comm = sample.comm, .cgroup = sample.cgroup, .owner = sample.owner,
				     .pid = sample.pid, .cpu = sample.cpu };

	if (!err)
		err = add_up(reader, &sample);
	if (!err)
		err = find_frames(reader, &sample, &stack);
	if (err)
		return err;
	if (!stack.nr_frames) {
		stack.frames = &mark;
		stack.nr_frames = 1;
	}
	profile_set_place(&entry, stack.frames[0]);
	entry.mode = entry_mode(sample.mode, stack.frames[0]);
	for (size_t e = 0; e < reader->file.nr_events && !err; e++)
		err = keep_value(reader, &entry, &stack, &sample.events[e], e);
	return err;
}

/* "bytes; other values: alloc_objects, alloc_space; 200 below 0 are left out: --value -inuse_space shows them" */
static void describe_value(const struct reader *reader, const char *value, const char *unit, char *text, size_t size)
{
	char others[512];
	size_t length = (size_t)snprintf(text, size, "%s", unit);

	pprof_other_values(&reader->file, others, sizeof(others));
	if (others[0] && !is_ours(reader) && length < size)
		length += (size_t)snprintf(text + length, size - length, "%sother values: %s", length ? "; " : "",
					   others);
	if (reader->file.negated && length < size)
		length += (size_t)snprintf(text + length, size - length, "%sthe values below 0", length ? "; " : "");
	else if (reader->below && length < size)
		snprintf(text + length, size - length, "%s%" PRIu64 " below 0 are left out: --value -%s shows them",
			 length ? "; " : "", reader->below, value);
}

/* The ledger of samples of which nothing else is known. */
static void set_counted(struct tprof_ledger *ledger, const struct tprof_tally *total)
{
	*ledger = (struct tprof_ledger){ .sz = sizeof(*ledger), .counter = (double)total->samples };
	ledger->fired = ledger->outcomes[TPROF_OUTCOME_DONE] = *total;
	ledger->countings[TPROF_COUNTING_AGGREGATED] = *total;
}

/*
 * For a file without a ledger, or with a ledger that does not match its samples: takes event and unit from the values,
 * and counts all samples as aggregated. For tprof's own files, the event is in the period type.
 */
static int describe(struct reader *reader, struct tprof_info *info, struct tprof_ledger *ledger, char *text,
		    size_t size)
{
	const Pprof__Profile *message = reader->file.message;
	const Pprof__ValueType *weight = message->sample_type[reader->file.weight_at];
	const char *unit = pprof_string(&reader->file, weight->unit), *period_unit = NULL, *name;

	*info = (struct tprof_info){ .engine = "unknown" };
	*ledger = (struct tprof_ledger){ 0 };
	name = pprof_string(&reader->file, weight->name);
	info->event = is_ours(reader) && message->period_type && !reader->file.described.nr_events ?
		      pprof_string(&reader->file, message->period_type->name) : name;
	if (!info->event || !unit || !name)
		return damaged(reader, "a sample type refers to a missing string");
	if (!info->event[0])
		info->event = "unknown";
	info->unit = strcmp(unit, "nanoseconds") ? unit : "ns";
	describe_value(reader, name, info->unit, text, size);
	info->fallback = text[0] ? text : NULL;
	/* A period of another unit than the weight does not apply. */
	if (message->period_type)
		period_unit = pprof_string(&reader->file, message->period_type->unit);
	info->period = message->period > 0 && period_unit && !strcmp(period_unit, unit) ? (uint64_t)message->period : 0;
	set_counted(ledger, &reader->total[0]);
	return 0;
}

static bool same_total(const struct tprof_tally *a, const struct tprof_tally *b)
{
	return a->samples == b->samples && a->weight == b->weight;
}

/* True if the ledger matches the samples. It does not after files were merged or samples were removed. */
static bool has_ledger(const struct reader *reader)
{
	const struct pprof_comments *comments = &reader->file.comments;
	bool same = is_ours(reader) && !comments->several && !reader->below && !reader->file.negated &&
		    same_total(&reader->total[0], &comments->total);

	for (size_t e = 1; e < reader->file.nr_events; e++)
		same &= same_total(&reader->total[e], &reader->file.described.events[e].total);
	return same;
}

static int set_events(struct reader *reader)
{
	struct tprof_event_info events[TPROF_EVENTS_MAX];

	for (size_t e = 0; e < reader->file.nr_events; e++) {
		const struct tprof_info *info = &reader->file.described.events[e].info;

		events[e] = (struct tprof_event_info){
			.event = info->event, .unit = info->unit, .rate_hz = info->rate_hz, .period = info->period,
		};
	}
	return profile_set_events(reader->profile, events, reader->file.nr_events) ? no_memory(reader) : 0;
}

/* The ledger of each of several events. Without the ledger of the file, its samples are all that is known. */
static void set_ledgers(struct reader *reader, struct tprof_ledger *sum)
{
	struct tprof_profile *profile = reader->profile;

	if (!profile->events)
		return;
	if (!has_ledger(reader))
		*sum = (struct tprof_ledger){ .sz = sizeof(*sum) };
	for (size_t e = 0; e < profile->nr_events; e++) {
		struct tprof_ledger *ledger = &profile->events[e].ledger;

		if (has_ledger(reader)) {
			*ledger = reader->file.described.events[e].ledger;
			ledger->sz = sizeof(*ledger);
			continue;
		}
		set_counted(ledger, &reader->total[e]);
		ledger_add(sum, ledger);
	}
}

static int finish(struct reader *reader)
{
	const struct pprof_comments *comments = &reader->file.comments;
	char text[1024] = "";
	struct tprof_info info = comments->info;
	struct tprof_ledger ledger = comments->ledger;
	int64_t duration = reader->file.message->duration_ns;
	int err = 0;

	if (!has_ledger(reader))
		err = describe(reader, &info, &ledger, text, sizeof(text));
	if (!err && is_ours(reader) && !has_ledger(reader))
		log_warn(&reader->log, "%s: its ledger is ignored, because its samples are not those that tprof wrote: "
			 "pprof may have merged or filtered them; `tprof merge` keeps the ledger", reader->file.name);
	if (err)
		return err;
	set_ledgers(reader, &ledger);
	ledger.sz = sizeof(ledger);
	info.sz = sizeof(info);
	reader->profile->ledger = ledger;
	reader->profile->duration_ns = duration > 0 ? (uint64_t)duration : 0;
	if (profile_set_info(reader->profile, &info))
		return no_memory(reader);
	profile_finish(reader->profile);
	return 0;
}

/* A general hint for errors that have none. */
static const char *hint_for(int err)
{
	switch (err) {
	case -EBADMSG:
		return "record or copy the file again; tprof reads files of tprof record and of pprof";
	case -EFBIG:
		return "record for a shorter time, or fewer processes";
	case -ENOMEM:
		return "read it on a machine with more memory";
	default:
		return "give a file that can be read";
	}
}

struct tprof_profile *pprof_profile_read(int fd, const struct file_head *head, const char *name,
					 const struct tprof_read_opts *opts, struct tprof_error *error)
{
	struct reader reader = { .profile = profile_new(), .error = error, .log = { opts->log, opts->log_ctx } };
	int err = pprof_open(&reader.file, fd, head, name, opts->value, error);

	if (!err && !reader.profile)
		err = no_memory(&reader);
	if (!err && reader.file.nr_events > 1)
		err = set_events(&reader);
	if (!err)
		err = read_locations(&reader);
	for (size_t i = 0; !err && i < reader.file.message->n_sample; i++)
		err = read_sample(&reader, i);
	if (!err)
		err = finish(&reader);
	free(reader.places);
	free(reader.frames);
	free(reader.stack);
	pprof_close(&reader.file);
	if (!err)
		return reader.profile;
	tprof_profile__free(reader.profile);
	if (error && !error->hint[0])
		error_hint(error, "%s", hint_for(err));
	errno = -err;
	return NULL;
}
