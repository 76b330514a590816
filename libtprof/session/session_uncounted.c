// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Warning about a filter for an event of context switches that counted no sample because others were sampled. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profile/profile.h"
#include "session.h"

/* The event that the object asks for, or has a body for; NULL: it may be for any. */
static const char *event_of(const struct tprof_filter *filter)
{
	if (filter->event)
		return filter->event;
	if (filter_has_offcpu(filter) == filter_has_wakeup(filter))
		return NULL;
	return filter_has_wakeup(filter) ? EVENT_WAKEUP_NAME : EVENT_WAIT_NAME;
}

static bool samples(const struct tprof_session *session, const char *event)
{
	for (size_t e = 0; e < session->sampling.nr_events; e++) {
		if (strcmp(session->sampling.events[e].event.name, event) == 0)
			return true;
	}
	return false;
}

/* Samples that the filters saw and that left nothing, without those of idle CPUs; 0: something was counted. */
static uint64_t nr_uncounted(const struct tprof_ledger *ledger)
{
	uint64_t done = ledger->outcomes[TPROF_OUTCOME_DONE].samples;

	if (ledger->outcomes[TPROF_OUTCOME_KEPT].samples)
		return 0;
	for (size_t i = 0; i < TPROF_NR_COUNTINGS; i++) {
		if (ledger->countings[i].samples)
			return 0;
	}
	return done > ledger->idle.samples ? done - ledger->idle.samples : 0;
}

int session_warn_uncounted(struct tprof_session *session, struct tprof_profile *profile)
{
	uint64_t nr = nr_uncounted(&profile->ledger);
	char said[256];
	int err = 0;

	for (size_t i = 0; i < session->filters.nr && nr && !err; i++) {
		const struct tprof_filter *filter = session->filters.all[i];
		const char *event = event_of(filter);

		/* Other events have several names. */
		if (!event || !tprof_event__is_of_switches(event) || samples(session, event))
			continue;
		snprintf(said, sizeof(said), "filter %s counted none of the %" PRIu64 " samples: it is for the event "
			 "%s (-e %s), which was not sampled", tprof_filter__name(filter), nr, event, event);
		err = profile_warn(profile, said);
	}
	return err;
}
