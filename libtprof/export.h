/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Exporters: one file each, one line each in export.c's table. */
#ifndef TPROF_EXPORT_H
#define TPROF_EXPORT_H

#include <stdio.h>

#include "profile.h"

/* Write to a stream; its error flag tells whether all went well. Errors: ENOMEM, ERANGE (a number is too large). */
int export_text(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts);
int export_json(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts);
int export_folded(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts);
int export_speedscope(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts);
int export_pprof(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts);

/* Engine, event and ledger as in the JSON of profiles, for formats that are JSON; json-c's to be put. */
struct json_object;
struct json_object *export_json_account(const struct tprof_profile *profile);

#endif
