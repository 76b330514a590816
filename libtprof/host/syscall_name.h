/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Names of system calls. */
#ifndef TPROF_SYSCALL_NAME_H
#define TPROF_SYSCALL_NAME_H

#include <stdint.h>

/* The name of a system call of this architecture (64 bits), or NULL. */
const char *syscall_name(int64_t number);

#endif
