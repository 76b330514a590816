/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Adds a place in code to a session of the module. */
#ifndef TPROF_KMOD_PLACE_H
#define TPROF_KMOD_PLACE_H

#include "base/error.h"
#include "event/event.h"

/* Adds the event, which event_is_place(). Returns its index or -errno. */
int kmod_place_add(int session_fd, const struct event *event, uint64_t period);
/* Sets the error sentence for a failed kmod_place_add(). Returns the -errno for the caller. */
int kmod_place_explain(const struct event *event, int err, struct tprof_error *error);

#endif
