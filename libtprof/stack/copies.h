/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Stack copies made by filters: TPROF_COPIES(). */
#ifndef TPROF_COPIES_H
#define TPROF_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "filter/filter.h"

struct copies;

/* NULL only if there is no memory. */
struct copies *copies_new(void);
void copies_free(struct copies *copies);

/* True if the filter copies stacks. */
bool copies_made_by(const struct tprof_filter *filter);
/*
 * Call before the filter is loaded: sizes its ring for that many samples per second on all CPUs together. Errors:
 * EINVAL (the configured copy size is not possible), with a sentence.
 */
int copies_prepare(struct tprof_filter *filter, uint64_t samples_per_second, struct tprof_error *error);
/* Call once the filter is loaded: adds its ring to those that are read. Errors: those of mmap. */
int copies_add(struct copies *copies, const struct tprof_filter *filter);

/* Milliseconds until the ring is half full at that rate; UINT64_MAX if the filter has none. */
uint64_t copies_fill_ms(const struct tprof_filter *filter, uint64_t samples_per_second);
/* True if a ring is more than half full and must be read now. */
bool copies_are_many(const struct copies *copies);
/*
 * Adds the rings to an epoll file descriptor, except those that it has already. It reports a ring that becomes half
 * full. Returns 0 or -errno.
 */
int copies_epoll_add(const struct copies *copies, int epoll_fd);

/*
 * Passes the copies up to that time to @fn, and keeps later ones. Returns 0 or -errno; EPROTO: a ring was corrupt and
 * was skipped.
 */
int copies_read(struct copies *copies, uint64_t until_ns, void (*fn)(void *ctx, const struct tprof_copy *copy),
		void *ctx);

#endif
