// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Profiles: entries and rows are merged, sorted, and returned to the caller. */
#include "profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "jit_hint.h"
#include "ledger.h"

static const char *const mode_names[] = {
	[TPROF_MODE_UNKNOWN] = "unknown", [TPROF_MODE_USER] = "user", [TPROF_MODE_KERNEL] = "kernel",
	[TPROF_MODE_GUEST] = "guest",	  [TPROF_MODE_IDLE] = "idle",
};

const char *tprof_mode__name(enum tprof_mode mode)
{
	return (unsigned int)mode < sizeof(mode_names) / sizeof(mode_names[0]) ? mode_names[mode] : "unknown";
}

struct tprof_profile *profile_new(void)
{
	struct tprof_profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->ledger.sz = sizeof(profile->ledger);
	profile->info.sz = sizeof(profile->info);
	profile->nr_events = 1;
	profile->strings = intern_new();
	if (!profile->strings) {
		free(profile);
		return NULL;
	}
	return profile;
}

void tprof_profile__free(struct tprof_profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->nr; i++)
		free(profile->entries[i]);
	profile_free_tables(profile);
	profile_free_call_stacks(profile);
	free(profile->entries);
	free(profile->events);
	hash_fini(&profile->index);
	intern_free(profile->strings);
	free(profile);
}

const char *profile_keep(struct tprof_profile *profile, const char *name)
{
	return intern_name(profile->strings, name ? name : "");
}

int profile_warn(struct tprof_profile *profile, const char *warning)
{
	const char *before = profile->info.warnings, *kept;
	char *both;

	if (asprintf(&both, "%s%s%s", before ? before : "", before ? "; " : "", warning) < 0)
		return -ENOMEM;
	kept = profile_keep(profile, both);
	free(both);
	if (!kept)
		return -ENOMEM;
	profile->info.warnings = kept;
	return 0;
}

/* Replaces a string by the profile's copy; NULL by "". */
static int keep(struct tprof_profile *profile, const char **string)
{
	*string = profile_keep(profile, *string);
	return *string ? 0 : -ENOMEM;
}

int profile_set_info(struct tprof_profile *profile, const struct tprof_info *info)
{
	profile->info = *info;
	if (keep(profile, &profile->info.engine) || keep(profile, &profile->info.event) ||
	    keep(profile, &profile->info.unit))
		return -ENOMEM;
	if (info->warnings && keep(profile, &profile->info.warnings))
		return -ENOMEM;
	profile->first = (struct tprof_event_info){
		.sz = sizeof(profile->first), .event = profile->info.event, .unit = profile->info.unit,
		.rate_hz = info->rate_hz, .period = info->period,
	};
	return info->fallback ? keep(profile, &profile->info.fallback) : 0;
}

/* Strings are interned, so their addresses identify them. */
static uint64_t entry_key(const struct tprof_entry *entry)
{
	uint64_t key = hash_mix((uintptr_t)entry->symbol, (uintptr_t)entry->object);

	key = hash_mix(key, (uintptr_t)entry->comm);
	key = hash_mix(key, (uintptr_t)entry->cgroup);
	key = hash_mix(key, (uintptr_t)entry->owner);
	key = hash_mix(key, (uint64_t)(uint32_t)entry->pid << 32 | (uint32_t)entry->cpu);
	key = hash_mix(key, (uintptr_t)entry->file);
	return hash_mix(key, (uint64_t)entry->line << 32 | (uint64_t)entry->inlined << 8 | entry->mode);
}

static bool same_entry(const struct tprof_entry *a, const struct tprof_entry *b)
{
	return a->symbol == b->symbol && a->object == b->object && a->comm == b->comm && a->cgroup == b->cgroup &&
	       a->owner == b->owner && a->pid == b->pid && a->cpu == b->cpu && a->mode == b->mode &&
	       a->file == b->file && a->line == b->line && a->inlined == b->inlined;
}

/* The same for a string that often equals the previous one, @last: a copy of this profile, or NULL. */
static int keep_again(struct tprof_profile *profile, const char **string, const char **last)
{
	int err = 0;

	if (*last && *string && !strcmp(*string, *last))
		*string = *last;
	else
		err = keep(profile, string);
	*last = *string;
	return err;
}

static int keep_all(struct tprof_profile *profile, struct tprof_entry *entry)
{
	struct profile_last *last = &profile->last;

	return keep(profile, &entry->symbol) || keep_again(profile, &entry->object, &last->object) ||
	       keep_again(profile, &entry->comm, &last->comm) || keep_again(profile, &entry->cgroup, &last->cgroup) ||
	       keep_again(profile, &entry->owner, &last->owner) ||
	       keep_again(profile, &entry->file, &last->file) ? -ENOMEM : 0;
}

static struct profile_entry *find_kept(const struct tprof_profile *profile, const struct tprof_entry *wanted)
{
	struct hash_node *node = hash_find(&profile->index, entry_key(wanted));

	for (; node; node = hash_find_next(node)) {
		struct profile_entry *kept = (struct profile_entry *)node;

		if (same_entry(&kept->entry, wanted))
			return kept;
	}
	return NULL;
}

struct profile_entry *profile_find(struct tprof_profile *profile, const struct tprof_entry *entry)
{
	struct tprof_entry wanted = *entry;

	return keep_all(profile, &wanted) ? NULL : find_kept(profile, &wanted);
}

void profile_set_place(struct tprof_entry *entry, const struct tprof_frame *frame)
{
	entry->symbol = frame->symbol;
	entry->object = frame->object;
	entry->file = frame->file;
	entry->line = frame->line;
	entry->inlined = frame->inlined;
}

/* Finds the entry with this key, or makes it, with no samples. */
static struct profile_entry *make_entry(struct tprof_profile *profile, const struct tprof_entry *key)
{
	size_t nr_more = profile->nr_events - 1;
	struct profile_entry *made, *known;
	struct tprof_entry entry = *key;

	if (keep_all(profile, &entry))
		return NULL;
	known = find_kept(profile, &entry);
	if (known)
		return known;
	made = calloc(1, sizeof(*made) + nr_more * sizeof(made->more[0]));
	if (!made || array_grow_pointers(&profile->entries, profile->nr, &profile->capacity) ||
	    hash_add(&profile->index, &made->node, entry_key(&entry))) {
		free(made);
		return NULL;
	}
	made->entry = entry;
	made->entry.samples = made->entry.weight = 0;
	made->nr_more = nr_more;
	profile->entries[profile->nr++] = made;
	return made;
}

int profile_add_of(struct tprof_profile *profile, const struct tprof_entry *added, size_t event)
{
	const struct tprof_tally value = { added->samples, added->weight };
	struct profile_entry *into = make_entry(profile, added);

	if (!into)
		return -ENOMEM;
	tally_add_of(&into->entry.samples, &into->entry.weight, into->more, &value, event);
	return 0;
}

int profile_add(struct tprof_profile *profile, const struct tprof_entry *added)
{
	return profile_add_of(profile, added, 0);
}

int profile_add_all(struct tprof_profile *profile, const struct tprof_entry *key, const struct profile_entry *from)
{
	struct profile_entry *into = make_entry(profile, key);

	for (size_t e = 0; into && e < profile->nr_events; e++) {
		const struct tprof_tally value = entry_tally(from, e);

		tally_add_of(&into->entry.samples, &into->entry.weight, into->more, &value, e);
	}
	return into ? 0 : -ENOMEM;
}

static int heavier_first(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int ascending(int a, int b)
{
	return (a > b) - (a < b);
}

/* Compares all fields that distinguish entries, so that equal profiles give equal output. */
static int compare_entries(const void *a, const void *b)
{
	const struct profile_entry *p = *(struct profile_entry *const *)a, *q = *(struct profile_entry *const *)b;
	const struct tprof_entry *x = &p->entry, *y = &q->entry;
	int order = heavier_first(x->weight, y->weight);

	for (size_t i = 0; i < p->nr_more && !order; i++)
		order = heavier_first(p->more[i].weight, q->more[i].weight);
	if (!order)
		order = strcmp(x->symbol, y->symbol);
	if (!order)
		order = strcmp(x->object, y->object);
	if (!order)
		order = ascending(x->pid, y->pid);
	if (!order)
		order = strcmp(x->comm, y->comm);
	if (!order)
		order = strcmp(x->cgroup, y->cgroup);
	if (!order)
		order = strcmp(x->owner, y->owner);
	if (!order)
		order = ascending(x->cpu, y->cpu);
	if (!order)
		order = ascending((int)x->mode, (int)y->mode);
	if (!order)
		order = strcmp(x->file, y->file);
	if (!order)
		order = (x->line > y->line) - (x->line < y->line);
	return order ? order : ascending(x->inlined, y->inlined);
}

void profile_finish(struct tprof_profile *profile)
{
	uint64_t total = 0;

	for (size_t i = 0; i < profile->nr; i++)
		total += profile->entries[i]->entry.weight;
	for (size_t i = 0; i < profile->nr; i++) {
		struct tprof_entry *entry = &profile->entries[i]->entry;

		entry->percent = total ? 100.0 * (double)entry->weight / (double)total : 0;
	}
	if (profile->nr)
		qsort(profile->entries, profile->nr, sizeof(*profile->entries), compare_entries);
	profile_sort_call_stacks(profile);
	profile_sort_tables(profile);
	jit_hint_add(profile);
}

/* Cannot overflow for one profile: its reader or collector has checked that. */
static struct tprof_tally sum_of_entries(const struct tprof_profile *profile, size_t event)
{
	struct tprof_tally sum = { 0, 0 };

	for (size_t i = 0; i < profile->nr; i++) {
		const struct tprof_tally value = entry_tally(profile->entries[i], event);

		sum.samples += value.samples;
		sum.weight += value.weight;
	}
	return sum;
}

static bool sums_fit(const struct tprof_profile *into, const struct tprof_profile *from)
{
	for (size_t e = 0; e < into->nr_events; e++) {
		struct tprof_tally a = sum_of_entries(into, e), b = sum_of_entries(from, e);

		if (a.samples > UINT64_MAX - b.samples || a.weight > UINT64_MAX - b.weight)
			return false;
	}
	return into->duration_ns <= UINT64_MAX - from->duration_ns && ledger_can_add(&into->ledger, &from->ledger);
}

/* True if the list, "; " between warnings, has the warning of this length. */
static bool has_warning(const char *list, const char *warning, size_t length)
{
	while (list) {
		const char *end = strstr(list, "; ");

		if ((end ? (size_t)(end - list) : strlen(list)) == length && !strncmp(list, warning, length))
			return true;
		list = end ? end + 2 : NULL;
	}
	return false;
}

/* Adds the warnings that are new, up to a limit: a total of many profiles may have one of its own from each. */
static int merge_warnings(struct tprof_profile *profile, const char *from)
{
	while (from) {
		const char *end = strstr(from, "; "), *known = profile->info.warnings;
		size_t length = end ? (size_t)(end - from) : strlen(from);
		char warning[WARNINGS_SIZE];

		if (!has_warning(known, from, length) &&
		    (known ? strlen(known) : 0) + length + sizeof("; ") <= sizeof(warning)) {
			snprintf(warning, sizeof(warning), "%.*s", (int)length, from);
			if (profile_warn(profile, warning))
				return -ENOMEM;
		}
		from = end ? end + 2 : NULL;
	}
	return 0;
}

/* Keeps the last period: it may change between the profiles. */
static int merge_info(struct tprof_profile *profile, const struct tprof_info *from)
{
	struct tprof_info *into = &profile->info;

	into->period = profile->first.period = from->period;
	if (into->rate_hz != from->rate_hz)
		into->rate_hz = 0;
	if (into->nr_cpus != from->nr_cpus)
		into->nr_cpus = 0;
	if (into->nr_online != from->nr_online)
		into->nr_online = 0;
	if (!into->fallback && from->fallback) {
		into->fallback = from->fallback;
		if (keep(profile, &into->fallback))
			return -ENOMEM;
	}
	if (merge_warnings(profile, from->warnings))
		return -ENOMEM;
	if (!strcmp(into->engine, from->engine))
		return 0;
	into->engine = "several";
	return keep(profile, &into->engine);
}

int tprof_profile__merge(struct tprof_profile *into, const struct tprof_profile *from)
{
	if (into->grouped || from->grouped)
		return -EINVAL;
	if (!profile_same_events(into, from))
		return -EINVAL;
	if (!sums_fit(into, from))
		return -ERANGE;
	for (size_t i = 0; i < from->nr; i++) {
		if (profile_add_all(into, &from->entries[i]->entry, from->entries[i]))
			return -ENOMEM;
	}
	if (profile_merge_call_stacks(into, from) || profile_merge_tables(into, from) || merge_info(into, &from->info))
		return -ENOMEM;
	ledger_add(&into->ledger, &from->ledger);
	for (size_t e = 0; into->events && e < into->nr_events; e++) {
		ledger_add(&into->events[e].ledger, &from->events[e].ledger);
		into->events[e].info.period = from->events[e].info.period;
	}
	into->duration_ns += from->duration_ns;
	profile_finish(into);
	return 0;
}

size_t tprof_profile__nr_entries(const struct tprof_profile *profile)
{
	return profile->nr;
}

const struct tprof_entry *tprof_profile__entry(const struct tprof_profile *profile, size_t index)
{
	return index < profile->nr ? &profile->entries[index]->entry : NULL;
}

const struct tprof_ledger *tprof_profile__ledger(const struct tprof_profile *profile)
{
	return &profile->ledger;
}

const struct tprof_info *tprof_profile__info(const struct tprof_profile *profile)
{
	return &profile->info;
}

uint64_t tprof_profile__duration_ns(const struct tprof_profile *profile)
{
	return profile->duration_ns;
}
