/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The modifiers of perf, which follow the name of an event: "cycles:u", "cpu/event=0x3c/pp". */
#ifndef TPROF_EVENT_MODIFIERS_H
#define TPROF_EVENT_MODIFIERS_H

#include "event.h"

/*
 * Applies modifiers to a parsed event, whose name has them for messages:
 *
 *	u k h	count in user mode, in the kernel, in the hypervisor, and in no other mode
 *	G H	count in guests, or in the host, only
 *	p pp ppp P	how precise the address of a sample must be; P: as precise as the PMU can
 *
 * Errors: EINVAL (another modifier, too many p, or one that does not fit the event), EOPNOTSUPP (this machine has no
 * precise addresses).
 */
int event_modifiers_apply(struct event *event, const char *modifiers, struct tprof_error *error);

#endif
