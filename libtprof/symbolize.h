/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * From an address to a name: kernel addresses by kallsyms, user addresses by mapping and dso, JIT code by
 * perf-PID.map. Each address is resolved once and remembered; all strings are interned and live as long as
 * the symbolizer.
 */
#ifndef TPROF_SYMBOLIZE_H
#define TPROF_SYMBOLIZE_H

#include "aspace.h"
#include "log.h"
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

/*
 * The same as a frame of a call chain, with the object's path and build id. @ip of a caller has to be in its call.
 * Strings live as long as the symbolizer.
 */
int symbolizer_frame(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip,
		     struct tprof_frame *frame);

/*
 * All tables were read: read again what may have changed (perf-PID.map, modules), and forget the addresses of
 * processes that the address spaces are about to forget. Call before aspaces_age().
 */
void symbolizer_age(struct symbolizer *symbolizer);

/* Is this a kernel address? The only user code above is x86's vsyscall page. */
bool ip_is_kernel(uint64_t ip);

#endif
