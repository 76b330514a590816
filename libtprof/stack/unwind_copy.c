// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Unwinds a copied stack. */
#include "unwind_copy.h"

#include <string.h>

#include "elf/elf_cfi.h"
#include "stacks.h"
#include "unwind_regs.h"

/* The copied bytes as memory of the process. */
struct copied {
	const struct tprof_copy *copy;
	uint64_t start, end;		/* addresses */
	bool missed_above;		/* a read beyond the end was attempted */
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

/* How the address of a frame was found, which decides its meaning. */
enum found {
	FOUND_RUNNING,			/* the address of the leaf, or of interrupted code */
	FOUND_BY_RULES,			/* a return address, found by call frame information */
	FOUND_BY_POINTER,		/* a return address, found by a frame pointer */
};

struct walk {
	struct aspaces *aspaces;
	const struct tprof_copy *copy;
	struct cfi_frame frame;
	struct copied copied;
	struct cfi_memory memory;
	enum found found;
};

/* The code of a frame. */
struct code {
	bool mapped;
	uint64_t address;		/* in the code that runs, or in the call instruction */
	enum call_site site;		/* kind of the return address */
	bool ends_signal;		/* its instructions are a signal trampoline */
	const struct cfi_row *row;	/* NULL: no call frame information */
	bool vdso32;			/* it is in the vdso of 32-bit programs */
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
 * A return address is looked up by the byte before it, in the call instruction. If no call ends there, the address
 * itself is looked up: the byte before may belong to anything.
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
		/* The call may be the last instruction of a mapping. */
		mapping = find_mapping(walk, code.address);
	}
	code.mapped = mapping;
	code.vdso32 = mapping && !strcmp(dso_path(mapping->dso), "[vdso32]");
	cfi = mapping ? dso_cfi(mapping->dso) : NULL;
	/* 64-bit and 32-bit code may both be mapped, with different sets of registers. */
	if (cfi && elf_cfi_is_32bit(cfi) == walk->frame.is_32bit)
		code.row = elf_cfi_find(cfi, offset_in(mapping, code.address));
	return code;
}

static bool leads_to_interrupted(const struct code *code)
{
	return code->ends_signal || (code->row && code->row->signal);
}

/*
 * True if the step did not move up the stack. Only a leaf or interrupted code may have a caller with the same stack
 * pointer.
 */
static bool is_stuck(const struct walk *walk, uint64_t old_sp, bool leaf)
{
	uint64_t sp = walk->frame.regs[cfi_sp(&walk->frame)];

	return walk->found != FOUND_RUNNING && (sp < old_sp || (sp == old_sp && !leaf));
}

/*
 * Checks a frame found by a frame pointer: it must be further up the stack, its code must be executable, and a call
 * must end there. If the instructions cannot be read, as in JIT code, its frame pointer must be plausible too, or 0 for
 * the last frame.
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
 * One frame up by the frame pointer. If the result is not plausible, nothing changes and the walk ends: the register
 * may hold any value.
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

/*
 * From the vdso code that makes system calls to its 32-bit caller. The position in that code is verified by the call
 * instruction before the return address.
 */
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

/* One frame up. Returns false and sets @end if there is none. */
static bool step(struct walk *walk, const struct code *code, enum unwind_end *end)
{
	bool signal = leads_to_interrupted(code), leaf = walk->found == FOUND_RUNNING;
	uint64_t old_sp = walk->frame.regs[cfi_sp(&walk->frame)];
	enum cfi_step done = CFI_LOST;

	*end = UNWIND_BROKEN;
	/* The vdso code has no frame record: the frame pointer would lead past its caller. */
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
	/* By convention, a return address of 0 marks the outermost frame too. */
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
		/* An address that is not mapped is not a caller. */
		if (nr && (!code.mapped || nr == max))
			return nr;
		ip[nr++] = code.address | (walk.found == FOUND_BY_POINTER ? STACKS_FRAME_POINTER : 0);
		if (!step(&walk, &code, end))
			return nr;
	}
}
