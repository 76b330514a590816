// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Checks whether the perf maps of the live processes would be read. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "host/proc.h"
#include "probe_list.h"
#include "symbol/perfmap_file.h"

struct search {
	size_t max_bytes;
	unsigned int nr, nr_refused;
	char first[160];		/* the first refused map, with the reason */
};

static int look_at(void *ctx, pid_t tgid)
{
	struct perfmap_owner owner = { .tgid = tgid, .to_ns = INT64_MAX, .tmp_fd = -1 };
	struct search *search = ctx;
	struct perfmap_found found;
	int fd;

	if (perfmap_owner_read(&owner))
		return 0;
	perfmap_owner_hold(&owner);
	fd = perfmap_file_open(&owner, &found);
	if (fd >= 0) {
		close(fd);
		found.max_bytes = search->max_bytes / 2;
		if ((size_t)found.st.st_size > found.max_bytes)
			found.refusal = PERFMAP_TOO_LARGE;
	}
	search->nr += found.refusal != PERFMAP_MISSING;
	if (found.refusal != PERFMAP_MISSING && found.refusal != PERFMAP_ACCEPTED && !search->nr_refused++)
		perfmap_found_text(&found, &owner, search->first, sizeof(search->first));
	perfmap_owner_release(&owner);
	return 0;
}

void probe_perf_maps(struct finding *finding)
{
	struct search search = { .max_bytes = perfmap_max_bytes() };

	proc_each_process(look_at, &search);
	if (search.nr_refused > 1)
		finding_missing(finding, EOPNOTSUPP, "%s; and %u more", search.first, search.nr_refused - 1);
	else if (search.nr_refused)
		finding_missing(finding, EOPNOTSUPP, "%s", search.first);
	else
		finding_ok(finding, "%u found for running processes; the limit for all of them is %zu MiB", search.nr,
			   search.max_bytes >> 20);
}
