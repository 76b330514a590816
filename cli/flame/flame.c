// SPDX-License-Identifier: GPL-2.0-only
/* The tree of a flame graph, cut to a number of boxes that a web browser can draw without delay. */
#include "flame.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/ledger.h"

static const char *const kind_names[] = {
	[FLAME_USER] = "user", [FLAME_KERNEL] = "kernel", [FLAME_PROCESS] = "process", [FLAME_MARK] = "mark",
	[FLAME_READY] = "ready", [FLAME_DISK] = "disk", [FLAME_LOCK] = "lock", [FLAME_NETWORK] = "network",
	[FLAME_SLEEP] = "sleep", [FLAME_WAITING] = "waiting", [FLAME_REST] = "rest",
};

const char *flame_kind_name(enum flame_kind kind)
{
	return kind_names[kind];
}

/* The beginning and the end of the frame of a state; the first match counts. Locks and disks are reasons. */
static const struct {
	const char *begin, *end;
	enum flame_kind kind;
} waits[] = {
	{ "(preempted", ")", FLAME_READY }, { "(new", ")", FLAME_READY }, { "(runnable", ")", FLAME_READY },
	{ "(iowait", ")", FLAME_DISK }, { "(sleeping", ": disk)", FLAME_DISK }, { "(blocked", ": disk)", FLAME_DISK },
	{ "(sleeping", ": lock)", FLAME_LOCK }, { "(blocked", ": lock)", FLAME_LOCK },
	{ "(sleeping", ": network)", FLAME_NETWORK }, { "(blocked", ": network)", FLAME_NETWORK },
	{ "(sleeping", ": timer)", FLAME_SLEEP }, { "(blocked", ": timer)", FLAME_SLEEP },
	{ "(sleeping", ")", FLAME_WAITING }, { "(blocked", ")", FLAME_WAITING }, { "(stopped", ")", FLAME_WAITING },
	{ "(traced", ")", FLAME_WAITING }, { "(idle", ")", FLAME_WAITING },
};

static enum flame_kind kind_of_mark(const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		size_t end = strlen(waits[i].end);

		if (strncmp(text, waits[i].begin, strlen(waits[i].begin)) == 0 && length >= end &&
		    strcmp(text + length - end, waits[i].end) == 0)
			return waits[i].kind;
	}
	return FLAME_MARK;
}

enum flame_kind flame_kind(const struct name *name)
{
	if (!strcmp(name->object, CALLS_PROCESS))
		return FLAME_PROCESS;
	switch (name->mode) {
	case TPROF_MODE_USER:
		return FLAME_USER;
	case TPROF_MODE_KERNEL:
		return FLAME_KERNEL;
	default:
		return kind_of_mark(name->text);
	}
}

bool flame_shows_kind(const struct flame *flame, enum flame_kind kind)
{
	if (kind < FLAME_READY || kind > FLAME_WAITING)
		return kind != FLAME_REST;
	for (size_t i = 0; i < flame->names.nr; i++)
		if (flame_kind(&flame->names.names[i]) == kind)
			return true;
	return false;
}

/* Stacks of the other profile have a weight of 0, and their weight there in place of samples. */
static int add_before(struct flame *flame, const struct tprof_profile *before, struct calls *calls)
{
	int err = calls_open_processes(calls, before, &flame->names);

	for (size_t i = 0; i < calls->nr && !err; i++) {
		calls->stacks[i].samples = calls->stacks[i].weight;
		calls->stacks[i].weight = 0;
	}
	for (size_t i = 0; i < flame->calls.nr && !err; i++)
		flame->calls.stacks[i].samples = 0;
	return err;
}

/* @weight / @parts, rounded up; at least 1. */
static uint64_t one_part(uint64_t weight, uint64_t parts)
{
	return weight ? (weight - 1) / parts + 1 : 1;
}

static int build(struct flame *flame, const struct calls *before)
{
	const struct tree_way way = { .step = -1, .limit = flame->smallest };
	size_t nr = flame->calls.nr + before->nr;
	struct calls_at *stacks = calloc(nr + 1, sizeof(*stacks));
	int err;

	if (!stacks)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct calls_stack *stack = i < flame->calls.nr ? &flame->calls.stacks[i] :
									&before->stacks[i - flame->calls.nr];

		stacks[i] = (struct calls_at){ .stack = stack, .at = (uint32_t)stack->nr };
	}
	err = tree_build(&flame->tree, stacks, nr, &way);
	free(stacks);
	return err;
}

int flame_make(struct flame *flame, const struct tprof_profile *before, size_t boxes, uint64_t parts)
{
	struct calls other = { 0 };
	int err = calls_open_processes(&flame->calls, flame->profile, &flame->names);

	flame->change = before != NULL;
	if (!err && before)
		err = add_before(flame, before, &other);
	flame->smallest = one_part(flame->calls.total.weight, parts);
	if (!err)
		err = build(flame, &other);
	calls_close(&other);
	return err ? err : tree_cut(&flame->tree, boxes);
}

void flame_fini(struct flame *flame)
{
	tree_fini(&flame->tree);
	calls_close(&flame->calls);
	names_fini(&flame->names);
}

void flame_about(const struct flame *flame, char *text, size_t size)
{
	const struct tprof_info *info = tprof_profile__info(flame->profile);
	char rate[64] = "", cpus[32] = "";

	if (info->rate_hz)
		snprintf(rate, sizeof(rate), ", %" PRIu64 " Hz", info->rate_hz);
	else if (info->period)
		snprintf(rate, sizeof(rate), ", every %" PRIu64 " %s", info->period, info->unit);
	if (info->nr_cpus)
		snprintf(cpus, sizeof(cpus), ", %u CPU%s", info->nr_cpus, info->nr_cpus == 1 ? "" : "s");
	snprintf(text, size, "engine %s%s%s, %.1f s%s%s", info->engine, rate, cpus,
		 (double)tprof_profile__duration_ns(flame->profile) / 1e9, info->fallback ? ", " : "",
		 info->fallback ? info->fallback : "");
	tprof_text__mend(text);
}

void flame_loss(const struct flame *flame, char *text, size_t size)
{
	const struct tprof_loss loss = ledger_loss(tprof_profile__ledger(flame->profile));

	if (loss.missing)
		snprintf(text, size, "%" PRIu64 " of %" PRIu64 " samples in scope lost", loss.missing, loss.in_scope);
	else
		snprintf(text, size, "%" PRIu64 " samples, none lost", loss.in_scope);
}
