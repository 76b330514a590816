// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* BPF programs that were loaded or unloaded during the session. */
#include "kprograms.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define MAX_PROGRAMS 4096

struct kprogram {
	uint64_t start, end;
	bool gone;
	unsigned int ages;		/* since it was unloaded */
	char name[128];			/* KSYM_NAME_LEN before Linux 6.1; names of BPF programs take at most 53 */
};

void kprograms_fini(struct kprograms *programs)
{
	free(programs->programs);
	*programs = (struct kprograms){ 0 };
}

/* The program that is loaded at @start now. */
static struct kprogram *find_loaded(const struct kprograms *programs, uint64_t start)
{
	for (size_t i = programs->nr; i > 0; i--) {
		struct kprogram *program = &programs->programs[i - 1];

		if (program->start == start && !program->gone)
			return program;
	}
	return NULL;
}

static struct kprogram *add(struct kprograms *programs)
{
	struct kprogram *larger;

	if (programs->nr >= MAX_PROGRAMS)
		return NULL;
	larger = array_grow(programs->programs, programs->nr, &programs->capacity, sizeof(*larger));
	if (!larger)
		return NULL;
	programs->programs = larger;
	return &programs->programs[programs->nr++];
}

void kprograms_note(struct kprograms *programs, const char *name, uint64_t start, uint64_t length, bool gone)
{
	struct kprogram *program = find_loaded(programs, start);

	if (!length || length > UINT64_MAX - start)
		return;
	/* A load at the address of a loaded program: the unload event was lost. */
	if (program)
		program->gone = true;
	if (program && gone)
		return;
	program = add(programs);
	if (!program)
		return;
	*program = (struct kprogram){ .start = start, .end = start + length, .gone = gone };
	programs->low = programs->nr == 1 || start < programs->low ? start : programs->low;
	programs->high = program->end > programs->high ? program->end : programs->high;
	strncpy(program->name, name, sizeof(program->name) - 1);
}

enum kprograms_answer kprograms_find(const struct kprograms *programs, uint64_t ip, const char **name, uint64_t *delta)
{
	const struct kprogram *found = NULL;

	if (ip + 1 < programs->low || ip >= programs->high)
		return KPROGRAMS_NONE;
	for (size_t i = 0; i < programs->nr; i++) {
		const struct kprogram *program = &programs->programs[i];

		if (ip + 1 < program->start || ip >= program->end)
			continue;
		if (found && (strcmp(found->name, program->name) || found->start != program->start))
			return KPROGRAMS_SEVERAL;
		found = program;
	}
	if (!found)
		return KPROGRAMS_NONE;
	*name = found->name;
	*delta = ip < found->start ? 0 : ip - found->start;
	return KPROGRAMS_FOUND;
}

void kprograms_age(struct kprograms *programs)
{
	size_t nr = 0;

	for (size_t i = 0; i < programs->nr; i++) {
		struct kprogram *program = &programs->programs[i];

		if (program->gone && program->ages++)
			continue;
		programs->programs[nr++] = *program;
	}
	programs->nr = nr;
	if (!nr)
		programs->low = programs->high = 0;
}
