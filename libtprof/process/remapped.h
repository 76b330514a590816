/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Where an image got other code a moment ago: a library in the place of another one that was closed, a file in that
 * of JIT memory. Samples are named some time after they were taken, and nothing tells from before or after that one
 * is. Unmapping is not reported, so what was closed long ago counts too.
 */
#ifndef TPROF_REMAPPED_H
#define TPROF_REMAPPED_H

#include <stdbool.h>
#include <stdint.h>

/* NULL stands for nothing noted; to be freed with free(). */
struct remapped;

/* @age as in comm.h. Of very many ranges, neighbours become one with what is between them. Errors: ENOMEM. */
int remapped_note(struct remapped **remapped, uint64_t start, uint64_t end, uint32_t age);
/* Was it noted at that address, and may samples from before still have to be named? For two ages. */
bool remapped_at(const struct remapped *remapped, uint64_t ip, uint32_t age);

#endif
