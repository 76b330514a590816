/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * From a copy of a stack to its frames, by the call frame information of the files that were mapped. Where there is
 * none, as for code that was generated, by the frame pointer if that is plausible, and the frame is marked. Where a
 * step cannot be made, the stack ends, and it is said how.
 */
#ifndef TPROF_UNWIND_COPY_H
#define TPROF_UNWIND_COPY_H

#include "process/aspace.h"
#include "tprof/object.h"

enum unwind_end {
	UNWIND_ROOT,		/* at the outermost frame */
	UNWIND_CUT_OFF,		/* what comes next is above what was copied, or there are too many frames */
	UNWIND_BROKEN,		/* nothing is known of the code, or it does not say where its caller is */
};

/*
 * Fills in at most @max addresses, leaf first, for a stack that is STACKS_UNWOUND: with STACKS_FRAME_POINTER those that
 * were found by a frame pointer. Returns how many; one at least.
 */
uint32_t unwind_copy(struct aspaces *aspaces, const struct tprof_copy *copy, __u64 *ip, uint32_t max,
		     enum unwind_end *end);

#endif
