// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* What libbpf says while we call it. */
#include "libbpf_log.h"

#include <stdio.h>
#include <string.h>

/* The only state of its kind in the library: libbpf's callback has no context argument. */
static __thread struct libbpf_log *listening;

static int listen(enum libbpf_print_level level, const char *format, va_list args)
{
	struct libbpf_log *said = listening;
	char line[512];

	if (!said)
		return 0;
	vsnprintf(line, sizeof(line), format, args);
	line[strcspn(line, "\n")] = '\0';
	const char *text = strncmp(line, "libbpf: ", 8) == 0 ? line + 8 : line;

	if (level == LIBBPF_WARN && !said->warning[0])
		snprintf(said->warning, sizeof(said->warning), "%s", text);
	if (level == LIBBPF_WARN && !said->map[0] && strncmp(text, "map '", 5) == 0)
		snprintf(said->map, sizeof(said->map), "%.255s", text);
	log_debug(said->log, "libbpf: %s", text);
	return 0;
}

void libbpf_log_begin(struct libbpf_log *said, const struct log *log)
{
	memset(said, 0, sizeof(*said));
	said->log = log;
	said->before = libbpf_set_print(listen);
	listening = said;
}

void libbpf_log_end(struct libbpf_log *said)
{
	listening = NULL;
	libbpf_set_print(said->before);
}
