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

/* The runtime that a hint names. */
static const struct runtime *named_runtime(const char *hint)
{
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		if (strstr(hint, runtimes[i].options))
			return &runtimes[i];
	}
	return NULL;
}

/* Removes a hint from the warnings; returns the runtime that it names, or NULL. */
static const struct runtime *remove_hint(char *warnings)
{
	char *hint = strstr(warnings, RECOGNIZED), *end;
	const struct runtime *runtime;

	if (!hint)
		return NULL;
	while (hint > warnings && !(hint - warnings >= 2 && hint[-1] == ' ' && hint[-2] == ';'))
		hint--;
	end = strstr(hint, "; ");
	if (end)
		*end = '\0';
	runtime = named_runtime(hint);
	if (end)
		memmove(hint, end + 2, strlen(end + 2) + 1);
	else
		hint[hint > warnings ? -2 : 0] = '\0';
	return runtime;
}

static void write_hint(char *text, size_t size, double percent, const struct runtime *runtime)
{
	if (runtime)
		snprintf(text, size, "%.0f %% of the weight is " RECOGNIZED " that %s compiled ([jit]): start the "
			 "program as %s to get names (see JIT in tprof(1))", percent, runtime->language,
			 runtime->options);
	else
		snprintf(text, size, "%.0f %% of the weight is " RECOGNIZED " that was compiled at run time ([jit]): "
			 "the runtime may be able to write a perf map with names (see JIT in tprof(1))", percent);
}

void jit_hint_add(struct tprof_profile *profile)
{
	const struct tprof_entry *most = NULL;
	const char *warnings = profile->info.warnings ? profile->info.warnings : "", *kept = NULL;
	const struct runtime *runtime;
	char text[WARNINGS_SIZE + 512], hint[512] = "";
	double percent = 0;

	for (size_t i = 0; i < profile->nr; i++) {
		const struct tprof_entry *entry = &profile->entries[i]->entry;

		if (!is_nameless(entry))
			continue;
		percent += entry->percent;
		/* The first one has the largest share. */
		most = most ? most : entry;
	}
	/* Without such entries, the profile is empty, or grouped by something else than functions. */
	if (!most || strlen(warnings) + sizeof(hint) + 2 > sizeof(text))
		return;
	strcpy(text, warnings);
	/* A profile that others were added to, or that was grouped, has the hints of these profiles. */
	runtime = remove_hint(text);
	while (strstr(text, RECOGNIZED)) {
		const struct runtime *next = remove_hint(text);

		runtime = runtime ? runtime : next;
	}
	if (!runtime && most->pid > 0)
		runtime = find_runtime(profile, most->pid);
	/* The other warnings may report a refused map, which explains it. */
	if (percent > MIN_PERCENT && (runtime || !*text))
		write_hint(hint, sizeof(hint), percent, runtime);
	if (*hint)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", *text ? "; " : "", hint);
	if (*text)
		kept = strcmp(text, warnings) ? profile_keep(profile, text) : warnings;
	/* If memory is short, the warnings stay as they are. */
	if (kept || !*text)
		profile->info.warnings = kept;
}
