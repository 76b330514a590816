// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The events of a profile, their values, and profiles of one event. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

static int describe(struct tprof_profile *profile, struct tprof_event_info *into, const struct tprof_event_info *event)
{
	*into = *event;
	into->sz = sizeof(*into);
	into->event = profile_keep(profile, event->event);
	into->unit = profile_keep(profile, event->unit);
	return into->event && into->unit ? 0 : -ENOMEM;
}

int profile_set_events(struct tprof_profile *profile, const struct tprof_event_info *events, size_t nr)
{
	if (nr < 2)
		return 0;
	profile->events = calloc(nr, sizeof(*profile->events));
	if (!profile->events)
		return -ENOMEM;
	profile->nr_events = nr;
	for (size_t e = 0; e < nr; e++) {
		profile->events[e].ledger.sz = sizeof(profile->events[e].ledger);
		if (describe(profile, &profile->events[e].info, &events[e]))
			return -ENOMEM;
	}
	return 0;
}

int profile_copy_events(struct tprof_profile *profile, const struct tprof_profile *from)
{
	struct tprof_event_info events[TPROF_EVENTS_MAX];
	int err;

	for (size_t e = 0; e < from->nr_events; e++)
		events[e] = *tprof_profile__event(from, e);
	err = profile_set_events(profile, events, from->nr_events);
	for (size_t e = 0; e < from->nr_events && from->nr_events > 1 && !err; e++)
		profile->events[e].ledger = from->events[e].ledger;
	return err;
}

bool profile_same_events(const struct tprof_profile *a, const struct tprof_profile *b)
{
	if (a->nr_events != b->nr_events || strcmp(a->info.event, b->info.event) != 0 ||
	    strcmp(a->info.unit, b->info.unit) != 0)
		return false;
	for (size_t e = 1; e < a->nr_events; e++) {
		const struct tprof_event_info *x = tprof_profile__event(a, e), *y = tprof_profile__event(b, e);

		if (strcmp(x->event, y->event) != 0 || strcmp(x->unit, y->unit) != 0)
			return false;
	}
	return true;
}

struct tprof_tally entry_tally(const struct profile_entry *entry, size_t event)
{
	if (!event)
		return (struct tprof_tally){ entry->entry.samples, entry->entry.weight };
	return event <= entry->nr_more ? entry->more[event - 1] : (struct tprof_tally){ 0, 0 };
}

struct tprof_tally call_stack_tally(const struct profile_call_stack *call_stack, size_t event)
{
	if (!event)
		return (struct tprof_tally){ call_stack->call_stack.samples, call_stack->call_stack.weight };
	return event <= call_stack->nr_more ? call_stack->more[event - 1] : (struct tprof_tally){ 0, 0 };
}

void tally_add_of(uint64_t *samples, uint64_t *weight, struct tprof_tally *more, const struct tprof_tally *added,
		  size_t event)
{
	if (!event) {
		*samples += added->samples;
		*weight += added->weight;
		return;
	}
	more[event - 1].samples += added->samples;
	more[event - 1].weight += added->weight;
}

size_t tprof_profile__nr_events(const struct tprof_profile *profile)
{
	return profile->nr_events;
}

const struct tprof_event_info *tprof_profile__event(const struct tprof_profile *profile, size_t event)
{
	if (event >= profile->nr_events)
		return NULL;
	return profile->events ? &profile->events[event].info : &profile->first;
}

const struct tprof_ledger *tprof_profile__event_ledger(const struct tprof_profile *profile, size_t event)
{
	if (event >= profile->nr_events)
		return NULL;
	return profile->events ? &profile->events[event].ledger : &profile->ledger;
}

struct tprof_tally tprof_profile__entry_value(const struct tprof_profile *profile, size_t index, size_t event)
{
	return index < profile->nr ? entry_tally(profile->entries[index], event) : (struct tprof_tally){ 0, 0 };
}

struct tprof_tally tprof_profile__call_stack_value(const struct tprof_profile *profile, size_t index, size_t event)
{
	if (index >= profile->calls.nr)
		return (struct tprof_tally){ 0, 0 };
	return call_stack_tally(profile->calls.call_stacks[index], event);
}

static int take_info(struct tprof_profile *one, const struct tprof_profile *from, size_t event)
{
	const struct tprof_event_info *described = tprof_profile__event(from, event);
	struct tprof_info info = from->info;

	info.event = described->event;
	info.unit = described->unit;
	info.rate_hz = described->rate_hz;
	info.period = described->period;
	return profile_set_info(one, &info);
}

static int take_values(struct tprof_profile *one, const struct tprof_profile *from, size_t event)
{
	int err = 0;

	for (size_t i = 0; i < from->nr && !err; i++) {
		const struct tprof_tally value = entry_tally(from->entries[i], event);
		struct tprof_entry entry = from->entries[i]->entry;

		entry.samples = value.samples;
		entry.weight = value.weight;
		if (value.samples || value.weight)
			err = profile_add(one, &entry);
	}
	for (size_t i = 0; i < from->calls.nr && !err; i++) {
		const struct tprof_tally value = call_stack_tally(from->calls.call_stacks[i], event);
		struct tprof_call_stack call_stack = from->calls.call_stacks[i]->call_stack;

		call_stack.samples = value.samples;
		call_stack.weight = value.weight;
		if (value.samples || value.weight)
			err = profile_add_call_stack(one, &call_stack);
	}
	return err;
}

struct tprof_profile *tprof_profile__of_event(const struct tprof_profile *profile, size_t event)
{
	struct tprof_profile *one;
	int err;

	if (event >= profile->nr_events) {
		errno = EINVAL;
		return NULL;
	}
	one = profile_new();
	err = one ? take_info(one, profile, event) : -ENOMEM;
	if (!err)
		err = take_values(one, profile, event);
	if (err) {
		tprof_profile__free(one);
		errno = ENOMEM;
		return NULL;
	}
	one->ledger = *tprof_profile__event_ledger(profile, event);
	one->ledger.sideband_lost = profile->ledger.sideband_lost;
	one->duration_ns = profile->duration_ns;
	one->grouped = profile->grouped;
	one->group = profile->group;
	profile_finish(one);
	return one;
}
