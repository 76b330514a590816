/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of events, as in -e a,b. */
#ifndef TPROF_EVENT_LIST_H
#define TPROF_EVENT_LIST_H

#include <stddef.h>

/*
 * The length of the first name in a list of events. It ends at a comma, unless the comma separates the terms of a PMU:
 * "cpu/event=0x3c,umask=1/,page-faults". A path after "uprobe:" has slashes of its own.
 */
size_t event_list_length(const char *list);

#endif
