/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Histograms as text, for export_text.c. */
#ifndef TPROF_EXPORT_HIST_H
#define TPROF_EXPORT_HIST_H

#include <stdio.h>

#include "profile/profile.h"

/*
 * True if all of these rows, which are those of one event, are buckets of histograms. Merged tables of one name may
 * have other rows beside them.
 */
bool export_is_hist(struct profile_row *const *rows, size_t nr);

/*
 * Writes @nr such rows, at least one, after the name of the table: their number of histograms, and a histogram for each
 * series, with at most @columns columns, at most @limit of them (0: all). Errors: ENOMEM.
 */
int export_hist(struct profile_row *const *rows, size_t nr, FILE *out, size_t limit, int columns);

#endif
