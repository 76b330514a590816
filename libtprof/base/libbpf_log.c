// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Captures libbpf's messages while the library calls libbpf. */
#include "libbpf_log.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/*
 * The only global state in the library: libbpf has one callback per process, without a context argument, and several
 * threads may capture at the same time.
 */
static __thread struct libbpf_log *listening;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int nr_listening;
static libbpf_print_fn_t before;	/* the application's print function; NULL: libbpf is silent */

static int hand_on(enum libbpf_print_level level, const char *format, va_list args)
{
	libbpf_print_fn_t fn;

	pthread_mutex_lock(&lock);
	fn = before;
	pthread_mutex_unlock(&lock);
	return fn ? fn(level, format, args) : 0;
}

static int listen(enum libbpf_print_level level, const char *format, va_list args)
{
	struct libbpf_log *said = listening;
	char line[512];

	if (!said)
		return hand_on(level, format, args);
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

/* The application may call libbpf_set_print() while ours is set; its choice then stays. */
void libbpf_log_begin(struct libbpf_log *said, const struct log *log)
{
	libbpf_print_fn_t found;

	memset(said, 0, sizeof(*said));
	said->log = log;
	listening = said;
	pthread_mutex_lock(&lock);
	nr_listening++;
	found = libbpf_set_print(listen);
	if (found != listen)
		before = found;
	pthread_mutex_unlock(&lock);
}

void libbpf_log_end(struct libbpf_log *said)
{
	libbpf_print_fn_t found;

	(void)said;
	listening = NULL;
	pthread_mutex_lock(&lock);
	if (--nr_listening == 0) {
		found = libbpf_set_print(before);
		if (found != listen)
			libbpf_set_print(found);
	}
	pthread_mutex_unlock(&lock);
}
