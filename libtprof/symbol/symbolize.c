// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Symbolization.
 *
 * Answers are cached until symbolizer_age() only: a process may map another file at the same address without notice.
 * Resolving the hot addresses again once a second costs less than tracking which answers are still valid.
 */
#include "symbolize.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer.h"

/*
 * Limit of the cache between two calls of symbolizer_age(): 18 MiB, more if functions are inlined. A profiled program
 * can produce as many answers as the stack tables have frames, if all frames differ.
 */
#define ANSWERS_MAX 131072

struct answer {
	struct hash_node node;		/* by the four fields below */
	pid_t tgid;			/* 0: kernel */
	uint32_t exec_id;
	uint64_t ip;
	enum frame_kind kind;
	uint64_t delta;
	const char *memory;		/* as in struct resolved */
	size_t nr;
	struct tprof_frame frames[];
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

static void forget_answers(struct symbolizer *symbolizer)
{
	hash_fini(&symbolizer->answers);
	arena_free(&symbolizer->answers_memory);
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

void symbolizer_prepare(struct symbolizer *symbolizer)
{
	ksyms_prepare(symbolizer->ksyms);
}

void symbolizer_want(struct symbolizer *symbolizer, bool lines, bool inlines)
{
	symbolizer->lines = lines;
	symbolizer->inlines = inlines;
}

/* The key of an answer. */
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

/* Adds a result to the cache. NULL if there is no memory. */
static struct answer *add_answer(struct symbolizer *symbolizer, const struct question *asked,
				 const struct resolved *place)
{
	size_t size = sizeof(struct answer) + (place->nr_inlined + 1) * sizeof(struct tprof_frame);
	struct answer *answer = arena_take(&symbolizer->answers_memory, size);

	if (!answer)
		return NULL;
	*answer = (struct answer){
		.tgid = asked->tgid, .exec_id = asked->exec_id, .ip = asked->ip, .kind = asked->kind,
		.delta = place->delta, .memory = place->memory,
	};
	memcpy(answer->frames, place->inlined, place->nr_inlined * sizeof(answer->frames[0]));
	answer->frames[place->nr_inlined] = place->frame;
	answer->nr = place->nr_inlined + 1;
	return hash_add(&symbolizer->answers, &answer->node, answer_key(asked)) ? NULL : answer;
}

static const struct answer *resolve(struct symbolizer *symbolizer, struct question asked)
{
	struct resolved *place = &symbolizer->place;
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
		ip = place_of_return(symbolizer, asked.tgid, asked.exec_id, ip);
	err = place_resolve(symbolizer, asked.tgid, asked.exec_id, ip, place);
	if (!err && asked.kind == FRAME_BY_POINTER)
		err = place_mark_frame_pointer(symbolizer, place);
	return err ? NULL : add_answer(symbolizer, &asked, place);
}

int symbolizer_resolve(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip,
		       struct tprof_symbol *symbol)
{
	const struct answer *answer = resolve(symbolizer, (struct question){ tgid, exec_id, ip, FRAME_AT });

	if (!answer)
		return -ENOMEM;
	/* Entries are not renamed later: use the name of the mapping, not the placeholder. */
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

void symbolizer_trim(struct symbolizer *symbolizer)
{
	if (symbolizer->answers.nr >= ANSWERS_MAX)
		forget_answers(symbolizer);
}

void symbolizer_program(struct symbolizer *symbolizer, const char *name, uint64_t start, uint64_t length, bool gone)
{
	kprograms_note(&symbolizer->programs, name, start, length, gone);
	/* The address range may belong to another program now. */
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

void symbolizer_age(struct symbolizer *symbolizer)
{
	kprograms_age(&symbolizer->programs);
	forget_answers(symbolizer);
	kernel_build_ids_age(&symbolizer->build_ids);
	symbolizer->kernel.object = NULL;
	ksyms_age(symbolizer->ksyms);
	late_names_ask(&symbolizer->late, symbolizer_ask_late, symbolizer);
	perfmaps_age(symbolizer->perfmaps);
	symbolizer_forget_strings(symbolizer);
}
