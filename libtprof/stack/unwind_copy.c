// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* From a copy of a stack to its frames. */
#include "unwind_copy.h"

#include <string.h>

#include "elf/elf_cfi.h"
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
	bool vdso32;			/* it is the kernel's, for 32-bit programs */
};

static const struct mapping *find_mapping(const struct walk *walk, uint64_t address)
{
	const struct mapping *mapping = aspaces_find(walk->aspaces, (pid_t)walk->copy->tgid, walk->copy->exec_id,
						     address);

	if (mapping)
		dso_open_late(mapping->dso, (pid_t)walk->copy->tgid, mapping->start, mapping->end);
	return mapping;
}

static enum call_site_machine instructions(const struct walk *walk)
{
	return walk->frame.is_32bit ? CALL_SITE_I386 : CALL_SITE_NATIVE;
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
		code.ends_signal = dso_in_signal_return(mapping->dso, offset_in(mapping, pc), instructions(walk));
	else if (mapping)
		code.site = dso_call_site(mapping->dso, offset_in(mapping, pc), instructions(walk));
	code.ends_signal |= code.site == CALL_SITE_SIGNAL;
	if (walk->found != FOUND_RUNNING && code.site != CALL_SITE_NONE && code.site != CALL_SITE_SIGNAL) {
		code.address--;
		/* A call may be the last that a mapping has. */
		mapping = find_mapping(walk, code.address);
	}
	code.mapped = mapping;
	code.vdso32 = mapping && !strcmp(dso_path(mapping->dso), "[vdso32]");
	cfi = mapping ? dso_cfi(mapping->dso) : NULL;
	/* Code of both kinds may be mapped, but not every register is there for each. */
	if (cfi && elf_cfi_is_32bit(cfi) == walk->frame.is_32bit)
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
	uint64_t sp = walk->frame.regs[cfi_sp(&walk->frame)];

	return walk->found != FOUND_RUNNING && (sp < old_sp || (sp == old_sp && !leaf));
}

/*
 * Is that a frame which a frame pointer may lead to? It has to be further up, its code has to be executable, and a call
 * has to end there. Where instructions cannot be read, as of code that was generated, the frame has to have a frame
 * pointer of its own, or to be the last.
 */
static bool is_plausible(const struct walk *walk, const struct code *code, uint64_t old_sp)
{
	uint64_t sp = walk->frame.regs[cfi_sp(&walk->frame)], fp = walk->frame.regs[cfi_fp(&walk->frame)];

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
	if (!is_plausible(&next, &code, walk->frame.regs[cfi_sp(&walk->frame)]))
		return false;
	walk->frame = next.frame;
	walk->found = FOUND_BY_POINTER;
	return true;
}

/* To where a 32-bit program called the kernel's code for system calls. That it is in there, the call shows. */
static bool step_out_of_system_call(struct walk *walk)
{
	struct walk next = *walk;
	struct code code;

	next.memory.ctx = &next.copied;
	if (walk->found != FOUND_RUNNING || !unwind_vdso32(&next.frame, &next.memory))
		return false;
	next.found = FOUND_BY_RULES;
	code = find_code(&next);
	if (!code.mapped || code.site != CALL_SITE_CALL)
		return false;
	walk->frame = next.frame;
	walk->found = FOUND_BY_RULES;
	return true;
}

/* One frame up. Returns false, with @end, where there is none. */
static bool step(struct walk *walk, const struct code *code, enum unwind_end *end)
{
	bool signal = leads_to_interrupted(code), leaf = walk->found == FOUND_RUNNING;
	uint64_t old_sp = walk->frame.regs[cfi_sp(&walk->frame)];
	enum cfi_step done = CFI_LOST;

	*end = UNWIND_BROKEN;
	/* The kernel's code has no frames: the frame pointer would lead past its caller. */
	if (!signal && !code->row)
		return code->vdso32 ? step_out_of_system_call(walk) : step_by_pointer(walk);
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
	walk.copied.start = walk.frame.regs[cfi_sp(&walk.frame)];
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
