/* SPDX-License-Identifier: GPL-2.0-only */
/* What a profile says of itself, for JSON of commands that say more. */
#ifndef TPROF_JSON_PROFILE_H
#define TPROF_JSON_PROFILE_H

#include "tprof.h"

/* Engine, event and ledger as the library writes them: members, without the braces. To be freed; NULL and errno. */
char *json_profile_summary(const struct tprof_profile *profile);

#endif
