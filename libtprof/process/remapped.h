/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Address ranges of an image whose code was replaced recently: a library where another one was unloaded, or a file
 * where JIT code was. Samples are symbolized some time after they were taken, and nothing shows whether a sample is
 * older than the replacement. Unmapping is not reported, so code that was unmapped long ago counts as replaced too.
 */
#ifndef TPROF_REMAPPED_H
#define TPROF_REMAPPED_H

#include <stdbool.h>
#include <stdint.h>

/* NULL: no ranges. Free it with free(). */
struct remapped;

/*
 * Records a range; @age as in comm.h. If there are very many ranges, neighbors are merged along with the gap between
 * them. Errors: ENOMEM.
 */
int remapped_note(struct remapped **remapped, uint64_t start, uint64_t end, uint32_t age);
/* Was the code at @ip replaced within the last two ages, so that older samples may still have to be symbolized? */
bool remapped_at(const struct remapped *remapped, uint64_t ip, uint32_t age);

#endif
