// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The names are those of the kernel headers with which tprof is built (mk/build.mk makes the list). */
#include "syscall_name.h"

#include <asm/unistd.h>
#include <stddef.h>

#include "base/array.h"

static const char *const names[] = {
#define X(name) [__NR_##name] = #name,
#include "syscalls.inc"
#undef X
};

const char *syscall_name(int64_t number)
{
	return number >= 0 && (size_t)number < ARRAY_SIZE(names) ? names[number] : NULL;
}
