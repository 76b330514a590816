// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The requirements, and the explanation if one of them is missing. */
#include "probe.h"

#include <stdio.h>
#include <string.h>

const struct probe probes_required[NR_PROBES_REQUIRED] = {
	{ "privileges",	probe_privileges },
	{ "kernel",	probe_kernel },
	{ "perf",	probe_perf },
	{ "bpf",	probe_bpf },
	{ "btf",	probe_btf },
	{ "lockdown",	probe_lockdown },
};

bool probe_read_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "re");
	bool found;

	if (!file)
		return false;
	found = fgets(line, size, file) != NULL;
	fclose(file);
	if (found)
		line[strcspn(line, "\n")] = '\0';
	return found;
}

int probe_explain(struct tprof_error *error)
{
	for (size_t i = 0; i < NR_PROBES_REQUIRED; i++) {
		struct finding finding = { 0 };

		probes_required[i].find(&finding);
		if (finding.ok)
			continue;
		error_set(error, finding.err, "%s: %s", probes_required[i].name, finding.text);
		finding_advise(&finding, error);
		return -finding.err;
	}
	return 0;
}
