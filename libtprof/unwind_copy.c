// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* From a copy of a stack to its frames. */
#include "unwind_copy.h"

#include <string.h>

#include "elf_cfi.h"
#include "stacks.h"
#include "unwind_regs.h"

/* The copied bytes as memory of the program. */
struct copied {
	const struct tprof_copy *copy;
	uint64_t start, end;		/* addresses */
	bool missed_above;		/* something was wanted that lies above the end */
};

static bool read_copied(void *ctx, uint64_t address, void *to, uint32_t bytes)
{
	struct copied *copied = ctx;

	if (address < copied->start)
		return false;
	if (address >= copied->end || bytes > copied->end - address) {
		copied->missed_above = true;
		return false;
	}
	memcpy(to, copied->copy->data + copied->copy->start + (address - copied->start), bytes);
	return true;
}

/* How the address of a frame was found, and so what it is. */
enum found {
	FOUND_RUNNING,			/* it is where the frame was, or was interrupted */
	FOUND_BY_RULES,			/* it is where a call returns to, or should be */
	FOUND_BY_POINTER,		/* likewise, but by a frame pointer */
};

struct walk {
	struct aspaces *aspaces;
	const struct tprof_copy *copy;
	struct cfi_frame frame;
	struct copied copied;
	struct cfi_memory memory;
	enum found found;
};

/* What is known of the code of a frame. */
struct code {
	bool mapped;
	uint64_t address;		/* in it, or in the call that is returned from */
	enum call_site site;		/* of where it is returned to */
	bool ends_signal;		/* by its instructions it is what a signal handler returns to */
	const struct cfi_row *row;	/* NULL: nothing is written down */
};

static const struct mapping *find_mapping(const struct walk *walk, uint64_t address)
{
	const struct mapping *mapping = aspaces_find(walk->aspaces, (pid_t)walk->copy->tgid, walk->copy->exec_id,
						     address);

	if (mapping)
		dso_open_late(mapping->dso, (pid_t)walk->copy->tgid, mapping->start, mapping->end);
	return mapping;
}

static uint64_t offset_in(const struct mapping *mapping, uint64_t address)
{
	return address - mapping->start + mapping->pgoff;
}

/*
 * Where a call returns to, it is the byte before that is in the function; where no call ends, nothing is said of that
 * byte.
 */
static struct code find_code(const struct walk *walk)
{
	uint64_t pc = walk->frame.pc;
	const struct mapping *mapping = find_mapping(walk, pc);
	struct code code = { .address = pc };
	struct elf_cfi *cfi;

	if (mapping && walk->found == FOUND_RUNNING)
		code.ends_signal = dso_in_signal_return(mapping->dso, offset_in(mapping, pc), CALL_SITE_NATIVE);
	else if (mapping)
		code.site = dso_call_site(mapping->dso, offset_in(mapping, pc), CALL_SITE_NATIVE);
	code.ends_signal |= code.site == CALL_SITE_SIGNAL;
	if (walk->found != FOUND_RUNNING && code.site != CALL_SITE_NONE && code.site != CALL_SITE_SIGNAL) {
		code.address--;
		/* A call may be the last that a mapping has. */
		mapping = find_mapping(walk, code.address);
	}
	code.mapped = mapping;
	cfi = mapping ? dso_cfi(mapping->dso) : NULL;
	if (cfi)
		code.row = elf_cfi_find(cfi, offset_in(mapping, code.address));
	return code;
}

static bool leads_to_interrupted(const struct code *code)
{
	return code->ends_signal || (code->row && code->row->signal);
}

/* A frame that makes no way up the stack; only a leaf, or what a signal interrupted, may have none of it. */
static bool is_stuck(const struct walk *walk, uint64_t old_sp, bool leaf)
{
	uint64_t sp = walk->frame.regs[CFI_SP];

	return walk->found != FOUND_RUNNING && (sp < old_sp || (sp == old_sp && !leaf));
}

/*
 * Is that a frame which a frame pointer may lead to? It has to be further up, its code has to be executable, and a call
 * has to end there. Where instructions cannot be read, as of code that was generated, the frame has to have a frame
 * pointer of its own, or to be the last.
 */
static bool is_plausible(const struct walk *walk, const struct code *code, uint64_t old_sp)
{
	uint64_t sp = walk->frame.regs[CFI_SP], fp = walk->frame.regs[CFI_FP];

	if (sp <= old_sp || !code->mapped)
		return false;
	if (code->site == CALL_SITE_UNKNOWN)
		return !fp || fp >= sp;
	return code->site == CALL_SITE_CALL || code->site == CALL_SITE_SIGNAL;
}

/*
 * One frame up by the frame pointer. Where there is none that is plausible, the walk ends as if nobody had looked: a
 * register that is something else may point anywhere.
 */
static bool step_by_pointer(struct walk *walk)
{
	struct walk next = *walk;
	struct code code;

	next.memory.ctx = &next.copied;
	next.found = FOUND_BY_POINTER;
	if (!unwind_frame_record(&next.frame, &next.memory))
		return false;
	code = find_code(&next);
	if (!is_plausible(&next, &code, walk->frame.regs[CFI_SP]))
		return false;
	walk->frame = next.frame;
	walk->found = FOUND_BY_POINTER;
	return true;
}

/* One frame up. Returns false, with @end, where there is none. */
static bool step(struct walk *walk, const struct code *code, enum unwind_end *end)
{
	bool signal = leads_to_interrupted(code), leaf = walk->found == FOUND_RUNNING;
	uint64_t old_sp = walk->frame.regs[CFI_SP];
	enum cfi_step done = CFI_LOST;

	*end = UNWIND_BROKEN;
	if (!signal && !code->row)
		return step_by_pointer(walk);
	if (signal && (!code->row || !code->row->signal || unwind_signal_lacks_rules()) &&
	    unwind_signal(&walk->frame, &walk->memory))
		done = CFI_CALLER;
	else if (code->row)
		done = cfi_step(code->row, &walk->frame, &walk->memory);
	walk->found = signal ? FOUND_RUNNING : FOUND_BY_RULES;
	if (done == CFI_LOST && walk->copied.missed_above)
		*end = UNWIND_CUT_OFF;
	/* By convention, a return address of 0 is that of the outermost frame, too. */
	if (done == CFI_OUTERMOST || (done == CFI_CALLER && !walk->frame.pc))
		*end = UNWIND_ROOT;
	return done == CFI_CALLER && walk->frame.pc && !is_stuck(walk, old_sp, leaf);
}

uint32_t unwind_copy(struct aspaces *aspaces, const struct tprof_copy *copy, __u64 *ip, uint32_t max,
		     enum unwind_end *end)
{
	struct walk walk = { .aspaces = aspaces, .copy = copy, .copied.copy = copy };
	uint32_t nr = 0;

	walk.memory = (struct cfi_memory){ .read = read_copied, .ctx = &walk.copied };
	unwind_frame_init(&walk.frame, copy->regs);
	walk.copied.start = walk.frame.regs[CFI_SP];
	walk.copied.end = walk.copied.start + (copy->end - copy->start);
	for (;;) {
		struct code code = find_code(&walk);

		*end = code.mapped && nr == max ? UNWIND_CUT_OFF : UNWIND_BROKEN;
		/* What no code is mapped at is no caller. */
		if (nr && (!code.mapped || nr == max))
			return nr;
		ip[nr++] = code.address | (walk.found == FOUND_BY_POINTER ? STACKS_FRAME_POINTER : 0);
		if (!step(&walk, &code, end))
			return nr;
	}
}
