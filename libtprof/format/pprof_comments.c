// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Metadata of a profile as comments of a pprof file: "tprof.NAME: VALUE", one for each line of the table below. Names
 * are only ever added at the end. A change of meaning requires another version.
 */
#include "pprof_comments.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "profile/ledger.h"

#define VERSION 1
#define PREFIX "tprof."
#define OF_EVENT "event."

enum kind { NUMBER, SMALL, TEXT, TALLY, DECIMAL };

#define AT(member) offsetof(struct pprof_comments, member)
#define OUTCOME(NAME, name, text) { "ledger." #name, TALLY, AT(ledger.outcomes[TPROF_OUTCOME_##NAME]) },
#define LOST(NAME, name, text) { "ledger.lost." #name, TALLY, AT(ledger.lost[TPROF_LOST_##NAME]) },
#define COUNTING(NAME, name, text) { "ledger." #name, TALLY, AT(ledger.countings[TPROF_COUNTING_##NAME]) },

/* A tally is written as samples and weight. */
static const struct field {
	const char *name;
	enum kind kind;
	size_t at;
} fields[] = {
	{ "version", SMALL, AT(version) },
	{ "engine", TEXT, AT(info.engine) },
	{ "event", TEXT, AT(info.event) },
	{ "unit", TEXT, AT(info.unit) },
	{ "fallback", TEXT, AT(info.fallback) },
	{ "rate_hz", NUMBER, AT(info.rate_hz) },
	{ "period", NUMBER, AT(info.period) },
	{ "cpus", SMALL, AT(info.nr_cpus) },
	{ "online", SMALL, AT(info.nr_online) },
	{ "stacks", NUMBER, AT(stacks) },
	{ "total", TALLY, AT(total) },
	{ "ledger.fired", TALLY, AT(ledger.fired) },
	TPROF_OUTCOMES(OUTCOME)
	TPROF_LOST_REASONS(LOST)
	TPROF_COUNTINGS(COUNTING)
	{ "ledger.idle", TALLY, AT(ledger.idle) },
	{ "ledger.sideband_lost", NUMBER, AT(ledger.sideband_lost) },
	{ "ledger.counter", DECIMAL, AT(ledger.counter) },
	{ "ledger.not_in_file", TALLY, AT(ledger.not_in_file) },
	{ "ledger.unnamed_sideband_lost", TALLY, AT(ledger.unnamed_sideband_lost) },
	{ "warnings", TEXT, AT(info.warnings) },
	{ "ledger.enabled_ns", NUMBER, AT(ledger.enabled_ns) },
	{ "ledger.running_ns", NUMBER, AT(ledger.running_ns) },
};

#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))
_Static_assert(NR_FIELDS <= 64, "seen has a bit for each");

/* A double is written as a decimal for people, and as its bits, because decimals depend on the locale. */
static int write_field(const struct field *field, const struct pprof_comments *comments, const char *of, char **text)
{
	const void *at = (const char *)comments + field->at;
	const struct tprof_tally *tally = at;
	uint64_t bits;

	switch (field->kind) {
	case NUMBER:
		return asprintf(text, PREFIX "%s%s: %" PRIu64, of, field->name, *(const uint64_t *)at);
	case SMALL:
		return asprintf(text, PREFIX "%s%s: %u", of, field->name, *(const unsigned int *)at);
	case TEXT:
		return asprintf(text, PREFIX "%s%s: %s", of, field->name, *(const char *const *)at);
	case TALLY:
		return asprintf(text, PREFIX "%s%s: %llu %llu", of, field->name, tally->samples, tally->weight);
	default:
		memcpy(&bits, at, sizeof(bits));
		return asprintf(text, PREFIX "%s%s: 0x%016" PRIx64 " (%.2f)", of, field->name, bits,
				*(const double *)at);
	}
}

/* True for comments that are written only if they apply. */
static bool is_optional(const struct field *field)
{
	return field->at == AT(info.fallback) || field->at == AT(ledger.not_in_file) ||
	       field->at == AT(ledger.unnamed_sideband_lost) || field->at == AT(info.warnings) ||
	       field->at == AT(ledger.enabled_ns) || field->at == AT(ledger.running_ns);
}

static bool is_said(const struct field *field, const struct pprof_comments *comments)
{
	const void *at = (const char *)comments + field->at;
	const struct tprof_tally *tally = at;

	if (field->kind == NUMBER)
		return *(const uint64_t *)at;
	return field->kind == TEXT ? *(const char *const *)at != NULL : tally->samples || tally->weight;
}

int pprof_comments_write(const struct pprof_comments *comments, int event, int (*add)(void *ctx, const char *text),
			 void *ctx)
{
	struct pprof_comments current = *comments;
	char *text, of[sizeof(OF_EVENT "-2147483648.")] = "";
	int err = 0;

	if (event >= 0)
		snprintf(of, sizeof(of), OF_EVENT "%d.", event);

	current.version = VERSION;
	for (size_t i = 0; i < NR_FIELDS && !err; i++) {
		if (is_optional(&fields[i]) && !is_said(&fields[i], &current))
			continue;
		if (write_field(&fields[i], &current, of, &text) < 0)
			return -ENOMEM;
		err = add(ctx, text);
		free(text);
	}
	return err;
}

/* Parses an integer. Returns the text after it; NULL if there is none. */
static const char *take_number(const char *text, int base, uint64_t *number)
{
	char *end;

	if (!isxdigit((unsigned char)text[0]))
		return NULL;
	errno = 0;
	*number = strtoull(text, &end, base);
	return errno ? NULL : end;
}

static bool take_tally(const char *text, struct tprof_tally *tally)
{
	uint64_t samples, weight;
	const char *end = take_number(text, 10, &samples);

	end = end && *end == ' ' ? take_number(end + 1, 10, &weight) : NULL;
	if (!end || *end)
		return false;
	*tally = (struct tprof_tally){ samples, weight };
	return true;
}

static bool take_value(const struct field *field, const char *text, struct pprof_comments *comments)
{
	void *at = (char *)comments + field->at;
	const char *end;
	uint64_t number;

	switch (field->kind) {
	case TEXT:
		*(const char **)at = text;
		return true;
	case TALLY:
		return take_tally(text, at);
	case DECIMAL:
		end = take_number(text, 16, &number);
		memcpy(at, &number, sizeof(number));
		return end && *end == ' ' && ledger_can_have(*(const double *)at);
	default:
		break;
	}
	end = take_number(text, 10, &number);
	if (!end || *end || (field->kind == SMALL && number > UINT32_MAX))
		return false;
	if (field->kind == SMALL)
		*(unsigned int *)at = (unsigned int)number;
	else
		*(uint64_t *)at = number;
	return true;
}

static const struct field *find_field(const char *name, size_t length)
{
	for (size_t i = 0; i < NR_FIELDS; i++) {
		if (strlen(fields[i].name) == length && !strncmp(fields[i].name, name, length))
			return &fields[i];
	}
	return NULL;
}

static int of_later(const char *what, struct tprof_error *error)
{
	error_set(error, EPROTONOSUPPORT, "written by a later version of tprof: %s", what);
	error_hint(error, "read it with that version, or as far as possible with go tool pprof");
	return -EPROTONOSUPPORT;
}

/* The comments that a name belongs to: *@name is moved behind "event.INDEX.". */
static struct pprof_comments *comments_of(struct pprof_described *described, const char **name)
{
	const size_t length = strlen(OF_EVENT);
	const char *at = *name;
	size_t event;

	if (strncmp(at, OF_EVENT, length) != 0 || at[length] < '0' || at[length] >= '0' + TPROF_EVENTS_MAX ||
	    at[length + 1] != '.')
		return &described->all;
	event = (size_t)(at[length] - '0');
	if (event >= described->nr_events)
		described->nr_events = event + 1;
	*name = at + length + 2;
	return &described->events[event];
}

int pprof_comments_take(struct pprof_described *described, const char *text, struct tprof_error *error)
{
	const char *name = text + strlen(PREFIX), *colon;
	struct pprof_comments *comments;
	const struct field *field;
	uint64_t bit;

	if (strncmp(text, PREFIX, strlen(PREFIX)) != 0)
		return 0;
	comments = comments_of(described, &name);
	colon = strstr(name, ": ");
	field = colon ? find_field(name, (size_t)(colon - name)) : NULL;
	if (!field)
		return of_later(text, error);
	bit = UINT64_C(1) << (field - fields);
	comments->several |= (comments->seen & bit) != 0;
	comments->seen |= bit;
	if (!take_value(field, colon + 2, comments))
		return error_set(error, EBADMSG, "damaged: '%s'", text);
	return comments->version > VERSION ? of_later(text, error) : 0;
}

static int check(const struct pprof_comments *comments, struct tprof_error *error)
{
	struct tprof_tally left = ledger_difference(&comments->ledger);

	for (size_t i = 0; i < NR_FIELDS; i++) {
		if (!(comments->seen >> i & 1) && !is_optional(&fields[i]))
			return error_set(error, EBADMSG, "damaged: %s%s is missing", PREFIX, fields[i].name);
	}
	if (!comments->version)
		return error_set(error, EBADMSG, "damaged: %sversion is 0", PREFIX);
	if (!comments->several && (left.samples || left.weight))
		return error_set(error, EBADMSG, "damaged: its ledger does not close");
	return 0;
}

int pprof_comments_check(const struct pprof_described *described, struct tprof_error *error)
{
	int err = check(&described->all, error);

	for (size_t e = 0; e < described->nr_events && !err; e++)
		err = check(&described->events[e], error);
	return err;
}
