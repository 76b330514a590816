/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * From an address to a name: kernel addresses by kallsyms, user addresses by mapping and dso, JIT code by
 * perf-PID.map. Each address is resolved once and remembered until symbolizer_age(), and so long do strings live that
 * are handed out: programs that come and go would fill the memory with names.
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
 * Always gives a name: "[object+0xoffset]", "[unknown]" or "[unknown kernel function]" at worst. Never fails
 * but for memory.
 */
int symbolizer_resolve(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip,
		       struct tprof_symbol *symbol);

/* Has what is other processes' opened by a broker. Before anything is resolved. */
void symbolizer_use_broker(struct symbolizer *symbolizer, struct broker *broker);

/* What frames say besides the function: source lines, inlined functions. */
void symbolizer_want(struct symbolizer *symbolizer, bool lines, bool inlines);

/*
 * The same as frames of a call stack, with the object's path and build id: functions that are inlined at the address,
 * the innermost first, then the one that has the code. @ip of a caller has to be in its call. Returns how many, 1 at
 * least, or -ENOMEM. @frames are valid until symbolizer_make_room(), strings until symbolizer_age().
 */
int symbolizer_frames(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip,
		      const struct tprof_frame **frames);

/* What is known of a frame of a stack. */
enum frame_kind {
	FRAME_AT,			/* its address is in its code, or in its call */
	FRAME_RETURNED_TO,		/* it is where the frame is returned to */
	FRAME_BY_POINTER,		/* as FRAME_AT, but found by a frame pointer where nothing else led on */
};

/*
 * symbolizer_frames() of such a frame. The code of one that is returned to is before that address, in the call, but
 * where no call ends: there it is what a signal handler returns to, or a function that is entered by a return to its
 * first byte. The name of one that was found by a frame pointer ends in TPROF_BY_FRAME_POINTER.
 */
int symbolizer_stack_frames(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip,
			    enum frame_kind kind, const struct tprof_frame **frames);

/*
 * All tables were read: read again what may have changed (perf-PID.map, modules), and forget the addresses of
 * processes that the address spaces are about to forget. Call before aspaces_age().
 */
void symbolizer_age(struct symbolizer *symbolizer);

/* To be called when no frames are in use: forgets answers if there are too many. */
void symbolizer_make_room(struct symbolizer *symbolizer);

/* To be called about once a second: keeps hold of what processes may remove. */
void symbolizer_look(struct symbolizer *symbolizer);
/* What keeps code from having names, in sentences separated by "; "; NULL if nothing is known to. */
const char *symbolizer_warnings(const struct symbolizer *symbolizer);
/* The tables are about to be swapped. */
void symbolizer_mark(struct symbolizer *symbolizer);

/*
 * JIT code that has no name yet goes by a text in symbolizer_frames() that no other frame has, until
 * symbolizer_forget_late(). What it is called now, and where that is, takes the place of such a text, if it is one.
 */
void symbolizer_rename(const struct symbolizer *symbolizer, const char **symbol, const char **object,
		       uint64_t *address);
bool symbolizer_has_late(const struct symbolizer *symbolizer);
void symbolizer_forget_late(struct symbolizer *symbolizer);

/* Calls @fn once for each frame of such a text that has got its name, or will get none; or for @all. */
struct symbolizer_late {
	int (*fn)(void *ctx, const struct tprof_frame *frame, const char *symbol, const char *object);
	void *ctx;
	bool all;
	int err;			/* the first that @fn returned */
	const struct symbolizer *symbolizer;	/* set by the call */
};
int symbolizer_settle_late(struct symbolizer *symbolizer, struct symbolizer_late *late);

/* A BPF program was loaded, or has gone. */
void symbolizer_program(struct symbolizer *symbolizer, const char *name, uint64_t start, uint64_t length, bool gone);

/* Is this a kernel address? The only user code above is x86's vsyscall page. */
bool ip_is_kernel(uint64_t ip);

#endif
