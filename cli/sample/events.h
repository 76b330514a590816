/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a sampling command. sampling.h has what commands call. */
#ifndef TPROF_EVENTS_H
#define TPROF_EVENTS_H

#include "sampling.h"

/* Setters of options, for a struct sampling: -e, --off-cpu and --wall. */
int events_set(void *ctx, const struct opt *opt, const char *value);
int events_set_waits(void *ctx, const struct opt *opt, const char *value);
int events_set_wall(void *ctx, const struct opt *opt, const char *value);

/* An event of several, with its rate or period. */
struct tprof_event_opts events_opts(const struct sampling *sampling, size_t index);

#endif
