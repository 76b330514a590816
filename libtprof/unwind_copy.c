// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* From a copy of a stack to its frames. */
#include "unwind_copy.h"

#include <string.h>

#include "elf_cfi.h"
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

/* What is known of the code of a frame. */
struct code {
	bool mapped;
	bool signal;			/* the kernel made the frame: its caller is what a signal interrupted */
	const struct cfi_row *row;	/* NULL: nothing is written down */
};

/* Where a call returns to, it is the byte before that is in the function. */
static struct code find_code(struct aspaces *aspaces, const struct tprof_copy *copy, uint64_t pc, bool returned_to)
{
	uint64_t address = returned_to ? pc - 1 : pc;
	const struct mapping *mapping = aspaces_find(aspaces, (pid_t)copy->tgid, copy->exec_id, address);
	struct code code = { .mapped = mapping };
	struct elf_cfi *cfi;
	const char *name;
	uint64_t delta;

	if (!mapping)
		return code;
	dso_open_late(mapping->dso, (pid_t)copy->tgid, mapping->start, mapping->end);
	cfi = dso_cfi(mapping->dso);
	if (cfi)
		code.row = elf_cfi_find(cfi, address - mapping->start + mapping->pgoff);
	if (code.row)
		code.signal = code.row->signal;
	else if (unwind_knows_signal() && dso_symbol(mapping->dso, pc - mapping->start + mapping->pgoff, &name, &delta))
		code.signal = !delta && unwind_is_signal_return(name);
	return code;
}

struct walk {
	struct cfi_frame frame;
	struct copied copied;
	struct cfi_memory memory;
	bool interrupted;		/* the frame's address is where it was, not where a call returns to */
};

/* A frame that makes no way up the stack; only a leaf, or what a signal interrupted, may have none of it. */
static bool is_stuck(const struct walk *walk, uint64_t old_sp, bool leaf)
{
	uint64_t sp = walk->frame.regs[CFI_SP];

	return !walk->interrupted && (sp < old_sp || (sp == old_sp && !leaf));
}

/* One frame up. Returns false, with @end, where there is none. */
static bool step(struct walk *walk, const struct code *code, enum unwind_end *end)
{
	uint64_t old_sp = walk->frame.regs[CFI_SP];
	bool leaf = walk->interrupted;
	enum cfi_step done = CFI_LOST;

	*end = UNWIND_BROKEN;
	if (code->signal && unwind_signal(&walk->frame, &walk->memory))
		done = CFI_CALLER;
	else if (code->row)
		done = cfi_step(code->row, &walk->frame, &walk->memory);
	walk->interrupted = code->signal;
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
	struct walk walk = { .copied.copy = copy, .interrupted = true };
	uint32_t nr = 0;

	walk.memory = (struct cfi_memory){ .read = read_copied, .ctx = &walk.copied };
	unwind_frame_init(&walk.frame, copy->regs);
	walk.copied.start = walk.frame.regs[CFI_SP];
	walk.copied.end = walk.copied.start + (copy->end - copy->start);
	for (;;) {
		uint64_t pc = walk.frame.pc;
		struct code code = find_code(aspaces, copy, pc, !walk.interrupted);

		*end = code.mapped && nr == max ? UNWIND_CUT_OFF : UNWIND_BROKEN;
		/* What no code is mapped at is no caller. */
		if (nr && (!code.mapped || nr == max))
			return nr;
		/*
		 * Names are looked up by the byte before, but for the first. No call leads to what was interrupted, nor
		 * to what a handler returns to.
		 */
		ip[nr] = nr && (walk.interrupted || code.signal) ? pc + 1 : pc;
		nr++;
		if (!step(&walk, &code, end))
			return nr;
	}
}
