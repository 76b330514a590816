/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Symbolization: kernel addresses by kallsyms, user addresses by mapping and dso, JIT code by perf-PID.map.
 *
 * Each address is resolved once and cached until symbolizer_age(). Returned strings are valid for the same time: names
 * of short-lived programs would otherwise fill the memory.
 */
#ifndef TPROF_SYMBOLIZE_H
#define TPROF_SYMBOLIZE_H

#include "base/log.h"
#include "process/aspace.h"
#include "tprof.h"

struct symbolizer;

struct symbolizer *symbolizer_new(struct aspaces *aspaces, const struct log *log);
void symbolizer_free(struct symbolizer *symbolizer);

/*
 * Always finds a name, in the worst case "[object+0xoffset]", "[unknown]" or "[unknown kernel function]". The only
 * error is -ENOMEM.
 */
int symbolizer_resolve(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip,
		       struct tprof_symbol *symbol);

/* Opens files of other processes through the broker. Call before anything is resolved. */
void symbolizer_use_broker(struct symbolizer *symbolizer, struct broker *broker);

/* Does what needs privileges. Call before the sandbox. Without it, kernel functions are named more slowly. */
void symbolizer_prepare(struct symbolizer *symbolizer);

/* Whether frames include source lines and inlined functions. */
void symbolizer_want(struct symbolizer *symbolizer, bool lines, bool inlines);

/*
 * Resolves an address to frames of a call stack, with the object's path and build id: the functions that are inlined at
 * the address, innermost first, then the function that contains the code. For a caller, @ip must lie in its call
 * instruction. Returns the number of frames, at least 1, or -ENOMEM. @frames is valid until symbolizer_trim(),
 * strings until symbolizer_age().
 */
int symbolizer_frames(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip,
		      const struct tprof_frame **frames);

/* The meaning of a frame's address. */
enum frame_kind {
	FRAME_AT,			/* an address in the code that runs, or in its call instruction */
	FRAME_RETURNED_TO,		/* a return address */
	FRAME_BY_POINTER,	/* as FRAME_AT, but found by a frame pointer because there was no unwind information */
};

/*
 * symbolizer_frames() for a frame of that kind. A return address is resolved by the byte before it, which is in the
 * call instruction. If no call ends there, the address itself is resolved: it is the return address of a signal
 * handler, or the first byte of a function that is entered by a return. The name of a FRAME_BY_POINTER ends in
 * TPROF_BY_FRAME_POINTER.
 */
int symbolizer_stack_frames(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip,
			    enum frame_kind kind, const struct tprof_frame **frames);

/*
 * Call after all tables were read and before aspaces_age(): marks perf-PID.map and modules to be read again, and drops
 * the addresses of processes that the address spaces are about to drop.
 */
void symbolizer_age(struct symbolizer *symbolizer);

/* Call when no frames are in use: empties the cache if it is too large. */
void symbolizer_trim(struct symbolizer *symbolizer);

/* Call about once a second: opens files that processes may remove. */
void symbolizer_look(struct symbolizer *symbolizer);
/* Reasons why code has no names, as sentences separated by "; "; NULL if none is known. */
const char *symbolizer_warnings(const struct symbolizer *symbolizer);
/* Call right before the tables are swapped. */
void symbolizer_mark(struct symbolizer *symbolizer);

/*
 * In symbolizer_frames(), JIT code that has no name yet has a unique placeholder until symbolizer_forget_late().
 * symbolizer_rename() replaces the symbol, object and address of such a placeholder by the ones known now; other
 * symbols stay as they are.
 */
void symbolizer_rename(const struct symbolizer *symbolizer, const char **symbol, const char **object,
		       uint64_t *address);
bool symbolizer_has_late(const struct symbolizer *symbolizer);
void symbolizer_forget_late(struct symbolizer *symbolizer);

/* Calls @fn once for each placeholder frame whose name is now known or will stay unknown; with @all, for each one. */
struct symbolizer_late {
	int (*fn)(void *ctx, const struct tprof_frame *frame, const char *symbol, const char *object);
	void *ctx;
	bool all;
	int err;			/* first error of @fn */
	const struct symbolizer *symbolizer;	/* set by symbolizer_settle_late() */
};
int symbolizer_settle_late(struct symbolizer *symbolizer, struct symbolizer_late *late);

/* Reports that a BPF program was loaded, or unloaded (@gone). */
void symbolizer_program(struct symbolizer *symbolizer, const char *name, uint64_t start, uint64_t length, bool gone);

/* True for a kernel address. The only user code in that range is x86's vsyscall page. */
bool ip_is_kernel(uint64_t ip);

#endif
