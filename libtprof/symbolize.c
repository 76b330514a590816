// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * From an address to a name.
 *
 * Answers are remembered until the next age only: a process may map another file at the same address, and
 * nobody says so. Finding the hot addresses again, once a second, costs less than knowing which answers still
 * hold.
 */
#include "symbolize.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "intern.h"
#include "kernel_build_id.h"
#include "kprograms.h"
#include "ksyms.h"
#include "late_names.h"
#include "perfmaps.h"

#define VSYSCALL_PAGE 0xffffffffff600000
#define VSYSCALL_BYTES 1024		/* for each call */
#define PAGE_MASK 0xfffffffffffff000

/*
 * Answers beyond that are forgotten within an age, too: 18 MiB, and more where functions are inlined. A stranger makes
 * as many as the tables of stacks have frames, if all of these differ.
 */
#define ANSWERS_MAX 131072

/* Strings are forgotten when they take as much and twice as much as what was left the last time. */
#define MIN_STRINGS_BYTES (256U << 10)

/* What there is to know of an address. */
struct place {
	struct tprof_frame frame;	/* of the function that has the code */
	uint64_t delta;			/* from the start of it */
	struct tprof_frame inlined[ELF_PLACES_MAX];	/* what is inlined there, the innermost first */
	size_t nr_inlined;
	const char *memory;		/* the frame is one that goes by a text for now; else NULL */
};

struct answer {
	struct hash_node node;		/* by all four */
	pid_t tgid;			/* 0: kernel */
	uint32_t exec_id;
	uint64_t ip;
	enum frame_kind kind;
	uint64_t delta;
	const char *memory;		/* as of the place */
	size_t nr;
	struct tprof_frame frames[];
};

struct symbolizer {
	struct aspaces *aspaces;
	struct ksyms *ksyms;
	struct perfmaps *perfmaps;
	struct late_names late;
	struct kprograms programs;
	struct kernel_build_ids build_ids;
	struct intern *strings;		/* of answers, and of names that came late */
	size_t max_strings_bytes;
	struct hash answers;
	bool lines, inlines;
	struct place place;		/* of the address at hand */
};

static void note_jit(void *ctx, pid_t tgid)
{
	const struct symbolizer *symbolizer = ctx;

	perfmaps_meet(symbolizer->perfmaps, tgid);
}

struct symbolizer *symbolizer_new(struct aspaces *aspaces, const struct log *log)
{
	struct symbolizer *symbolizer = calloc(1, sizeof(*symbolizer));

	if (!symbolizer)
		return NULL;
	symbolizer->aspaces = aspaces;
	symbolizer->ksyms = ksyms_new(log);
	symbolizer->perfmaps = perfmaps_new(log);
	symbolizer->strings = intern_new();
	symbolizer->max_strings_bytes = MIN_STRINGS_BYTES;
	if (!symbolizer->ksyms || !symbolizer->perfmaps || !symbolizer->strings) {
		symbolizer_free(symbolizer);
		return NULL;
	}
	aspaces_watch_jit(aspaces, note_jit, symbolizer);
	return symbolizer;
}

static bool free_answer(void *ctx, struct hash_node *node)
{
	(void)ctx;
	free(node);
	return false;
}

static void forget_answers(struct symbolizer *symbolizer)
{
	hash_filter(&symbolizer->answers, free_answer, NULL);
	hash_fini(&symbolizer->answers);
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	forget_answers(symbolizer);
	kernel_build_ids_age(&symbolizer->build_ids);
	kprograms_fini(&symbolizer->programs);
	ksyms_free(symbolizer->ksyms);
	late_names_forget(&symbolizer->late);
	perfmaps_free(symbolizer->perfmaps);
	intern_free(symbolizer->strings);
	free(symbolizer);
}

void symbolizer_use_broker(struct symbolizer *symbolizer, struct broker *broker)
{
	perfmaps_use_broker(symbolizer->perfmaps, broker);
}

void symbolizer_want(struct symbolizer *symbolizer, bool lines, bool inlines)
{
	symbolizer->lines = lines;
	symbolizer->inlines = inlines;
}

static bool is_vsyscall(uint64_t ip)
{
#ifdef __x86_64__
	return (ip & PAGE_MASK) == VSYSCALL_PAGE;
#else
	(void)ip;
	return false;
#endif
}

bool ip_is_kernel(uint64_t ip)
{
	return ip >> 63 && !is_vsyscall(ip);
}

static int intern_symbol(struct symbolizer *symbolizer, const char *name, const char *object, struct place *place)
{
	place->frame.symbol = intern_name(symbolizer->strings, name);
	place->frame.object = intern_name(symbolizer->strings, object);
	return place->frame.symbol && place->frame.object ? 0 : -ENOMEM;
}

static int resolve_kernel(struct symbolizer *symbolizer, uint64_t ip, struct place *place)
{
	const char *name, *object;
	int err;

	place->frame.mode = TPROF_MODE_KERNEL;
	switch (kprograms_find(&symbolizer->programs, ip, &name, &place->delta)) {
	case KPROGRAMS_FOUND:
		return intern_symbol(symbolizer, name, "[bpf]", place);
	case KPROGRAMS_SEVERAL:
		place->frame.symbol = "[BPF programs]";
		place->frame.object = "[bpf]";
		return 0;
	case KPROGRAMS_NONE:
		break;
	}
	if (!ksyms_find(symbolizer->ksyms, ip, &name, &object, &place->delta)) {
		place->frame.symbol = "[unknown kernel function]";
		place->frame.object = "[kernel]";
		return 0;
	}
	err = intern_symbol(symbolizer, name, object, place);
	if (err)
		return err;
	place->frame.build_id = intern_string(symbolizer->strings, kernel_build_id(&symbolizer->build_ids, object));
	return place->frame.build_id ? 0 : -ENOMEM;
}

/*
 * "[object+0xoffset]", of the function's start if that is known, so that all of one have the same name; one pair of
 * brackets is enough.
 */
static int name_by_offset(struct symbolizer *symbolizer, const char *object, uint64_t offset, struct place *place)
{
	char name[320];
	int length = (int)strlen(object);

	if (place->delta > offset)
		place->delta = 0;
	offset -= place->delta;
	if (object[0] == '[' && object[length - 1] == ']')
		snprintf(name, sizeof(name), "%.*s+0x%" PRIx64 "]", length - 1, object, offset);
	else
		snprintf(name, sizeof(name), "[%s+0x%" PRIx64 "]", object, offset);
	return intern_symbol(symbolizer, name, object, place);
}

/* x86-64's page of system calls for old programs, which is the same on every machine and in no file. */
static int resolve_vsyscall(struct symbolizer *symbolizer, uint64_t ip, struct place *place)
{
	static const char *const calls[] = { "gettimeofday", "time", "getcpu" };
	uint64_t offset = ip - VSYSCALL_PAGE;

	place->frame.mode = TPROF_MODE_USER;
	place->frame.address = 0;
	place->delta = offset % VSYSCALL_BYTES;
	if (offset / VSYSCALL_BYTES >= sizeof(calls) / sizeof(*calls))
		return name_by_offset(symbolizer, "[vsyscall]", offset, place);
	return intern_symbol(symbolizer, calls[offset / VSYSCALL_BYTES], "[vsyscall]", place);
}

/* A byte of a file is the same in every process. Before the symbols are read, which may close the file. */
static void describe_file(struct dso *dso, uint64_t offset, struct tprof_frame *frame)
{
	if (!dso_is_file(dso))
		return;
	frame->path = dso_path(dso);
	frame->build_id = dso_build_id(dso);
	frame->address = offset;
}

static void set_lines(const struct symbolizer *symbolizer, const struct elf_place *in, struct tprof_frame *frame)
{
	if (!symbolizer->lines)
		return;
	frame->file = in->file ? in->file : "";
	frame->line = in->line;
	frame->start_line = in->start_line;
}

/* Where in the source that is, as far as it is wanted. The function that has the code has its name already. */
static int describe_source(struct symbolizer *symbolizer, struct dso *dso, uint64_t offset, struct place *place)
{
	const struct elf_place *places;
	size_t nr = symbolizer->lines || symbolizer->inlines ? dso_places(dso, offset, &places) : 0;

	if (!nr)
		return 0;
	set_lines(symbolizer, &places[nr - 1], &place->frame);
	for (size_t i = 0; i + 1 < nr && symbolizer->inlines; i++) {
		struct tprof_frame *frame = &place->inlined[i];

		*frame = place->frame;
		frame->inlined = true;
		frame->symbol = intern_name(symbolizer->strings, places[i].function);
		if (!frame->symbol)
			return -ENOMEM;
		set_lines(symbolizer, &places[i], frame);
		place->nr_inlined++;
	}
	return 0;
}

/* In a file, or in what is none but has a name. */
static int resolve_in_dso(struct symbolizer *symbolizer, struct dso *dso, uint64_t offset, struct place *place)
{
	const char *name;

	describe_file(dso, offset, &place->frame);
	if (!dso_symbol(dso, offset, &name, &place->delta))
		return name_by_offset(symbolizer, dso_name(dso), offset, place);
	place->frame.symbol = name;
	place->frame.object = dso_name(dso);
	return describe_source(symbolizer, dso, offset, place);
}

/*
 * Where no file is mapped may be the code of one that was moved there, maybe a moment ago, in which case it was the
 * same before. Returns 1 if it is not.
 */
static int resolve_moved(struct symbolizer *symbolizer, pid_t tgid, uint64_t ip, struct place *place)
{
	uint64_t offset;
	struct dso *moved;

	if (!aspaces_find_moved(symbolizer->aspaces, tgid, ip, &moved, &offset))
		return 1;
	return resolve_in_dso(symbolizer, moved, offset, place);
}

/* What the side-band knows of the process whose map is asked. */
static struct perfmaps_life life_of(const struct aspace_program *program)
{
	return (struct perfmaps_life){ .exec_ns = program->exec_ns, .end_ns = program->end_ns };
}

/* By its perf-PID.map. Where that may be told later, the place goes by a text of its own until then. */
static enum perfmaps_answer resolve_jit(struct symbolizer *symbolizer, pid_t tgid, uint64_t ip,
					const struct aspace_program *program, struct place *place, const char **name)
{
	struct perfmaps_life life = life_of(program);

	if (program->had_another)
		return PERFMAPS_UNSURE;
	return perfmaps_find(symbolizer->perfmaps, tgid, &life, ip, name, &place->delta);
}

/* Memory without a file, of which the map says nothing sure. */
static int resolve_anonymous(struct symbolizer *symbolizer, pid_t tgid, uint64_t ip, const char *name,
			     enum perfmaps_answer answer, struct place *place)
{
	struct perfmaps_moment moment = perfmaps_moment(symbolizer->perfmaps, tgid);
	int moved = resolve_moved(symbolizer, tgid, ip, place);
	const char *text = NULL, *memory;

	if (moved <= 0)
		return moved;
	/* It may have to wait longer for a name than the memory is mapped. */
	memory = intern_name(symbolizer->strings, name);
	if (!memory)
		return -ENOMEM;
	if (answer == PERFMAPS_NONE)
		text = late_names_add(&symbolizer->late, tgid, ip, &moment, memory);
	/* Its addresses mean nothing to anybody, and there is no end of them. */
	if (!text) {
		place->frame.address = 0;
		place->frame.symbol = place->frame.object = memory;
		return 0;
	}
	place->memory = memory;
	place->frame.symbol = text;
	place->frame.object = "[jit]";
	return 0;
}

/* Nobody tells of mremap(): JIT code that was moved is where nothing is mapped, as far as we know. */
static int resolve_unmapped(struct symbolizer *symbolizer, pid_t tgid, uint64_t ip, struct place *place)
{
	const struct aspace_program program = aspaces_program(symbolizer->aspaces, tgid, ip);
	const char *name;
	int moved;

	if (program.is_moved && resolve_jit(symbolizer, tgid, ip, &program, place, &name) == PERFMAPS_FOUND)
		return intern_symbol(symbolizer, name, "[jit]", place);
	moved = resolve_moved(symbolizer, tgid, ip, place);
	if (moved <= 0)
		return moved;
	place->delta = 0;
	place->frame.symbol = place->frame.object = "[unknown]";
	place->frame.address = 0;
	return 0;
}

static int resolve_user(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip,
			struct place *place)
{
	const struct mapping *mapping = aspaces_find(symbolizer->aspaces, tgid, exec_id, ip);
	enum perfmaps_answer answer = PERFMAPS_UNSURE;
	struct aspace_program program;
	const char *name;
	uint64_t offset;

	place->frame.mode = TPROF_MODE_USER;
	if (!mapping)
		return resolve_unmapped(symbolizer, tgid, ip, place);
	offset = ip - mapping->start + mapping->pgoff;
	dso_open_late(mapping->dso, tgid, mapping->start, mapping->end);
	/* Lines stay there when their code has gone, and what is mapped at that place by now may be a library. */
	if (dso_may_be_jit(mapping->dso)) {
		program = aspaces_program(symbolizer->aspaces, tgid, ip);
		answer = resolve_jit(symbolizer, tgid, ip, &program, place, &name);
	}
	if (answer == PERFMAPS_FOUND) {
		describe_file(mapping->dso, offset, &place->frame);
		return intern_symbol(symbolizer, name, "[jit]", place);
	}
	place->delta = 0;
	if (dso_is_anonymous(mapping->dso))
		return resolve_anonymous(symbolizer, tgid, ip, dso_name(mapping->dso), answer, place);
	return resolve_in_dso(symbolizer, mapping->dso, offset, place);
}

/* The code behind which an address is that is returned to. */
static uint64_t code_of_return(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t return_address)
{
	const struct mapping *mapping = ip_is_kernel(return_address) ? NULL :
					aspaces_find(symbolizer->aspaces, tgid, exec_id, return_address);
	uint64_t offset, delta;
	const char *name;

	if (!mapping)
		return return_address - 1;
	offset = return_address - mapping->start + mapping->pgoff;
	dso_open_late(mapping->dso, tgid, mapping->start, mapping->end);
	/* Before symbols are asked for, which may close the file. */
	switch (dso_call_site(mapping->dso, offset, CALL_SITE_NATIVE)) {
	case CALL_SITE_SIGNAL:
		return return_address;
	case CALL_SITE_NONE:
		if (dso_symbol(mapping->dso, offset, &name, &delta) && !delta)
			return return_address;
		return return_address - 1;
	default:
		return return_address - 1;
	}
}

/* The name of a frame that was found by a frame pointer, NULL if there is no memory. */
static const char *marked_name(const struct symbolizer *symbolizer, const char *symbol)
{
	const char *marked = NULL;
	char *name;

	if (asprintf(&name, "%s%s", symbol, TPROF_BY_FRAME_POINTER) < 0)
		return NULL;
	marked = intern_name(symbolizer->strings, name);
	free(name);
	return marked;
}

static int mark_frame_pointer(struct symbolizer *symbolizer, struct place *place)
{
	const char *symbol = place->frame.symbol;

	/* The text of a name that is yet to come is not kept for ever. */
	symbol = place->memory ? late_names_mark(&symbolizer->late, symbol) : marked_name(symbolizer, symbol);
	if (!symbol)
		return -ENOMEM;
	place->frame.symbol = symbol;
	return 0;
}

/* What is asked for. */
struct question {
	pid_t tgid;
	uint32_t exec_id;
	uint64_t ip;
	enum frame_kind kind;
};

static uint64_t answer_key(const struct question *asked)
{
	return asked->ip ^ (uint64_t)asked->kind << 62 ^ (uint64_t)(uint32_t)asked->tgid << 40 ^
	       (uint64_t)asked->exec_id * 0x9e3779b97f4a7c15;
}

static struct answer *find_answer(const struct symbolizer *symbolizer, const struct question *asked)
{
	struct hash_node *node = hash_find(&symbolizer->answers, answer_key(asked));

	for (; node; node = hash_find_next(node)) {
		struct answer *answer = (struct answer *)node;

		if (answer->ip == asked->ip && answer->tgid == asked->tgid && answer->exec_id == asked->exec_id &&
		    answer->kind == asked->kind)
			return answer;
	}
	return NULL;
}

/* Takes down what was found. NULL if there is no memory. */
static struct answer *add_answer(struct symbolizer *symbolizer, const struct question *asked, const struct place *place)
{
	struct answer *answer = malloc(sizeof(*answer) + (place->nr_inlined + 1) * sizeof(answer->frames[0]));

	if (!answer)
		return NULL;
	*answer = (struct answer){
		.tgid = asked->tgid, .exec_id = asked->exec_id, .ip = asked->ip, .kind = asked->kind,
		.delta = place->delta, .memory = place->memory,
	};
	memcpy(answer->frames, place->inlined, place->nr_inlined * sizeof(answer->frames[0]));
	answer->frames[place->nr_inlined] = place->frame;
	answer->nr = place->nr_inlined + 1;
	if (!hash_add(&symbolizer->answers, &answer->node, answer_key(asked)))
		return answer;
	free(answer);
	return NULL;
}

static const struct answer *resolve(struct symbolizer *symbolizer, struct question asked)
{
	struct place *place = &symbolizer->place;
	struct answer *answer;
	uint64_t ip = asked.ip;
	int err;

	if (ip_is_kernel(ip)) {
		asked.tgid = 0;
		asked.exec_id = 0;
	}
	answer = find_answer(symbolizer, &asked);
	if (answer)
		return answer;
	if (asked.kind == FRAME_RETURNED_TO)
		ip = code_of_return(symbolizer, asked.tgid, asked.exec_id, ip);
	place->frame = (struct tprof_frame){ .path = "", .build_id = "", .address = ip, .file = "" };
	place->delta = 0;
	place->nr_inlined = 0;
	place->memory = NULL;
	if (ip_is_kernel(ip))
		err = resolve_kernel(symbolizer, ip, place);
	else if (is_vsyscall(ip))
		err = resolve_vsyscall(symbolizer, ip, place);
	else
		err = resolve_user(symbolizer, asked.tgid, asked.exec_id, ip, place);
	if (!err && asked.kind == FRAME_BY_POINTER)
		err = mark_frame_pointer(symbolizer, place);
	return err ? NULL : add_answer(symbolizer, &asked, place);
}

int symbolizer_resolve(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip,
		       struct tprof_symbol *symbol)
{
	const struct answer *answer = resolve(symbolizer, (struct question){ tgid, exec_id, ip, FRAME_AT });

	if (!answer)
		return -ENOMEM;
	/* Nobody will give it another name here. */
	symbol->name = answer->memory ? answer->memory : answer->frames[answer->nr - 1].symbol;
	symbol->object = answer->memory ? answer->memory : answer->frames[answer->nr - 1].object;
	symbol->offset = answer->delta;
	return 0;
}

static int take_frames(const struct answer *answer, const struct tprof_frame **frames)
{
	if (!answer)
		return -ENOMEM;
	*frames = answer->frames;
	return (int)answer->nr;
}

int symbolizer_frames(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip,
		      const struct tprof_frame **frames)
{
	return take_frames(resolve(symbolizer, (struct question){ tgid, exec_id, ip, FRAME_AT }), frames);
}

int symbolizer_stack_frames(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip,
			    enum frame_kind kind, const struct tprof_frame **frames)
{
	return take_frames(resolve(symbolizer, (struct question){ tgid, exec_id, ip, kind }), frames);
}

void symbolizer_make_room(struct symbolizer *symbolizer)
{
	if (symbolizer->answers.nr >= ANSWERS_MAX)
		forget_answers(symbolizer);
}

void symbolizer_program(struct symbolizer *symbolizer, const char *name, uint64_t start, uint64_t length, bool gone)
{
	kprograms_note(&symbolizer->programs, name, start, length, gone);
	/* What was found there before may be another's now. */
	forget_answers(symbolizer);
	if (gone)
		ksyms_changed(symbolizer->ksyms);
}

const char *symbolizer_warnings(const struct symbolizer *symbolizer)
{
	return perfmaps_refused(symbolizer->perfmaps);
}

void symbolizer_look(struct symbolizer *symbolizer)
{
	perfmaps_look(symbolizer->perfmaps);
}

void symbolizer_mark(struct symbolizer *symbolizer)
{
	perfmaps_mark(symbolizer->perfmaps);
}

static void ask_again(void *ctx, struct late_name *late)
{
	struct symbolizer *symbolizer = ctx;
	const struct aspace_program program = aspaces_program(symbolizer->aspaces, late->tgid, late->ip);
	struct perfmaps_life life = life_of(&program);
	const char *name;

	switch (perfmaps_find_late(symbolizer->perfmaps, late->tgid, &life, &late->moment, late->ip, &name)) {
	case PERFMAPS_FOUND:
		late->name = intern_name(symbolizer->strings, name);
		return;
	case PERFMAPS_NONE:
		return;
	default:
		late->is_over = true;
	}
}

static const char *late_name_now(const struct late_name *late)
{
	return late->name ? late->name : late->memory;
}

void symbolizer_rename(const struct symbolizer *symbolizer, const char **symbol, const char **object,
		       uint64_t *address)
{
	const struct late_name *late = late_names_find(&symbolizer->late, *symbol);
	const char *name = late ? late_name_now(late) : NULL;

	if (!late)
		return;
	if (*symbol != late->text && strcmp(*symbol, late->text) != 0)
		name = marked_name(symbolizer, name);
	*symbol = name ? name : late_name_now(late);
	*object = late->name ? "[jit]" : late->memory;
	if (!late->name)
		*address = 0;
}

bool symbolizer_has_late(const struct symbolizer *symbolizer)
{
	return symbolizer->late.by_place.nr != 0;
}

void symbolizer_forget_late(struct symbolizer *symbolizer)
{
	late_names_forget(&symbolizer->late);
}

/* The frame that goes by one of the texts of an address is called that. */
static void settle_frame(struct symbolizer_late *late, const struct late_name *name, const char *text,
			 const char *symbol)
{
	const struct tprof_frame frame = {
		.symbol = text, .object = "[jit]", .path = "", .build_id = "", .address = name->ip,
		.mode = TPROF_MODE_USER, .file = "",
	};

	if (!late->err)
		late->err = symbol ? late->fn(late->ctx, &frame, symbol, name->name ? "[jit]" : name->memory) : -ENOMEM;
}

/* Those of live processes stay, so that nobody else goes by their text. */
static bool settle(void *ctx, struct late_name *name)
{
	struct symbolizer_late *late = ctx;

	if (!name->name && !name->is_over && !late->all)
		return true;
	if (!name->is_written)
		settle_frame(late, name, name->text, late_name_now(name));
	if (!name->is_written && name->is_marked)
		settle_frame(late, name, name->marked, marked_name(late->symbolizer, late_name_now(name)));
	name->is_written = true;
	return !name->is_over;
}

int symbolizer_settle_late(struct symbolizer *symbolizer, struct symbolizer_late *late)
{
	late->err = 0;
	late->symbolizer = symbolizer;
	late_names_filter(&symbolizer->late, settle, late);
	return late->err;
}

/* What names that came late are called, in other strings. */
struct moving {
	struct intern *into;
	bool failed;
};

static bool keep_strings(void *ctx, struct late_name *late)
{
	struct moving *moving = ctx;

	if (!intern_string(moving->into, late->memory) || (late->name && !intern_string(moving->into, late->name)))
		moving->failed = true;
	return true;
}

/* All of them are there. */
static bool take_strings(void *ctx, struct late_name *late)
{
	struct moving *moving = ctx;

	late->memory = intern_string(moving->into, late->memory);
	if (late->name)
		late->name = intern_string(moving->into, late->name);
	return true;
}

/* There are no answers: only names that came late have strings of ours. Without memory all stays as it is. */
static void forget_strings(struct symbolizer *symbolizer)
{
	struct moving moving = { 0 };

	if (intern_bytes(symbolizer->strings) < symbolizer->max_strings_bytes)
		return;
	moving.into = intern_new();
	if (!moving.into)
		return;
	late_names_filter(&symbolizer->late, keep_strings, &moving);
	if (moving.failed) {
		intern_free(moving.into);
		return;
	}
	late_names_filter(&symbolizer->late, take_strings, &moving);
	intern_free(symbolizer->strings);
	symbolizer->strings = moving.into;
	symbolizer->max_strings_bytes = 2 * intern_bytes(moving.into);
	if (symbolizer->max_strings_bytes < MIN_STRINGS_BYTES)
		symbolizer->max_strings_bytes = MIN_STRINGS_BYTES;
}

void symbolizer_age(struct symbolizer *symbolizer)
{
	kprograms_age(&symbolizer->programs);
	forget_answers(symbolizer);
	kernel_build_ids_age(&symbolizer->build_ids);
	ksyms_age(symbolizer->ksyms);
	late_names_ask(&symbolizer->late, ask_again, symbolizer);
	perfmaps_age(symbolizer->perfmaps);
	forget_strings(symbolizer);
}
