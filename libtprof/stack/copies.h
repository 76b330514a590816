/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The copies of stacks that filters have made: TPROF_COPIES(). */
#ifndef TPROF_COPIES_H
#define TPROF_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "filter/filter.h"

struct copies;

/* Never fails but for memory. */
struct copies *copies_new(void);
void copies_free(struct copies *copies);

/* Does the filter copy stacks? */
bool copies_made_by(const struct tprof_filter *filter);
/*
 * Before the filter is loaded: gives its ring the size for so many samples a second on all CPUs together. Errors:
 * EINVAL (it is to copy what cannot be copied), with a sentence.
 */
int copies_prepare(struct tprof_filter *filter, uint64_t samples_per_second, struct tprof_error *error);
/* Once it is loaded: reads from it, too. Errors: those of mmap. */
int copies_add(struct copies *copies, const struct tprof_filter *filter);

/* In how many milliseconds the ring is half full at that rate; UINT64_MAX if the filter has none. */
uint64_t copies_fill_ms(const struct tprof_filter *filter, uint64_t samples_per_second);
/* Is one more than half full? Then reading cannot wait for its time. */
bool copies_are_many(const struct copies *copies);
/* Adds the rings to an epoll descriptor, which tells when one gets half full. Returns 0 or -errno. */
int copies_epoll_add(const struct copies *copies, int epoll_fd);

/*
 * Hands over the copies of samples up to that time, and leaves the younger ones. Returns 0, or -errno; EPROTO: a ring
 * made no sense, and was skipped.
 */
int copies_read(struct copies *copies, uint64_t until_ns, void (*fn)(void *ctx, const struct tprof_copy *copy),
		void *ctx);

#endif
