/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers as people read them: commas between thousands, times in milliseconds. */
#ifndef TPROF_STAT_NUMBER_H
#define TPROF_STAT_NUMBER_H

#include "counts.h"

/* Storage of a text. */
struct stat_number {
	char text[48];
};

/* Are its values nanoseconds? */
bool stat_is_time(const struct counts_event *event);
const char *stat_value_text(struct stat_number *number, const struct counts_event *event, double value);
/* A mean of small numbers has decimals. */
const char *stat_mean_text(struct stat_number *number, const struct counts_event *event, double value);
/* In place of a value. */
const char *stat_state_text(enum tprof_counter_state state);

#endif
