// SPDX-License-Identifier: GPL-2.0-only
/* The other events of a profile: self sums of each name, for columns beside those of the first event. */
#include <errno.h>
#include <stdlib.h>

#include "base/opt.h"
#include "report.h"

int report_events_open(struct report *report, const struct tprof_profile *whole)
{
	size_t nr = tprof_profile__nr_events(whole);

	for (size_t e = 1; e < nr && report->nr_others < ARRAY_SIZE(report->others); e++) {
		struct report_event *other = &report->others[e - 1];

		other->profile = tprof_profile__of_event(whole, e);
		if (!other->profile)
			return -errno;
		report->nr_others++;
	}
	return 0;
}

int report_events_add_up(struct report *report)
{
	int err = 0;

	for (size_t e = 0; e < report->nr_others && !err; e++) {
		struct report_event *other = &report->others[e];
		struct calls calls;

		err = calls_open(&calls, other->profile, report->group, &report->names);
		other->total = calls.total;
		other->nr_sums = report->names.nr;
		other->sums = err ? NULL : calls_sums(&calls, other->nr_sums);
		if (!err && !other->sums)
			err = -ENOMEM;
		calls_close(&calls);
	}
	return err;
}

struct tprof_tally report_event_self(const struct report_event *other, uint32_t name)
{
	return name < other->nr_sums ? other->sums[name].self : (struct tprof_tally){ 0 };
}

bool report_events_have(const struct report *report, uint32_t name)
{
	for (size_t e = 0; e < report->nr_others; e++)
		if (report_event_self(&report->others[e], name).samples)
			return true;
	return false;
}

double report_event_percent(const struct report_event *other, const struct tprof_tally *part)
{
	return other->total.weight ? 100.0 * (double)part->weight / (double)other->total.weight : 0;
}

void report_events_forget(struct report *report)
{
	for (size_t e = 0; e < report->nr_others; e++) {
		free(report->others[e].sums);
		report->others[e].sums = NULL;
		report->others[e].nr_sums = 0;
	}
}

void report_events_close(struct report *report)
{
	report_events_forget(report);
	for (size_t e = 0; e < report->nr_others; e++)
		tprof_profile__free(report->others[e].profile);
	report->nr_others = 0;
}
