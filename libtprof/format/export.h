/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Exporters: one file each, one line each in export.c's table. */
#ifndef TPROF_EXPORT_H
#define TPROF_EXPORT_H

#include <jansson.h>
#include <stdio.h>

#include "profile/profile.h"

/*
 * Each writes to a stream; the caller checks the stream's error flag. Errors: ENOMEM, ERANGE (a number is too large).
 */
int export_text(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts);
int export_json(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts);
int export_folded(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts);
int export_speedscope(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts);
int export_pprof(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts);

/* Engine, event and ledger as in the JSON of profiles, for other formats based on JSON. NULL: no memory. */
json_t *export_json_summary(const struct tprof_profile *profile);
/* The members of key and value of a row. NULL: no memory. */
json_t *export_json_cells(const struct profile_row *row);
/* Writes @value and drops the reference. Errors: ENOMEM, also if @value is NULL. */
int export_json_write(json_t *value, FILE *out);

#endif
