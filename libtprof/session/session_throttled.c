// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Warning about a period that the engine made longer than it was asked for, to save CPU time. */
#include <stdio.h>

#include "profile/profile.h"
#include "session.h"

int session_warn_throttled(struct tprof_session *session, struct tprof_profile *profile)
{
	uint32_t factor = session->ops->period_factor ? session->ops->period_factor(session->engine) : 1;
	char said[256];

	if (factor <= 1)
		return 0;
	snprintf(said, sizeof(said), "there are fewer samples than asked for, with the same total weight: the period "
		 "was up to %u times as long, because the samples of all sessions took more of a CPU than the "
		 "module parameter cpu_time_max_percent permits", factor);
	if (factor > session->warned_factor)
		log_info(&session->log, "%s", said);
	session->warned_factor = factor > session->warned_factor ? factor : session->warned_factor;
	return profile_warn(profile, said);
}
