// SPDX-License-Identifier: GPL-2.0-only
/* Numbers as people read them. */
#include "stat_number.h"

#include <stdio.h>
#include <string.h>

/* With commas between thousands; @decimals digits after the point. */
static const char *grouped(struct stat_number *number, double value, int decimals)
{
	char plain[40];
	size_t digits, length, to = 0;

	snprintf(plain, sizeof(plain), "%.*f", decimals, value < 0 ? -value : value);
	length = strlen(plain);
	digits = strcspn(plain, ".");
	if (value < 0)
		number->text[to++] = '-';
	for (size_t i = 0; i < length && to < sizeof(number->text) - 2; i++) {
		if (i && i < digits && (digits - i) % 3 == 0)
			number->text[to++] = ',';
		number->text[to++] = plain[i];
	}
	number->text[to] = '\0';
	return number->text;
}

bool stat_is_time(const struct counts_event *event)
{
	return !strcmp(event->unit, "ns");
}

const char *stat_value_text(struct stat_number *number, const struct counts_event *event, double value)
{
	return stat_is_time(event) ? grouped(number, value / 1e6, 2) : grouped(number, value, 0);
}

const char *stat_mean_text(struct stat_number *number, const struct counts_event *event, double value)
{
	return stat_is_time(event) || value >= 1000 ? stat_value_text(number, event, value) : grouped(number, value, 2);
}

const char *stat_state_text(enum tprof_counter_state state)
{
	return state == TPROF_NOT_SUPPORTED ? "<not supported>" : "<not counted>";
}
