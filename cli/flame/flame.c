// SPDX-License-Identifier: GPL-2.0-only
/* The tree of a flame graph, cut to a number of boxes that a web browser can draw without delay. */
#include "flame.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/ledger.h"
#include "base/opt.h"
#include "uapi/tprof_wait.h"

static const char *const kind_names[] = {
	[FLAME_USER] = "user", [FLAME_KERNEL] = "kernel", [FLAME_PROCESS] = "process", [FLAME_MARK] = "mark",
	[FLAME_READY] = "ready", [FLAME_DISK] = "disk", [FLAME_LOCK] = "lock", [FLAME_NETWORK] = "network",
	[FLAME_SLEEP] = "sleep", [FLAME_WAITING] = "waiting", [FLAME_REST] = "rest",
};

const char *flame_kind_name(enum flame_kind kind)
{
	return kind_names[kind];
}

/* The states and the reasons of waits that have a colour of their own; all others are FLAME_WAITING. */
static enum flame_kind kind_of_state(enum tprof_state state)
{
	switch (state) {
	case TPROF_STATE_PREEMPTED:
	case TPROF_STATE_NEW:
	case TPROF_STATE_RUNNABLE:
		return FLAME_READY;
	case TPROF_STATE_IOWAIT:
		return FLAME_DISK;
	case TPROF_STATE_UNKNOWN:
	case TPROF_STATE_RUNNING:
		return FLAME_MARK;
	default:
		return FLAME_WAITING;
	}
}

enum reason {
#define X(NAME, name) REASON_##NAME,
	TPROF_WAIT_REASONS(X)
#undef X
};

static enum flame_kind kind_of_reason(enum reason reason)
{
	switch (reason) {
	case REASON_DISK:
		return FLAME_DISK;
	case REASON_LOCK:
		return FLAME_LOCK;
	case REASON_NETWORK:
		return FLAME_NETWORK;
	case REASON_TIMER:
		return FLAME_SLEEP;
	default:
		return FLAME_WAITING;
	}
}

/* The index of the name of that length; @nr: it is not there. */
static size_t find(const char *const *names, size_t nr, const char *name, size_t length)
{
	size_t i = 0;

	while (i < nr && (strlen(names[i]) != length || strncmp(names[i], name, length) != 0))
		i++;
	return i;
}

/* The frame of a state is "(state)" or "(state: reason)". A reason that is not known may be of a later version. */
static enum flame_kind kind_of_mark(const char *text)
{
	static const char *const states[] = {
#define X(NAME, name, about) #name,
		TPROF_STATES(X)
#undef X
	};
	static const char *const reasons[] = {
#define X(NAME, name) #name,
		TPROF_WAIT_REASONS(X)
#undef X
	};
	size_t length = strcspn(text, ":)"), state, reason;

	if (text[0] != '(' || !text[length] || text[strlen(text) - 1] != ')')
		return FLAME_MARK;
	state = find(states, ARRAY_SIZE(states), text + 1, length - 1);
	if (state == ARRAY_SIZE(states))
		return FLAME_MARK;
	if (strncmp(text + length, ": ", 2) != 0)
		return kind_of_state((enum tprof_state)state);
	text += length + 2;
	reason = find(reasons, ARRAY_SIZE(reasons), text, strcspn(text, ")"));
	return reason == ARRAY_SIZE(reasons) ? FLAME_WAITING : kind_of_reason((enum reason)reason);
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
