// SPDX-License-Identifier: GPL-2.0-only
/* Profiles: sums, grouping, merging. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/ledger.h"
#include "profile_fixture.h"

static void adds_up_and_sorts(void **state)
{
	struct tprof_profile *profile = sample_profile();

	(void)state;
	assert_int_equal(tprof_profile__nr_entries(profile), 3);
	assert_string_equal(tprof_profile__entry(profile, 0)->symbol, "hot");
	assert_int_equal(tprof_profile__entry(profile, 0)->pid, 7);
	assert_int_equal(tprof_profile__entry(profile, 0)->samples, 6);
	assert_int_equal(tprof_profile__entry(profile, 0)->weight, 60);
	assert_true(tprof_profile__entry(profile, 0)->percent == 60.0);
	assert_string_equal(tprof_profile__entry(profile, 2)->symbol, "cold");
	assert_null(tprof_profile__entry(profile, 3));
	tprof_profile__free(profile);
	tprof_profile__free(NULL);
}

static void groups(void **state)
{
	static const size_t wanted[] = {
		[TPROF_GROUP_FUNCTION] = 2, [TPROF_GROUP_PROCESS] = 2, [TPROF_GROUP_OBJECT] = 1,
		[TPROF_GROUP_CGROUP] = 2, [TPROF_GROUP_LINE] = 2, [TPROF_GROUP_OWNER] = 1,
	};
	struct tprof_profile *profile = sample_profile(), *grouped;

	(void)state;
	for (int group = 0; group < TPROF_NR_GROUPS; group++) {
		uint64_t weight = 0;

		grouped = tprof_profile__group(profile, group);
		assert_non_null(grouped);
		assert_int_equal(tprof_profile__nr_entries(grouped), wanted[group]);
		for (size_t i = 0; i < tprof_profile__nr_entries(grouped); i++)
			weight += tprof_profile__entry(grouped, i)->weight;
		assert_int_equal(weight, 100);
		assert_int_equal(tprof_profile__ledger(grouped)->fired.samples, 12);
		tprof_profile__free(grouped);
	}
	assert_null(tprof_group__name(TPROF_NR_GROUPS));
	tprof_profile__free(profile);
}

/* Work of a kworker for two processes is two entries. */
static void owners_stay_apart(void **state)
{
	struct tprof_profile *profile = profile_new(), *grouped;
	struct tprof_entry entry = {
		.symbol = "work", .comm = "kworker/0:1", .pid = 9, .weight = 10, .owner = "a (1)",
	};

	(void)state;
	assert_int_equal(profile_add(profile, &entry), 0);
	assert_int_equal(profile_add(profile, &entry), 0);
	entry.owner = "b (2)";
	assert_int_equal(profile_add(profile, &entry), 0);
	entry = (struct tprof_entry){ .symbol = "main", .comm = "b", .pid = 2, .weight = 15, .owner = "b (2)" };
	assert_int_equal(profile_add(profile, &entry), 0);
	profile_finish(profile);
	assert_int_equal(tprof_profile__nr_entries(profile), 3);
	assert_string_equal(tprof_profile__entry(profile, 0)->owner, "a (1)");
	grouped = tprof_profile__group(profile, TPROF_GROUP_OWNER);
	assert_int_equal(tprof_profile__nr_entries(grouped), 2);
	assert_string_equal(tprof_profile__entry(grouped, 0)->symbol, "b (2)");
	assert_int_equal(tprof_profile__entry(grouped, 0)->weight, 25);
	assert_string_equal(tprof_profile__entry(grouped, 1)->symbol, "a (1)");
	assert_int_equal(tprof_profile__entry(grouped, 1)->weight, 20);
	tprof_profile__free(grouped);
	tprof_profile__free(profile);
}

/* Entries of a grouped profile are no functions by process any more, so they cannot be combined with some. */
static void grouped_profiles_stay_apart(void **state)
{
	struct tprof_profile *profile = sample_profile();
	struct tprof_profile *grouped = tprof_profile__group(profile, TPROF_GROUP_PROCESS);
	size_t nr = tprof_profile__nr_entries(profile);

	(void)state;
	errno = 0;
	assert_null(tprof_profile__group(grouped, TPROF_GROUP_FUNCTION));
	assert_int_equal(errno, EINVAL);
	for (int group = -1; group <= TPROF_NR_GROUPS; group += TPROF_NR_GROUPS + 1) {
		errno = 0;
		assert_null(tprof_profile__group(profile, (enum tprof_group)group));
		assert_int_equal(errno, EINVAL);
	}
	assert_int_equal(tprof_profile__merge(profile, grouped), -EINVAL);
	assert_int_equal(tprof_profile__merge(grouped, profile), -EINVAL);
	assert_int_equal(tprof_profile__nr_entries(profile), nr);
	tprof_profile__free(grouped);
	tprof_profile__free(profile);
}

static void lines_are_groups_of_their_own(void **state)
{
	struct tprof_entry entry = { .symbol = "f", .object = "app", .pid = 3, .cpu = -1, .mode = TPROF_MODE_USER,
				     .samples = 1, .weight = 10, .file = "/src/a.c", .line = 5 };
	struct tprof_profile *profile = profile_new(), *grouped;

	(void)state;
	assert_int_equal(profile_add(profile, &entry), 0);
	entry.line = 6;
	entry.pid = 4;
	assert_int_equal(profile_add(profile, &entry), 0);
	entry.pid = 5;
	assert_int_equal(profile_add(profile, &entry), 0);
	profile_finish(profile);
	grouped = tprof_profile__group(profile, TPROF_GROUP_LINE);
	assert_int_equal(tprof_profile__nr_entries(grouped), 2);
	assert_int_equal(tprof_profile__entry(grouped, 0)->weight, 20);
	assert_int_equal(tprof_profile__entry(grouped, 0)->line, 6);
	assert_string_equal(tprof_profile__entry(grouped, 0)->file, "/src/a.c");
	assert_int_equal(tprof_profile__entry(grouped, 1)->pid, 3);
	tprof_profile__free(grouped);
	grouped = tprof_profile__group(profile, TPROF_GROUP_FUNCTION);
	assert_int_equal(tprof_profile__nr_entries(grouped), 1);
	assert_int_equal(tprof_profile__entry(grouped, 0)->line, 0);
	tprof_profile__free(grouped);
	tprof_profile__free(profile);
}

static void a_function_of_one_process_keeps_its_owner(void **state)
{
	struct tprof_profile *profile = sample_profile();
	struct tprof_profile *grouped = tprof_profile__group(profile, TPROF_GROUP_FUNCTION);

	(void)state;
	assert_string_equal(tprof_profile__entry(grouped, 0)->symbol, "hot");
	assert_int_equal(tprof_profile__entry(grouped, 0)->pid, -1);
	assert_string_equal(tprof_profile__entry(grouped, 0)->comm, "app");
	assert_string_equal(tprof_profile__entry(grouped, 1)->symbol, "cold");
	assert_int_equal(tprof_profile__entry(grouped, 1)->pid, 7);
	assert_string_equal(tprof_profile__entry(grouped, 1)->comm, "app");
	tprof_profile__free(grouped);
	tprof_profile__free(profile);
}

static void merges(void **state)
{
	struct tprof_profile *into = sample_profile(), *from = sample_profile();

	(void)state;
	assert_int_equal(tprof_profile__merge(into, from), 0);
	assert_int_equal(tprof_profile__nr_entries(into), 3);
	assert_int_equal(tprof_profile__entry(into, 0)->weight, 120);
	assert_int_equal(tprof_profile__ledger(into)->fired.samples, 24);
	assert_int_equal(tprof_profile__duration_ns(into), 2000000000);
	tprof_profile__free(from);
	/* Merging copies strings. */
	assert_string_equal(tprof_profile__entry(into, 0)->symbol, "hot");
	tprof_profile__free(into);
}

static void what_differs_is_not_said_of_the_whole(void **state)
{
	struct tprof_profile *into = sample_profile(), *from = sample_profile();

	(void)state;
	into->info.rate_hz = 99;
	from->info.rate_hz = 999;
	into->info.nr_cpus = 2;
	from->info.nr_cpus = 4;
	from->info.engine = "another";
	from->info.fallback = "why";
	assert_int_equal(tprof_profile__merge(into, from), 0);
	assert_int_equal(tprof_profile__info(into)->rate_hz, 0);
	assert_int_equal(tprof_profile__info(into)->nr_cpus, 0);
	assert_string_equal(tprof_profile__info(into)->engine, "several");
	assert_string_equal(tprof_profile__info(into)->fallback, "why");
	tprof_profile__free(from);
	tprof_profile__free(into);
}

static void what_does_not_go_together_changes_nothing(void **state)
{
	struct tprof_profile *into = sample_profile(), *from = sample_profile();
	uint64_t weight = tprof_profile__entry(into, 0)->weight, sum = 0;

	(void)state;
	from->info.unit = "furlongs";
	assert_int_equal(tprof_profile__merge(into, from), -EINVAL);
	from->info.unit = into->info.unit;
	from->ledger.lost[TPROF_LOST_IDLE_MISSED].weight = UINT64_MAX;
	into->ledger.lost[TPROF_LOST_IDLE_MISSED].weight = 1;
	assert_int_equal(tprof_profile__merge(into, from), -ERANGE);
	from->ledger.lost[TPROF_LOST_IDLE_MISSED].weight = 0;
	for (size_t i = 1; i < from->nr; i++)
		sum += from->entries[i]->entry.weight;
	from->entries[0]->entry.weight = UINT64_MAX - sum;
	assert_int_equal(tprof_profile__merge(into, from), -ERANGE);
	assert_int_equal(tprof_profile__entry(into, 0)->weight, weight);
	tprof_profile__free(from);
	tprof_profile__free(into);
}

static void rows(void **state)
{
	struct tprof_profile *profile = sample_profile();
	int table = profile_add_table(profile, "calls");
	struct tprof_row row = { .key = "a=1", .value = "", .samples = 1, .weight = 5 };

	(void)state;
	assert_int_equal(table, 0);
	assert_int_equal(profile_add_row(profile, 0, &row, NULL, 0), 0);
	assert_int_equal(profile_add_row(profile, 0, &row, NULL, 0), 0);
	row.key = "a=2";
	row.weight = 50;
	assert_int_equal(profile_add_row(profile, 0, &row, NULL, 0), 0);
	profile_finish(profile);
	assert_int_equal(tprof_profile__nr_rows(profile, 0), 2);
	assert_string_equal(tprof_profile__row(profile, 0, 0)->key, "a=2");
	assert_int_equal(tprof_profile__row(profile, 0, 1)->weight, 10);
	assert_null(tprof_profile__row(profile, 0, 2));
	assert_null(tprof_profile__row(profile, 1, 0));
	assert_null(tprof_profile__table_name(profile, 1));
	tprof_profile__free(profile);
}

/* Profiles of intervals before and after a filter was replaced, and one of the interval in between. */
static void tables_are_merged_by_name(void **state)
{
	struct tprof_profile *into = sample_profile(), *between = sample_profile(), *after = sample_profile();
	struct tprof_row row = { .key = "a=1", .value = "", .samples = 1, .weight = 5 };

	(void)state;
	profile_add_table(into, "top");
	profile_add_table(between, "top");
	profile_add_table(between, "calls");
	profile_add_table(between, "calls");
	profile_add_table(after, "calls");
	profile_add_row(into, 0, &row, NULL, 0);
	for (size_t table = 0; table < 3; table++)
		profile_add_row(between, table, &row, NULL, 0);
	profile_add_row(after, 0, &row, NULL, 0);
	assert_int_equal(tprof_profile__merge(into, after), 0);
	assert_int_equal(tprof_profile__merge(into, between), 0);
	profile_finish(into);
	assert_int_equal(tprof_profile__nr_tables(into), 3);
	assert_string_equal(tprof_profile__table_name(into, 0), "top");
	assert_string_equal(tprof_profile__table_name(into, 2), "calls");
	assert_int_equal(tprof_profile__row(into, 0, 0)->weight, 10);
	assert_int_equal(tprof_profile__row(into, 1, 0)->weight, 10);
	assert_int_equal(tprof_profile__row(into, 2, 0)->weight, 5);
	tprof_profile__free(after);
	tprof_profile__free(between);
	tprof_profile__free(into);
}

static void names_do_not_steer_terminals(void **state)
{
	const struct tprof_entry entry = { .symbol = "a\x1b[31mb\n", .object = "x\x7f", .samples = 1, .weight = 1 };
	struct tprof_profile *profile = profile_new();

	(void)state;
	assert_int_equal(profile_add(profile, &entry), 0);
	profile_finish(profile);
	assert_string_equal(tprof_profile__entry(profile, 0)->symbol, "a?[31mb?");
	assert_string_equal(tprof_profile__entry(profile, 0)->object, "x?");
	tprof_profile__free(profile);
}

static void check_name(const char *name, const char *shown)
{
	struct tprof_profile *profile = profile_new();

	assert_non_null(profile);
	assert_string_equal(profile_keep(profile, name), shown);
	tprof_profile__free(profile);
}

/* U+0080 to U+009F are control characters too; the same bytes are also parts of letters. */
static void names_have_letters_and_no_other_controls(void **state)
{
	(void)state;
	check_name("a\xc2\x9b[2Jb", "a??[2Jb");
	check_name("\xc2\x80\xc2\x9f", "????");
	check_name("\xc2\xa0\xc3\x9b\xd0\x9b", "\xc2\xa0\xc3\x9b\xd0\x9b");
	check_name("\xf0\x9f\x90\xa7\x7f", "\xf0\x9f\x90\xa7?");
}

/* The kernel truncates process names to 15 bytes, possibly within a letter; other names may have any bytes. */
static void names_are_utf8(void **state)
{
	(void)state;
	check_name("\xd0\x96\xd0\x96\xd0\x96\xd0\x96\xd0\x96\xd0\x96\xd0\x96\xd0",
		   "\xd0\x96\xd0\x96\xd0\x96\xd0\x96\xd0\x96\xd0\x96\xd0\x96?");
	check_name("caf\xe9", "caf?");
	check_name("\x9b[2J", "?[2J");
	check_name("\xed\xa0\x80", "???");
}

static void the_ledger_tells_what_is_missing(void **state)
{
	struct tprof_profile *profile = sample_profile();
	struct tprof_ledger ledger = *tprof_profile__ledger(profile);

	(void)state;
	assert_int_equal(tprof_ledger__difference(&ledger).samples, 0);
	assert_int_equal(tprof_ledger__difference(&ledger).weight, 0);
	assert_int_equal(tprof_ledger__lost(&ledger).samples, 2);
	ledger.fired.samples++;
	assert_int_equal(tprof_ledger__difference(&ledger).samples, 1);
	ledger.lost[TPROF_LOST_IDLE_MISSED].samples++;
	assert_int_equal(tprof_ledger__difference(&ledger).samples, 0);
	assert_int_equal(tprof_ledger__lost(&ledger).samples, 2);
	ledger_subtract(&ledger, tprof_profile__ledger(profile));
	assert_int_equal(ledger.fired.samples, 1);
	assert_int_equal(ledger.lost[TPROF_LOST_THROTTLED].samples, 0);
	assert_null(tprof_lost_reason__name(TPROF_NR_LOST_REASONS));
	tprof_profile__free(profile);
}

/* Cells belong to their row, and are copies in the profile. */
static void test_cells(void **state)
{
	char name[] = "ip", text[] = "hot", object[] = "spin";
	uint64_t ip = 0x1234, value = 7;
	struct tprof_cell cells[] = {
		{ .name = name, .type = TPROF_CELL_ADDRESS, .number = ip, .text = text, .object = object, .bytes = &ip,
		  .size = sizeof(ip) },
		{ .name = "", .type = TPROF_CELL_UNSIGNED, .is_value = true, .number = value, .text = "7", .object = "",
		  .bytes = &value, .size = 3 },
	};
	const struct tprof_row row = { .key = "ip=hot", .samples = 1, .weight = 1 };
	struct tprof_profile *profile = sample_profile(), *other = sample_profile();
	const struct tprof_cell *cell;

	(void)state;
	assert_int_equal(profile_add_table(profile, "t"), 0);
	assert_int_equal(profile_add_row(profile, 0, &row, cells, 2), 0);
	/* Of rows with equal keys, the cells of the last one are kept. */
	cells[1].number = 8;
	assert_int_equal(profile_add_row(profile, 0, &row, cells, 2), 0);
	memset(name, 'x', sizeof(name) - 1);
	memset(text, 'x', sizeof(text) - 1);
	memset(object, 'x', sizeof(object) - 1);
	ip = value = 0;
	profile_finish(profile);
	assert_int_equal(tprof_profile__merge(other, profile), 0);
	tprof_profile__free(profile);
	assert_int_equal(tprof_profile__nr_cells(other, 0, 0), 2);
	cell = tprof_profile__cell(other, 0, 0, 0);
	assert_string_equal(cell->name, "ip");
	assert_string_equal(cell->text, "hot");
	assert_string_equal(cell->object, "spin");
	assert_int_equal(cell->type, TPROF_CELL_ADDRESS);
	assert_int_equal(cell->size, 8);
	assert_int_equal(*(const uint16_t *)cell->bytes, 0x1234);
	cell = tprof_profile__cell(other, 0, 0, 1);
	assert_true(cell->is_value);
	assert_int_equal(cell->number, 8);
	assert_int_equal(*(const char *)cell->bytes, 7);
	assert_null(tprof_profile__cell(other, 0, 0, 2));
	assert_null(tprof_profile__cell(other, 0, 1, 0));
	assert_null(tprof_profile__cell(other, 1, 0, 0));
	assert_int_equal(tprof_profile__nr_cells(other, 7, 0), 0);
	tprof_profile__free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells),
		cmocka_unit_test(adds_up_and_sorts),
		cmocka_unit_test(groups),
		cmocka_unit_test(owners_stay_apart),
		cmocka_unit_test(grouped_profiles_stay_apart),
		cmocka_unit_test(lines_are_groups_of_their_own),
		cmocka_unit_test(a_function_of_one_process_keeps_its_owner),
		cmocka_unit_test(merges),
		cmocka_unit_test(what_differs_is_not_said_of_the_whole),
		cmocka_unit_test(what_does_not_go_together_changes_nothing),
		cmocka_unit_test(rows),
		cmocka_unit_test(tables_are_merged_by_name),
		cmocka_unit_test(names_do_not_steer_terminals),
		cmocka_unit_test(names_have_letters_and_no_other_controls),
		cmocka_unit_test(names_are_utf8),
		cmocka_unit_test(the_ledger_tells_what_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
