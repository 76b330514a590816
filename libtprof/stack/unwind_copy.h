/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Unwinds a copied stack by the call frame information of the mapped files.
 *
 * Code without it, such as JIT code, is unwound by frame pointer if that is plausible, and the frame is marked. If a
 * step is impossible, the stack ends, and the reason is reported.
 */
#ifndef TPROF_UNWIND_COPY_H
#define TPROF_UNWIND_COPY_H

#include "process/aspace.h"
#include "tprof/object.h"

enum unwind_end {
	UNWIND_ROOT,		/* reached the outermost frame */
	UNWIND_CUT_OFF,		/* the next frame is above the copied bytes, or there are too many frames */
	UNWIND_BROKEN,		/* there is no unwind information, or it does not describe the caller */
};

/*
 * Writes at most @max addresses, leaf first, for a stack with STACKS_UNWOUND. Those that were found by a frame pointer
 * have STACKS_FRAME_POINTER. Returns their number, at least one.
 */
uint32_t unwind_copy(struct aspaces *aspaces, const struct tprof_copy *copy, __u64 *ip, uint32_t max,
		     enum unwind_end *end);

#endif
