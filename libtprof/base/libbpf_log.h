/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * What libbpf says while we call it. libbpf has one print function for the whole process; it is ours only
 * between begin and end, of any thread, and what others make libbpf say in that time goes where it went before.
 */
#ifndef TPROF_LIBBPF_LOG_H
#define TPROF_LIBBPF_LOG_H

#include <bpf/libbpf.h>

#include "log.h"

struct libbpf_log {
	char warning[512];		/* the first warning, without "libbpf: " and the newline */
	char map[256];			/* the first one that is about a map which cannot be created */
	const struct log *log;
};

void libbpf_log_begin(struct libbpf_log *said, const struct log *log);
void libbpf_log_end(struct libbpf_log *said);

#endif
