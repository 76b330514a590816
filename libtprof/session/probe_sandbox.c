// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Reports which parts of a session's sandbox this kernel supports. */
#include <errno.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe_list.h"
#include "rights/sandbox_files.h"
#include "rights/sandbox_rights.h"
#include "sandbox.h"

static bool has_filters(void)
{
	const uint32_t action = SECCOMP_RET_ERRNO;

	return !syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
}

void probe_sandbox(struct finding *finding)
{
	const bool hides = sandbox_is_proc_hiding();
	const unsigned int tasks = SANDBOX_NAMING | (hides ? SANDBOX_HIDDEN : 0);
	char own[96], broker[96], landlock[32] = "";
	int version = hides ? 0 : sandbox_landlock_version();

	if (!has_filters()) {
		finding_missing(finding, EOPNOTSUPP, "this kernel has no seccomp filters: the sandbox refuses no "
				"system calls");
		finding_hint(finding, "boot a kernel that was built with CONFIG_SECCOMP_FILTER");
		return;
	}
	sandbox_rights_text(tasks, own, sizeof(own));
	sandbox_rights_text(SANDBOX_BROKER, broker, sizeof(broker));
	if (version)
		snprintf(landlock, sizeof(landlock), ", Landlock %d", version);
	finding_ok(finding, "seccomp%s; keeps %s; its broker %s%s", landlock, own, broker,
		   version ? "" : hides ? " (no Landlock: /proc hides processes)" : " (no Landlock in this kernel)");
}
