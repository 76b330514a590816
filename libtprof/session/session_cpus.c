// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* CPUs that come online while a session runs. */
#include <errno.h>
#include <string.h>

#include "session.h"

static void warn(struct tprof_session *session, unsigned int cpu, int err)
{
	if (!session->warned_cpus)
		log_warn(&session->log, "CPU %u came online, but is not sampled: %s", cpu,
			 err == -EPIPE ? "the broker process has exited" : strerror(-err));
	session->warned_cpus = true;
}

void session_follow_cpus(struct tprof_session *session)
{
	struct cpus *cpus = &session->sampling.cpus, online;
	size_t nr_before = cpus->nr;

	/* Without memory or files, the next call tries again. */
	if (cpus_follow(cpus, &online))
		return;
	for (size_t i = 0; i < cpus->nr && session->ops->cpu_online; i++) {
		int err = cpus_have(&online, cpus->ids[i]) ? session->ops->cpu_online(session->engine, i) : 0;

		if (err)
			warn(session, cpus->ids[i], err);
		/* The engine has nothing for it, nor for the new ones after it, yet. */
		if (err && i >= nr_before)
			cpus->nr = i;
	}
	cpus_release(&online);
	/* Tables fill up faster. If the timer cannot be set, it keeps its interval. */
	if (cpus->nr > nr_before)
		session_set_timer(session);
}
