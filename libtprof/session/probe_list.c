// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* All probes of `tprof doctor`: the required features first, then the optional ones. */
#include "probe_list.h"

#include "host/probe.h"

static const struct probe probes[] = {
	{ "pmu",		probe_pmu },
	{ "kallsyms",		probe_kallsyms },
	{ "perf_event_paranoid", probe_paranoid },
	{ "unprivileged_bpf",	probe_unprivileged_bpf },
	{ "bpf_jit",		probe_jit },
	{ "max_sample_rate",	probe_max_rate },
	{ "bpffs",		probe_bpffs },
	{ "cgroup2",		probe_cgroup },
	{ "pid_namespace",	probe_pid_namespace },
	{ "time_namespace",	probe_time_namespace },
	{ "sandbox",		probe_sandbox },
	{ "perf_maps",		probe_perf_maps },
	{ "bpf_programs",	probe_neighbours },
	{ "debug_symbols",	probe_debug_symbols },
	{ "module",		probe_module },
};

#define NR_PROBES (sizeof(probes) / sizeof(probes[0]))

static int find(const struct probe *probe, bool required, int (*fn)(void *ctx, const struct tprof_probe *probe),
		void *ctx)
{
	struct finding finding = { 0 };
	struct tprof_probe found = { .name = probe->name, .required = required };

	probe->find(&finding);
	found.ok = finding.ok;
	found.text = finding.text;
	found.mend = finding.mend;
	return fn(ctx, &found);
}

int tprof_probe__each(int (*fn)(void *ctx, const struct tprof_probe *probe), void *ctx)
{
	int stop = 0;

	for (size_t i = 0; i < NR_PROBES_REQUIRED && !stop; i++)
		stop = find(&probes_required[i], true, fn, ctx);
	for (size_t i = 0; i < NR_PROBES && !stop; i++)
		stop = find(&probes[i], false, fn, ctx);
	return stop;
}
