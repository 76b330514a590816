/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Events with numbers that the kernel or the CPU defines: cycles, L1-dcache-loads, r1a8. */
#ifndef TPROF_EVENT_NUMBERS_H
#define TPROF_EVENT_NUMBERS_H

#include "event.h"

/* Parses a name of event_names.h, and sets the displayed name, which an alias does not have. */
bool event_parse_numbered(struct event *event, const char *name);
/* Parses a cache event; the displayed name is unchanged. */
bool event_parse_cache(struct event *event, const char *name);
/* Parses rNNN: a raw hardware event; NNN is its config in hexadecimal. Likewise. */
bool event_parse_raw(struct event *event, const char *name);

#endif
