/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Places in code by name: kprobe:FUNCTION[+OFFSET], kretprobe:FUNCTION, uprobe:PATH:FUNCTION[+OFFSET],
 * uretprobe:PATH:FUNCTION and function:PATTERN. A number in place of FUNCTION is an address of the kernel, or an offset
 * in the file. PATTERN is for all functions of the kernel; * stands for any characters.
 */
#ifndef TPROF_EVENT_PLACE_H
#define TPROF_EVENT_PLACE_H

#include "event.h"

/* Does the name begin with one of these words and a colon? */
bool event_place_is_name(const char *name);

/*
 * Fills in source, type and place, as in the name: nothing is looked up. The caller has set the other fields. Sets the
 * error sentence. Errors: EINVAL (malformed, or too long).
 */
int event_place_parse(struct event *event, const char *name, struct tprof_error *error);

#endif
