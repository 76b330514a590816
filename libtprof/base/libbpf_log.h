/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Captures libbpf's messages while the library calls libbpf. libbpf has one print function per process. It is replaced
 * between the first begin and the last end of all threads; during that time, messages caused by other threads go to the
 * print function that was set before.
 */
#ifndef TPROF_LIBBPF_LOG_H
#define TPROF_LIBBPF_LOG_H

#include <bpf/libbpf.h>

#include "log.h"

struct libbpf_log {
	char warning[512];		/* the first warning, without the prefix "libbpf: " and the newline */
	char map[256];			/* the first warning about a map that could not be created */
	const struct log *log;
};

void libbpf_log_begin(struct libbpf_log *said, const struct log *log);
void libbpf_log_end(struct libbpf_log *said);

#endif
