// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Processes and threads that a session of the module samples. */
#include "kmod_scope.h"

#include "host/descendants.h"
#include "host/kmod_device.h"

static int attach(int session_fd, uint32_t kind, pid_t id)
{
	struct tprof_target target = { .size = sizeof(target), .kind = kind, .id = (uint64_t)id };

	return kmod_call(session_fd, TPROF_IOC_ATTACH, &target);
}

static int attach_process(void *ctx, pid_t pid)
{
	const int *session_fd = ctx;

	return attach(*session_fd, TPROF_TARGET_PROCESS, pid);
}

int kmod_scope_add(int session_fd, const struct target *targets, size_t nr, pid_t *failed)
{
	bool processes = false;

	for (size_t i = 0; i < nr; i++) {
		bool process = targets[i].kind == TPROF_SCOPE_KIND_TGID;
		int err = attach(session_fd, process ? TPROF_TARGET_PROCESS : TPROF_TARGET_THREAD, targets[i].id);

		if (err) {
			*failed = targets[i].id;
			return err;
		}
		processes |= process;
	}
	return processes ? descendants_each(targets, nr, attach_process, &session_fd, failed) : 0;
}
