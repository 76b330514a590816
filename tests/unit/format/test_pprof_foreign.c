// SPDX-License-Identifier: GPL-2.0-only
/* pprof files of other programs are read, or refused with an error message if they are inconsistent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pprof_fixture.h"
#include "pprof_foreign_fixture.h"

static void files_of_others_are_understood(void **state)
{
	struct tprof_profile *profile;
	const struct tprof_call_stack *stack, *bare;
	struct foreign file;

	(void)state;
	foreign_init(&file);
	profile = read_back(foreign_fd(&file));
	assert_string_equal(tprof_profile__info(profile)->event, "inuse_space");
	assert_string_equal(tprof_profile__info(profile)->fallback,
			    "bytes; other values: nothing, nothing, inuse_objects");
	assert_string_equal(tprof_profile__info(profile)->unit, "bytes");
	assert_int_equal(tprof_profile__info(profile)->period, 524288);
	assert_int_equal(tprof_profile__duration_ns(profile), 5);
	assert_int_equal(tprof_profile__ledger(profile)->fired.samples, 5);
	assert_int_equal(tprof_profile__ledger(profile)->fired.weight, 100);
	assert_int_equal(tprof_ledger__difference(tprof_profile__ledger(profile)).samples, 0);
	/* The sample without values is dropped. */
	assert_int_equal(tprof_profile__nr_call_stacks(profile), 2);
	bare = tprof_profile__call_stack(profile, 0);
	assert_int_equal(bare->weight, 70);
	assert_int_equal(bare->samples, 2);
	assert_string_equal(bare->frames[0]->symbol, "[no stack]");
	stack = tprof_profile__call_stack(profile, 1);
	assert_int_equal(stack->weight, 30);
	assert_int_equal(stack->pid, 4711);
	assert_int_equal(stack->nr_frames, 4);
	assert_string_equal(stack->frames[0]->symbol, "inner");
	assert_string_equal(stack->frames[1]->symbol, "outer");
	assert_string_equal(stack->frames[1]->object, "other");
	assert_string_equal(stack->frames[1]->build_id, "f00d");
	assert_int_equal(stack->frames[1]->address, 0x3000);
	assert_string_equal(stack->frames[2]->symbol, "[other+0x3001]");
	assert_string_equal(stack->frames[3]->symbol, "[unknown+0xfffffffffffffffa]");
	assert_int_equal(stack->frames[3]->mode, TPROF_MODE_KERNEL);
	tprof_profile__free(profile);
}

static void what_others_do_not_say_is_not_said(void **state)
{
	struct tprof_profile *profile;
	struct foreign file;
	char text[4096] = "";
	int fd = memory_fd();

	(void)state;
	foreign_init(&file);
	file.profile.period = 0;
	profile = read_back(foreign_fd(&file));
	assert_int_equal(tprof_profile__export(profile, "text", fd, NULL), 0);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	assert_non_null(strstr(text, "# engine unknown, event inuse_space "
				     "(bytes; other values: nothing, nothing, inuse_objects), 0.0 s\n"));
	close(fd);
	tprof_profile__free(profile);
}

static void a_period_of_something_else_is_none(void **state)
{
	struct tprof_profile *profile;
	struct foreign file;

	(void)state;
	foreign_init(&file);
	file.period.unit = COUNT;
	profile = read_back(foreign_fd(&file));
	assert_string_equal(tprof_profile__info(profile)->unit, "bytes");
	assert_int_equal(tprof_profile__info(profile)->period, 0);
	tprof_profile__free(profile);
}

static void the_default_value_is_the_weight(void **state)
{
	struct tprof_profile *profile;
	struct foreign file;

	(void)state;
	foreign_init(&file);
	file.profile.default_type = NOTHING;
	profile = read_back(foreign_fd(&file));
	assert_int_equal(tprof_profile__ledger(profile)->fired.samples, 91);
	assert_int_equal(tprof_profile__ledger(profile)->fired.weight, 910);
	tprof_profile__free(profile);
}

/* Returns the number of samples of a file whose first value types are these, with the unit count; the last is read. */
static uint64_t samples_of(const int64_t *names, size_t nr)
{
	struct tprof_profile *profile;
	struct foreign file;
	uint64_t samples;

	foreign_init(&file);
	file.profile.n_sample_type = nr;
	for (size_t i = 0; i < nr; i++) {
		file.types[i].name = names[i];
		file.types[i].unit = COUNT;
	}
	for (size_t i = 0; i < LEN(file.samples); i++)
		file.samples[i].n_value = nr;
	profile = read_back(foreign_fd(&file));
	samples = tprof_profile__ledger(profile)->fired.samples;
	tprof_profile__free(profile);
	return samples;
}

#define SAMPLES_OF(...) samples_of((const int64_t[]){ __VA_ARGS__ }, LEN(((const int64_t[]){ __VA_ARGS__ })))

/* Values of the types add up to 91, 910, 5 and 100. */
static void a_weight_that_is_a_count_is_not_of_samples(void **state)
{
	(void)state;
	assert_int_equal(SAMPLES_OF(CYCLES_SAMPLE, CYCLES_EVENT), 91);
	assert_int_equal(SAMPLES_OF(SAMPLES, CYCLES_EVENT), 91);
	assert_int_equal(SAMPLES_OF(SAMPLES, OBJECTS, CYCLES_EVENT), 91);
	assert_int_equal(SAMPLES_OF(CYCLES_SAMPLE, CYCLES_EVENT, CYCLES_SAMPLE, CYCLES_EVENT), 5);
	assert_int_equal(SAMPLES_OF(CYCLES_EVENT, SAMPLES), 910);
	assert_int_equal(SAMPLES_OF(OBJECTS, CYCLES_EVENT), 0);
	assert_int_equal(SAMPLES_OF(CYCLES_EVENT), 91);
}

static struct tprof_profile *read_value(const struct foreign *file, const char *value, struct tprof_error *error)
{
	TPROF_OPTS(tprof_read_opts, opts, .value = value);
	int fd = foreign_fd(file);
	struct tprof_profile *profile = tprof_profile__read_part(fd, "test", &opts, error);

	close(fd);
	return profile;
}

static void any_value_can_be_the_weight(void **state)
{
	struct tprof_error error = { 0 };
	struct tprof_profile *profile;
	struct foreign file;

	(void)state;
	foreign_init(&file);
	profile = read_value(&file, "inuse_objects", NULL);
	assert_string_equal(tprof_profile__info(profile)->event, "inuse_objects");
	assert_string_equal(tprof_profile__info(profile)->fallback,
			    "count; other values: nothing, nothing, inuse_space");
	assert_int_equal(tprof_profile__ledger(profile)->fired.weight, 5);
	tprof_profile__free(profile);
	assert_null(read_value(&file, "alloc_space", &error));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(error.text, "test: has no sample value named alloc_space");
	assert_string_equal(error.hint, "it has nothing, nothing, inuse_objects, inuse_space");
}

/* A file with negative values: the positive and the negative part of the default type. */
static void differences_have_two_sides(void **state)
{
	struct tprof_profile *profile;
	struct foreign file;

	(void)state;
	foreign_init(&file);
	file.values[0][2] = -3;
	file.values[0][3] = INT64_MIN;
	profile = read_value(&file, NULL, NULL);
	assert_int_equal(tprof_profile__nr_call_stacks(profile), 1);
	assert_int_equal(tprof_profile__ledger(profile)->fired.weight, 70);
	assert_int_equal(tprof_profile__ledger(profile)->fired.samples, 2);
	assert_non_null(strstr(tprof_profile__info(profile)->fallback,
			       "9223372036854775808 below 0 are left out: --value -inuse_space shows them"));
	tprof_profile__free(profile);
	profile = read_value(&file, "-inuse_space", NULL);
	assert_int_equal(tprof_profile__nr_call_stacks(profile), 1);
	assert_true(tprof_profile__ledger(profile)->fired.weight == UINT64_C(1) << 63);
	assert_int_equal(tprof_profile__ledger(profile)->fired.samples, 3);
	assert_non_null(strstr(tprof_profile__info(profile)->fallback, "the values below 0"));
	tprof_profile__free(profile);
}

static void names_are_demangled(void **state)
{
	static const char *const mangled = "_ZN3foo3barEi";
	struct tprof_profile *profile;
	struct foreign file;

	(void)state;
	/* The linkage name is the same, missing, or different, in which case the name is not demangled again. */
	for (int64_t linkage = 0; linkage <= 2; linkage++) {
		bool other = linkage == 2;

		foreign_init(&file);
		file.strings[INNER] = (ProtobufCBinaryData){ strlen(mangled), (uint8_t *)mangled };
		file.functions[0].linkage_name = linkage == 1 ? INNER : other ? OUTER : 0;
		profile = read_back(foreign_fd(&file));
		assert_string_equal(tprof_profile__call_stack(profile, 1)->frames[0]->symbol,
				    other ? mangled : "foo::bar(int)");
		tprof_profile__free(profile);
	}
}

static void what_is_not_packed_is_read(void **state)
{
	struct tprof_profile *profile;
	struct foreign file;
	size_t size;
	uint8_t *bytes;
	int fd = memory_fd();

	(void)state;
	foreign_init(&file);
	size = pprof__profile__get_packed_size(&file.profile);
	bytes = malloc(size);
	pprof__profile__pack(&file.profile, bytes);
	assert_int_equal(write(fd, bytes, size), size);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	free(bytes);
	profile = read_back(fd);
	assert_int_equal(tprof_profile__ledger(profile)->fired.weight, 100);
	tprof_profile__free(profile);
}

static void refuse_foreign(const struct foreign *file, const char *text)
{
	refuse(foreign_fd(file), EBADMSG, text);
}

static void what_does_not_fit_together_is_refused(void **state)
{
	struct foreign file;

	(void)state;
	foreign_init(&file);
	file.ids[0] = 77;
	refuse_foreign(&file, "a sample refers to a missing location");
	foreign_init(&file);
	file.locations[1].id = file.locations[0].id;
	refuse_foreign(&file, "occurs twice");
	foreign_init(&file);
	file.functions[0].id = 0;
	refuse_foreign(&file, "an id is 0");
	foreign_init(&file);
	file.lines[0].function = 3;
	refuse_foreign(&file, "a location refers to a missing function");
	foreign_init(&file);
	file.locations[0].mapping = 3;
	refuse_foreign(&file, "a location refers to a missing mapping");
	foreign_init(&file);
	file.functions[0].name = 1000;
	refuse_foreign(&file, "a location refers to a missing function");
	foreign_init(&file);
	file.mapping.file = -1;
	refuse_foreign(&file, "a mapping refers to a missing string");
	foreign_init(&file);
	file.label.key = INT64_MIN;
	refuse_foreign(&file, "a label refers to a missing string");
	foreign_init(&file);
	file.samples[1].n_value = 3;
	refuse_foreign(&file, "one value for each sample type");
	foreign_init(&file);
	file.profile.n_sample_type = 0;
	refuse_foreign(&file, "it has no sample types");
	foreign_init(&file);
	file.profile.n_string = 0;
	refuse_foreign(&file, "first string");
	foreign_init(&file);
	file.types[3].name = 99;
	refuse_foreign(&file, "a sample type refers to a missing string");
	foreign_init(&file);
	file.values[0][3] = file.values[1][3] = file.values[2][3] = INT64_MAX;
	refuse_foreign(&file, "overflows 64 bits");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_others_are_understood),
		cmocka_unit_test(what_others_do_not_say_is_not_said),
		cmocka_unit_test(a_period_of_something_else_is_none),
		cmocka_unit_test(the_default_value_is_the_weight),
		cmocka_unit_test(a_weight_that_is_a_count_is_not_of_samples),
		cmocka_unit_test(any_value_can_be_the_weight),
		cmocka_unit_test(differences_have_two_sides),
		cmocka_unit_test(names_are_demangled),
		cmocka_unit_test(what_is_not_packed_is_read),
		cmocka_unit_test(what_does_not_fit_together_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
