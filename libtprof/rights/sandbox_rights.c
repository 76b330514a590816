// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
#include "sandbox_rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NR_CAPABILITIES 64

static const struct right {
	unsigned int tasks;
	unsigned int number;
	const char *name;
} rights[] = {
	{ SANDBOX_NAMING | SANDBOX_BROKER, CAP_DAC_READ_SEARCH, "dac_read_search" },
	{ SANDBOX_NAMING, CAP_SYSLOG, "syslog" },
	{ SANDBOX_BROKER | SANDBOX_HIDDEN, CAP_SYS_PTRACE, "sys_ptrace" },
	{ SANDBOX_BROKER, CAP_CHECKPOINT_RESTORE, "checkpoint_restore" },
	{ SANDBOX_BROKER | SANDBOX_MODULE, CAP_PERFMON, "perfmon" },
	{ SANDBOX_FILE, CAP_DAC_OVERRIDE, "dac_override" },
	{ SANDBOX_FILE, CAP_FOWNER, "fowner" },
	{ SANDBOX_COMMAND, CAP_KILL, "kill" },
};

#define NR_RIGHTS (sizeof(rights) / sizeof(rights[0]))

static uint64_t kept_for(unsigned int tasks)
{
	uint64_t kept = 0;

	for (size_t i = 0; i < NR_RIGHTS; i++)
		kept |= (uint64_t)!!(rights[i].tasks & tasks) << rights[i].number;
	return kept;
}

int sandbox_keep_rights(unsigned int tasks)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2];
	const uint64_t kept = kept_for(tasks);

	/*
	 * Stops at the last capability the kernel knows (EINVAL), or at once without CAP_SETPCAP (EPERM). The latter is
	 * harmless: nothing is executed from here on that could regain a capability.
	 */
	for (unsigned int number = 0; number < NR_CAPABILITIES; number++) {
		if (!(kept >> number & 1) && prctl(PR_CAPBSET_DROP, number, 0, 0, 0))
			break;
	}
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (syscall(SYS_capget, &header, sets))
		return -errno;
	for (int half = 0; half < 2; half++) {
		sets[half].permitted &= (uint32_t)(kept >> 32 * half);
		sets[half].effective = sets[half].permitted;
		sets[half].inheritable = 0;
	}
	return syscall(SYS_capset, &header, sets) ? -errno : 0;
}

void sandbox_rights_text(unsigned int tasks, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < NR_RIGHTS && length < size; i++) {
		if (!(rights[i].tasks & tasks))
			continue;
		length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "", rights[i].name);
	}
}
