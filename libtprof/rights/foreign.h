/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Access to other processes through /proc: directly, or through a broker once the sandbox forbids it. */
#ifndef TPROF_FOREIGN_H
#define TPROF_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "broker.h"
#include "host/proc.h"

/* Both return a file descriptor or -errno. @broker may be NULL. */
int foreign_open(struct broker *broker, enum broker_question what, pid_t pid);
int foreign_open_map_file(struct broker *broker, pid_t pid, uint64_t start, uint64_t end);

/* Like proc_read(). Returns 0 or -errno. */
int foreign_read(struct broker *broker, struct proc_text *text, enum broker_question what, pid_t pid);

#endif
