/* SPDX-License-Identifier: GPL-2.0-only */
/* The summary of a profile, for the JSON of commands. */
#ifndef TPROF_JSON_PROFILE_H
#define TPROF_JSON_PROFILE_H

#include "tprof.h"

/*
 * Engine, event and ledger as JSON members without the braces, written by the library. The caller frees the text. NULL
 * and errno on error.
 */
char *json_profile_summary(const struct tprof_profile *profile);

#endif
