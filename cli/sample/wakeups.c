// SPDX-License-Identifier: GPL-2.0-only
/* The option --wakeups. */
#include "wakeups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"

/* The filter, and its parameter. */
#define FILTER "offwake"
#define PARAM "nr_wakers"

int wakeups_set(struct sampling *sampling, const struct opt *opt, const char *value)
{
	sampling->nr_wakers = 1;
	return value ? opt_number(opt, value, 1, WAKEUPS_MAX, &sampling->nr_wakers) : 0;
}

int wakeups_choose(struct sampling *sampling, const char *call_graph)
{
	char text[24];
	int code;

	if (!sampling->nr_wakers)
		return 0;
	if (sampling->filter)
		return out_usage("--wakeups has a filter of its own, " FILTER ": leave one of them out",
				 "--wakeups and --filter exclude each other");
	if (call_graph)
		return out_usage("--wakeups always has call stacks by frame pointers: leave one of them out",
				 "--wakeups and %s exclude each other", call_graph);
	sampling->filter = FILTER;
	/* The module does not keep wakers. */
	if (!sampling->session.engine)
		sampling->session.engine = "perf";
	code = sampling_add_waits(sampling);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)sampling->nr_wakers);
	return code ? code : sampling_set(sampling, PARAM, text, "--wakeups");
}
