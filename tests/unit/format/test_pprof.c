// SPDX-License-Identifier: GPL-2.0-only
/* pprof files: reading a written file returns the same profile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

#include <cmocka.h>

#include "pprof_fixture.h"

static void same_frame(const struct tprof_frame *a, const struct tprof_frame *b)
{
	assert_string_equal(a->symbol, b->symbol);
	assert_string_equal(a->object, b->object);
	assert_string_equal(a->path, b->path);
	assert_string_equal(a->build_id, b->build_id);
	assert_int_equal(a->address, b->address);
	assert_int_equal(a->mode, b->mode);
	assert_string_equal(a->file, b->file);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->start_line, b->start_line);
	assert_int_equal(a->inlined, b->inlined);
}

static void same_call_stacks(const struct tprof_profile *a, const struct tprof_profile *b)
{
	assert_int_equal(tprof_profile__nr_call_stacks(a), tprof_profile__nr_call_stacks(b));
	for (size_t i = 0; i < tprof_profile__nr_call_stacks(a); i++) {
		const struct tprof_call_stack *x = tprof_profile__call_stack(a, i);
		const struct tprof_call_stack *y = tprof_profile__call_stack(b, i);

		assert_string_equal(x->comm, y->comm);
		assert_string_equal(x->cgroup, y->cgroup);
		assert_int_equal(x->pid, y->pid);
		assert_int_equal(x->samples, y->samples);
		assert_int_equal(x->weight, y->weight);
		assert_int_equal(x->nr_frames, y->nr_frames);
		for (size_t f = 0; f < x->nr_frames; f++)
			same_frame(x->frames[f], y->frames[f]);
	}
}

static void same_entries(const struct tprof_profile *a, const struct tprof_profile *b)
{
	assert_int_equal(tprof_profile__nr_entries(a), tprof_profile__nr_entries(b));
	for (size_t i = 0; i < tprof_profile__nr_entries(a); i++) {
		const struct tprof_entry *x = tprof_profile__entry(a, i), *y = tprof_profile__entry(b, i);

		assert_string_equal(x->symbol, y->symbol);
		assert_string_equal(x->object, y->object);
		assert_string_equal(x->comm, y->comm);
		assert_string_equal(x->cgroup, y->cgroup);
		assert_int_equal(x->pid, y->pid);
		assert_int_equal(x->cpu, y->cpu);
		assert_int_equal(x->mode, y->mode);
		assert_int_equal(x->samples, y->samples);
		assert_int_equal(x->weight, y->weight);
		assert_true(x->percent == y->percent);
		assert_string_equal(x->file, y->file);
		assert_int_equal(x->line, y->line);
		assert_int_equal(x->inlined, y->inlined);
	}
}

static void same_ledger(const struct tprof_profile *a, const struct tprof_profile *b)
{
	const struct tprof_info *x = tprof_profile__info(a), *y = tprof_profile__info(b);

	assert_memory_equal(tprof_profile__ledger(a), tprof_profile__ledger(b), sizeof(struct tprof_ledger));
	assert_int_equal(tprof_profile__duration_ns(a), tprof_profile__duration_ns(b));
	assert_string_equal(x->engine, y->engine);
	assert_string_equal(x->event, y->event);
	assert_string_equal(x->unit, y->unit);
	assert_string_equal(x->fallback ? x->fallback : "none", y->fallback ? y->fallback : "none");
	assert_int_equal(x->rate_hz, y->rate_hz);
	assert_int_equal(x->period, y->period);
	assert_int_equal(x->nr_cpus, y->nr_cpus);
	assert_int_equal(x->nr_online, y->nr_online);
}

static void same_bytes(int a, int b)
{
	static char x[65536], y[65536];
	ssize_t size = pread(a, x, sizeof(x), 0);

	assert_true(size > 0 && size < (ssize_t)sizeof(x));
	assert_int_equal(pread(b, y, sizeof(y), 0), size);
	assert_memory_equal(x, y, (size_t)size);
}

static void everything_comes_back(void **state)
{
	struct tprof_profile *profile = call_stack_profile(), *back = read_back(exported(profile));
	int first = exported(profile), second = exported(back);
	(void)state;
	same_call_stacks(profile, back);
	same_entries(profile, back);
	same_ledger(profile, back);
	assert_int_equal(sum_of_call_stacks(back).samples, CHAIN_SAMPLES);
	assert_int_equal(sum_of_call_stacks(back).weight, CHAIN_SAMPLES * 1000);
	assert_int_equal(sum_of_entries(back).weight, CHAIN_SAMPLES * 1000);
	same_bytes(first, second);
	close(first);
	close(second);
	tprof_profile__free(back);
	tprof_profile__free(profile);
}

static void the_order_of_adding_does_not_show(void **state)
{
	struct tprof_profile *profile = call_stack_profile(), *other = profile_new();
	int first, second;

	(void)state;
	assert_int_equal(profile_set_info(other, &profile->info), 0);
	for (size_t i = tprof_profile__nr_call_stacks(profile); i-- > 0;)
		assert_int_equal(profile_add_call_stack(other, tprof_profile__call_stack(profile, i)), 0);
	other->ledger = profile->ledger;
	other->duration_ns = profile->duration_ns;
	profile_finish(other);
	first = exported(profile);
	second = exported(other);
	same_bytes(first, second);
	close(first);
	close(second);
	tprof_profile__free(other);
	tprof_profile__free(profile);
}

static void functions_alone_come_back_as_functions(void **state)
{
	const struct tprof_entry entries[] = {
		{ "hot", "app", "app", "/a", 7, -1, TPROF_MODE_USER, 4, 40, 0, "", 0, false, "" },
		{ "hot", "app", "app", "/a", 8, 3, TPROF_MODE_USER, 4, 40, 0, "", 0, false, "" },
		{ "do_idle", "[kernel]", "swapper", "", 0, 1, TPROF_MODE_IDLE, 2, 20, 0, "", 0, false, "" },
		{ "[guest]", "", "qemu", "", 9, 0, TPROF_MODE_GUEST, 1, 10, 0, "", 0, false, "" },
		{ "vfs_read", "[kernel]", "", "", -1, -1, TPROF_MODE_KERNEL, 1, 10, 0, "", 0, false, "app (7)" },
		{ "key=5", "", "", "", -1, -1, TPROF_MODE_UNKNOWN, 1, 9, 0, "", 0, false, "" },
	};
	struct tprof_profile *profile = call_stack_profile(), *flat = profile_new(), *back;

	(void)state;
	assert_int_equal(profile_set_info(flat, &profile->info), 0);
	flat->info.fallback = NULL;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		assert_int_equal(profile_add(flat, &entries[i]), 0);
	flat->ledger = some_ledger(13);
	profile_finish(flat);
	back = read_back(exported(flat));
	assert_int_equal(tprof_profile__nr_call_stacks(back), 0);
	same_entries(flat, back);
	same_ledger(flat, back);
	tprof_profile__free(back);
	tprof_profile__free(flat);
	tprof_profile__free(profile);
}

#define INLINED(name, at_line) \
	{ name, "app", "/usr/bin/app", APP_ID, 0x1200, TPROF_MODE_USER, "/src/app.c", at_line, 7, true }

/* Functions that are inlined at an address are in one location of the file. */
static void lines_and_inlined_functions_come_back(void **state)
{
	const struct tprof_frame inner = INLINED("inner", 12), middle = INLINED("middle", 22);
	const struct tprof_frame code = { "outer", "app", "/usr/bin/app", APP_ID, 0x1200, TPROF_MODE_USER,
					  "/src/main.c", 32, 30, false };
	/* A library in a memfd: the object name cannot be derived from its path. */
	const struct tprof_frame odd = { "odd", "memfd:a/b", "/memfd:a/b", "", 0x10, TPROF_MODE_USER, "/src/b.c", 3, 2,
					 false };
	struct tprof_profile *profile = call_stack_profile(), *back;
	size_t seen = 0;
	int first, second;

	(void)state;
	ADD_CHAIN(profile, "app", 5, 5, &inner, &middle, &code, &odd);
	ADD_CHAIN(profile, "app", 5, 6, &middle, &code, &code);
	profile_finish(profile);
	/* With these call stacks the ledger of the fixture does not close, which does not matter here. */
	back = read_back(exported(profile));
	same_call_stacks(profile, back);
	for (size_t i = 0; i < tprof_profile__nr_entries(back); i++) {
		const struct tprof_entry *entry = tprof_profile__entry(back, i);

		if (!entry->inlined)
			continue;
		assert_string_equal(entry->file, "/src/app.c");
		assert_int_equal(entry->line, strcmp(entry->symbol, "inner") ? 22 : 12);
		seen++;
	}
	assert_int_equal(seen, 2);
	first = exported(profile);
	second = exported(back);
	same_bytes(first, second);
	close(first);
	close(second);
	tprof_profile__free(back);
	tprof_profile__free(profile);
}

static void empty_profiles_come_back(void **state)
{
	struct tprof_profile *full = call_stack_profile(), *profile = profile_new(), *back;

	(void)state;
	assert_int_equal(profile_set_info(profile, &full->info), 0);
	profile_finish(profile);
	back = read_back(exported(profile));
	assert_int_equal(tprof_profile__nr_entries(back), 0);
	same_ledger(profile, back);
	tprof_profile__free(back);
	tprof_profile__free(profile);
	tprof_profile__free(full);
}

static void names_are_utf8_in_files(void **state)
{
	const struct tprof_frame frame = { "caf\xe9\xff", "\xc0\xaf", "", "", 1, TPROF_MODE_USER, .file = "" };
	const struct tprof_frame good = { "caf\xc3\xa9", "\xf0\x9f\x90\xa7", "", "", 2, TPROF_MODE_USER, .file = "" };
	struct tprof_profile *profile = call_stack_profile(), *back;
	bool mended = false, kept = false;

	(void)state;
	ADD_CHAIN(profile, "\xed\xa0\x80", 5, 5, &frame);
	ADD_CHAIN(profile, "good", 5, 5, &good);
	profile_finish(profile);
	back = read_back(exported(profile));
	for (size_t i = 0; i < tprof_profile__nr_call_stacks(back); i++) {
		const struct tprof_call_stack *stack = tprof_profile__call_stack(back, i);

		mended |= !strcmp(stack->comm, "???") && !strcmp(stack->frames[0]->symbol, "caf??") &&
			  !strcmp(stack->frames[0]->object, "??");
		kept |= !strcmp(stack->frames[0]->symbol, good.symbol) &&
			!strcmp(stack->frames[0]->object, good.object);
	}
	assert_true(mended);
	assert_true(kept);
	tprof_profile__free(back);
	tprof_profile__free(profile);
}

static void several_packs_are_one_file(void **state)
{
	struct tprof_profile *profile = call_stack_profile(), *back;
	struct gzip_bytes message = message_of(profile);
	int fd = memory_fd();
	FILE *out = fdopen(dup(fd), "w");

	(void)state;
	assert_non_null(out);
	assert_int_equal(gzip_write(message.bytes, 100, out), 0);
	assert_int_equal(gzip_write(message.bytes + 100, message.size - 100, out), 0);
	assert_int_equal(fclose(out), 0);
	lseek(fd, 0, SEEK_SET);
	back = read_back(fd);
	same_call_stacks(profile, back);
	tprof_profile__free(back);
	free(message.bytes);
	tprof_profile__free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_comes_back),
		cmocka_unit_test(the_order_of_adding_does_not_show),
		cmocka_unit_test(functions_alone_come_back_as_functions),
		cmocka_unit_test(lines_and_inlined_functions_come_back),
		cmocka_unit_test(empty_profiles_come_back),
		cmocka_unit_test(names_are_utf8_in_files),
		cmocka_unit_test(several_packs_are_one_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
