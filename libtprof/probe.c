// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The table of probes, in the order in which they matter: what comes first is the reason for what follows. */
#include "probe.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	bool required;
	void (*find)(struct finding *finding);
} probes[] = {
	{ "privileges",		true,	probe_privileges },
	{ "kernel",		true,	probe_kernel },
	{ "perf",		true,	probe_perf },
	{ "bpf",		true,	probe_bpf },
	{ "btf",		true,	probe_btf },
	{ "lockdown",		true,	probe_lockdown },
	{ "pmu",		false,	probe_pmu },
	{ "kallsyms",		false,	probe_kallsyms },
	{ "perf_event_paranoid", false,	probe_paranoid },
	{ "unprivileged_bpf",	false,	probe_unprivileged_bpf },
	{ "bpf_jit",		false,	probe_jit },
	{ "max_sample_rate",	false,	probe_max_rate },
	{ "bpffs",		false,	probe_bpffs },
	{ "cgroup2",		false,	probe_cgroup },
	{ "pid_namespace",	false,	probe_pid_namespace },
	{ "time_namespace",	false,	probe_time_namespace },
	{ "sandbox",		false,	probe_sandbox },
	{ "perf_maps",		false,	probe_perf_maps },
	{ "bpf_programs",	false,	probe_neighbours },
	{ "debug_symbols",	false,	probe_debug_symbols },
	{ "module",		false,	probe_module },
};

#define NR_PROBES (sizeof(probes) / sizeof(probes[0]))

void finding_ok(struct finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finding->text, sizeof(finding->text), format, args);
	va_end(args);
	finding->ok = true;
	finding->err = 0;
}

void finding_missing(struct finding *finding, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finding->text, sizeof(finding->text), format, args);
	va_end(args);
	finding->ok = false;
	finding->err = err;
}

void finding_mend(struct finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finding->mend, sizeof(finding->mend), format, args);
	va_end(args);
}

void finding_hint(struct finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finding->hint, sizeof(finding->hint), format, args);
	va_end(args);
}

void finding_advise(const struct finding *finding, struct tprof_error *error)
{
	if (finding->hint[0])
		error_hint(error, "%s", finding->hint);
	else
		error_hint(error, "%s", finding->mend[0] ? finding->mend : "tprof doctor");
}

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

int tprof_probe__each(int (*fn)(void *ctx, const struct tprof_probe *probe), void *ctx)
{
	struct tprof_probe probe;
	int stop = 0;
	size_t i;

	for (i = 0; i < NR_PROBES && !stop; i++) {
		struct finding finding = { 0 };

		probes[i].find(&finding);
		probe.name = probes[i].name;
		probe.required = probes[i].required;
		probe.ok = finding.ok;
		probe.text = finding.text;
		probe.mend = finding.mend;
		stop = fn(ctx, &probe);
	}
	return stop;
}

int probe_explain(struct tprof_error *error)
{
	size_t i;

	for (i = 0; i < NR_PROBES; i++) {
		struct finding finding = { 0 };

		if (!probes[i].required)
			continue;
		probes[i].find(&finding);
		if (finding.ok)
			continue;
		error_set(error, finding.err, "%s: %s", probes[i].name, finding.text);
		finding_advise(&finding, error);
		return -finding.err;
	}
	return 0;
}
