// SPDX-License-Identifier: GPL-2.0-only
/*
 * cells FILTER PID: reads the tables of a filter by the types of their members. Prints a line for each member whose
 * value does not fit its type; on stderr, the number of cells of each type.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tprof.h"

static size_t seen[TPROF_NR_CELL_TYPES];

static bool is_right(const struct tprof_cell *cell, pid_t pid)
{
	uint64_t number = 0;

	if (!cell->bytes || !cell->name || !cell->text || !cell->object)
		return false;
	if (cell->size <= sizeof(number))
		memcpy(&number, cell->bytes, cell->size);
	switch (cell->type) {
	case TPROF_CELL_ADDRESS:
		return number == cell->number && cell->text[0] && cell->object[0];
	case TPROF_CELL_PROCESS:
		return number == cell->number && cell->number == (uint64_t)pid && strstr(cell->text, "spin (");
	case TPROF_CELL_FLAGS:
		return number == cell->number && cell->number & (TPROF_SAMPLE_USER | TPROF_SAMPLE_KERNEL);
	case TPROF_CELL_TEXT:
	case TPROF_CELL_BYTES:
		return cell->number == 0 && !cell->object[0];
	case TPROF_CELL_STACK:
		return number == cell->number && !cell->object[0] && (cell->text[0] == '[' || strchr(cell->text, ';'));
	default:
		return number == cell->number && !cell->object[0];
	}
}

static void look(const struct tprof_profile *profile, size_t table, size_t row, pid_t pid)
{
	const char *key = tprof_profile__row(profile, table, row)->key;
	const struct tprof_cell *cell;

	for (size_t i = 0; (cell = tprof_profile__cell(profile, table, row, i)); i++) {
		seen[cell->type]++;
		/* Printed keys do not contain members of type tprof_exec_t. */
		if (!is_right(cell, pid) ||
		    (!cell->is_value && strcmp(cell->name, "exec") != 0 && !strstr(key, cell->text)))
			printf("%s: %s is %s (%s), %llu\n", key, cell->name, cell->text, cell->object,
			       (unsigned long long)cell->number);
	}
}

int main(int argc, char **argv)
{
	struct tprof_error error = { 0 };
	pid_t pid = argc > 2 ? (pid_t)atoi(argv[2]) : 0;
	TPROF_OPTS(tprof_session_opts, opts, .engine = "perf", .rate_hz = 997, .pids = &pid, .nr_pids = 1,
		   .tables = true);
	struct tprof_session *session = tprof_session__open(&opts, &error);
	struct tprof_filter *filter = session ? tprof_filter__open(argv[1], &error) : NULL;
	struct tprof_profile *profile;

	if (!filter || tprof_session__add_filter(session, filter) || tprof_session__start(session)) {
		fprintf(stderr, "%s\n", filter ? tprof_session__error(session) : error.text);
		return EXIT_FAILURE;
	}
	tprof_session__wait(session, 1000);
	tprof_session__stop(session);
	profile = tprof_session__snapshot(session);
	for (size_t table = 0; profile && table < tprof_profile__nr_tables(profile); table++) {
		for (size_t row = 0; row < tprof_profile__nr_rows(profile, table); row++)
			look(profile, table, row, pid);
	}
	for (size_t type = 0; type < TPROF_NR_CELL_TYPES; type++)
		fprintf(stderr, "%zu ", seen[type]);
	tprof_profile__free(profile);
	tprof_session__close(session);
	return EXIT_SUCCESS;
}
