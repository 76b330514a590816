// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The language is recognized by an object from which the same process ran code. Thread names are no evidence: Java
 * names them as the application asks.
 */
#include "jit_hint.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* No hint below this share. */
#define MIN_PERCENT 5

/* Text that is in each hint and in no other warning. */
#define RECOGNIZED "in code without a name"

static const struct runtime {
	const char *object;		/* a pattern */
	const char *language;
	const char *options;
} runtimes[] = {
	{ "libjvm.so", "Java", "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit" },
	{ "node", "Node.js", "node --perf-basic-prof --interpreted-frames-native-stack" },
	{ "nodejs", "Node.js", "node --perf-basic-prof --interpreted-frames-native-stack" },
	{ "libnode.so*", "Node.js", "node --perf-basic-prof --interpreted-frames-native-stack" },
};

static const struct runtime *runtime_of(const char *object)
{
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		if (!fnmatch(runtimes[i].object, object, 0))
			return &runtimes[i];
	}
	return NULL;
}

static bool is_nameless(const struct tprof_entry *entry)
{
	return !strcmp(entry->symbol, "[jit]");
}

/* The runtime of the process, by the objects it ran. */
static const struct runtime *find_runtime(const struct tprof_profile *profile, pid_t pid)
{
	for (size_t i = 0; i < profile->nr; i++) {
		const struct tprof_entry *entry = &profile->entries[i]->entry;
		const struct runtime *runtime = entry->pid == pid ? runtime_of(entry->object) : NULL;

		if (runtime)
			return runtime;
	}
	return NULL;
}

void jit_hint_add(struct tprof_profile *profile)
{
	const char *warnings = profile->info.warnings, *added;
	const struct tprof_entry *most = NULL;
	const struct runtime *runtime = NULL;
	char text[4096];
	double percent = 0;

	for (size_t i = 0; i < profile->nr; i++) {
		const struct tprof_entry *entry = &profile->entries[i]->entry;

		if (!is_nameless(entry))
			continue;
		percent += entry->percent;
		/* The first one has the largest share. */
		most = most ? most : entry;
	}
	if (percent <= MIN_PERCENT || (warnings && strstr(warnings, RECOGNIZED)))
		return;
	if (most->pid > 0)
		runtime = find_runtime(profile, most->pid);
	/* The warnings may already report a refused map, which explains it. */
	if (!runtime && warnings)
		return;
	if (runtime)
		snprintf(text, sizeof(text), "%s%s%.0f %% of the weight is " RECOGNIZED " that %s compiled ([jit]): "
			 "start the program as %s to get names (see JIT in tprof(1))",
			 warnings ? warnings : "", warnings ? "; " : "", percent, runtime->language, runtime->options);
	else
		snprintf(text, sizeof(text), "%.0f %% of the weight is " RECOGNIZED " that was compiled at run time "
			 "([jit]): the runtime may be able to write a perf map with names (see JIT in tprof(1))",
			 percent);
	added = profile_keep(profile, text);
	if (added)
		profile->info.warnings = added;
}
