// SPDX-License-Identifier: GPL-2.0-only
/* pprof files: what is written comes back, files of others are understood, damaged ones refused in words. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "chain_fixture.h"
#include "gzip.h"
#include "pprof.pb-c.h"

static int memory_fd(void)
{
	int fd = memfd_create("pprof", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static int exported(const struct tprof_profile *profile)
{
	int fd = memory_fd();

	assert_int_equal(tprof_profile__export(profile, "pprof", fd, NULL), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static struct tprof_profile *read_back(int fd)
{
	struct tprof_error error = { 0 };
	struct tprof_profile *profile = tprof_profile__read(fd, "test", &error);

	if (!profile)
		fail_msg("%s", error.text);
	close(fd);
	return profile;
}

static void same_frame(const struct tprof_frame *a, const struct tprof_frame *b)
{
	assert_string_equal(a->symbol, b->symbol);
	assert_string_equal(a->object, b->object);
	assert_string_equal(a->path, b->path);
	assert_string_equal(a->build_id, b->build_id);
	assert_int_equal(a->address, b->address);
	assert_int_equal(a->mode, b->mode);
}

static void same_chains(const struct tprof_profile *a, const struct tprof_profile *b)
{
	assert_int_equal(tprof_profile__nr_chains(a), tprof_profile__nr_chains(b));
	for (size_t i = 0; i < tprof_profile__nr_chains(a); i++) {
		const struct tprof_chain *x = tprof_profile__chain(a, i), *y = tprof_profile__chain(b, i);

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
	}
}

static void same_account(const struct tprof_profile *a, const struct tprof_profile *b)
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

static struct tprof_tally sum_of_chains(const struct tprof_profile *profile)
{
	struct tprof_tally sum = { 0, 0 };

	for (size_t i = 0; i < tprof_profile__nr_chains(profile); i++) {
		sum.samples += tprof_profile__chain(profile, i)->samples;
		sum.weight += tprof_profile__chain(profile, i)->weight;
	}
	return sum;
}

static struct tprof_tally sum_of_entries(const struct tprof_profile *profile)
{
	struct tprof_tally sum = { 0, 0 };

	for (size_t i = 0; i < tprof_profile__nr_entries(profile); i++) {
		sum.samples += tprof_profile__entry(profile, i)->samples;
		sum.weight += tprof_profile__entry(profile, i)->weight;
	}
	return sum;
}

static void everything_comes_back(void **state)
{
	struct tprof_profile *profile = chain_profile(), *back = read_back(exported(profile));
	int first = exported(profile), second = exported(back);
	(void)state;
	same_chains(profile, back);
	same_entries(profile, back);
	same_account(profile, back);
	assert_int_equal(sum_of_chains(back).samples, CHAIN_SAMPLES);
	assert_int_equal(sum_of_chains(back).weight, CHAIN_SAMPLES * 1000);
	assert_int_equal(sum_of_entries(back).weight, CHAIN_SAMPLES * 1000);
	same_bytes(first, second);
	close(first);
	close(second);
	tprof_profile__free(back);
	tprof_profile__free(profile);
}

static void the_order_of_adding_does_not_show(void **state)
{
	struct tprof_profile *profile = chain_profile(), *other = profile_new();
	int first, second;

	(void)state;
	assert_int_equal(profile_set_info(other, &profile->info), 0);
	for (size_t i = tprof_profile__nr_chains(profile); i-- > 0;)
		assert_int_equal(profile_add_chain(other, tprof_profile__chain(profile, i)), 0);
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
		{ "hot", "app", "app", "/a", 7, -1, TPROF_MODE_USER, 4, 40, 0 },
		{ "hot", "app", "app", "/a", 8, 3, TPROF_MODE_USER, 4, 40, 0 },
		{ "do_idle", "[kernel]", "swapper", "", 0, 1, TPROF_MODE_IDLE, 2, 20, 0 },
		{ "[guest]", "", "qemu", "", 9, 0, TPROF_MODE_GUEST, 1, 10, 0 },
		{ "vfs_read", "[kernel]", "", "", -1, -1, TPROF_MODE_KERNEL, 1, 10, 0 },
		{ "key=5", "", "", "", -1, -1, TPROF_MODE_UNKNOWN, 1, 9, 0 },
	};
	struct tprof_profile *profile = chain_profile(), *flat = profile_new(), *back;

	(void)state;
	assert_int_equal(profile_set_info(flat, &profile->info), 0);
	flat->info.fallback = NULL;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		assert_int_equal(profile_add(flat, &entries[i]), 0);
	flat->ledger = some_ledger(13);
	profile_finish(flat);
	back = read_back(exported(flat));
	assert_int_equal(tprof_profile__nr_chains(back), 0);
	same_entries(flat, back);
	same_account(flat, back);
	tprof_profile__free(back);
	tprof_profile__free(flat);
	tprof_profile__free(profile);
}

static void empty_profiles_come_back(void **state)
{
	struct tprof_profile *full = chain_profile(), *profile = profile_new(), *back;

	(void)state;
	assert_int_equal(profile_set_info(profile, &full->info), 0);
	profile_finish(profile);
	back = read_back(exported(profile));
	assert_int_equal(tprof_profile__nr_entries(back), 0);
	same_account(profile, back);
	tprof_profile__free(back);
	tprof_profile__free(profile);
	tprof_profile__free(full);
}

static void names_are_utf8_in_files(void **state)
{
	const struct tprof_frame frame = { "caf\xe9\xff", "\xc0\xaf", "", "", 1, TPROF_MODE_USER };
	const struct tprof_frame good = { "caf\xc3\xa9", "\xf0\x9f\x90\xa7", "", "", 2, TPROF_MODE_USER };
	struct tprof_profile *profile = chain_profile(), *back;
	bool mended = false, kept = false;

	(void)state;
	ADD_CHAIN(profile, "\xed\xa0\x80", 5, 5, &frame);
	ADD_CHAIN(profile, "good", 5, 5, &good);
	profile_finish(profile);
	back = read_back(exported(profile));
	for (size_t i = 0; i < tprof_profile__nr_chains(back); i++) {
		const struct tprof_chain *chain = tprof_profile__chain(back, i);

		mended |= !strcmp(chain->comm, "???") && !strcmp(chain->frames[0]->symbol, "caf??") &&
			  !strcmp(chain->frames[0]->object, "??");
		kept |= !strcmp(chain->frames[0]->symbol, good.symbol) &&
			!strcmp(chain->frames[0]->object, good.object);
	}
	assert_true(mended);
	assert_true(kept);
	tprof_profile__free(back);
	tprof_profile__free(profile);
}

/* A file as another program would write it: sparse ids, inlined functions, no functions, several kinds of values. */
static const char *const foreign_strings[] = {
	"", "inuse_objects", "count", "inuse_space", "bytes", "space", "/bin/other", "f00d", "outer", "inner", "in.c",
	"nothing", "1", "pid",
};

enum { OBJECTS = 1, COUNT, SPACE, BYTES, PERIOD, FILE_NAME, BUILD_ID, OUTER, INNER, SOURCE, NOTHING, ONE, PID };

struct foreign {
	Pprof__Profile profile;
	Pprof__ValueType types[4], *type_at[4], period;
	Pprof__Sample samples[3], *sample_at[3];
	Pprof__Mapping mapping, *mapping_at[1];
	Pprof__Location locations[3], *location_at[3];
	Pprof__Line lines[2], *line_at[2];
	Pprof__Function functions[2], *function_at[2];
	Pprof__Label label, *label_at[1];
	ProtobufCBinaryData strings[sizeof(foreign_strings) / sizeof(foreign_strings[0])];
	uint64_t ids[3];
	int64_t values[3][4];
};

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static void foreign_samples(struct foreign *file)
{
	static const int64_t values[3][4] = { { 90, 900, 3, 30 }, { 0, 0, 0, 0 }, { 1, 10, 2, 70 } };

	memcpy(file->values, values, sizeof(values));
	file->ids[0] = 1000000;
	file->ids[1] = 5;
	file->ids[2] = UINT64_MAX;
	for (size_t i = 0; i < LEN(file->samples); i++) {
		pprof__sample__init(&file->samples[i]);
		file->samples[i].n_value = 4;
		file->samples[i].value = file->values[i];
		file->sample_at[i] = &file->samples[i];
	}
	file->samples[0].n_location = 3;
	file->samples[0].location = file->ids;
	pprof__label__init(&file->label);
	file->label.key = PID;
	file->label.number = 4711;
	file->label_at[0] = &file->label;
	file->samples[0].n_label = 1;
	file->samples[0].label = file->label_at;
}

static void foreign_code(struct foreign *file)
{
	for (size_t i = 0; i < LEN(file->locations); i++) {
		pprof__location__init(&file->locations[i]);
		file->locations[i].id = file->ids[i];
		file->locations[i].mapping = 9;
		file->locations[i].address = 0x401000 + i;
		file->location_at[i] = &file->locations[i];
	}
	file->locations[2].mapping = 0;
	file->locations[2].address = UINT64_MAX - 5;
	for (size_t i = 0; i < LEN(file->lines); i++) {
		pprof__line__init(&file->lines[i]);
		pprof__function__init(&file->functions[i]);
		file->functions[i].id = file->lines[i].function = 40 - i;
		file->functions[i].name = i ? OUTER : INNER;
		file->functions[i].file = SOURCE;
		file->line_at[i] = &file->lines[i];
		file->function_at[i] = &file->functions[i];
	}
	file->locations[0].n_line = 2;
	file->locations[0].line = file->line_at;
	pprof__mapping__init(&file->mapping);
	file->mapping.id = 9;
	file->mapping.start = 0x400000;
	file->mapping.limit = 0x500000;
	file->mapping.offset = 0x2000;
	file->mapping.file = FILE_NAME;
	file->mapping.build_id = BUILD_ID;
	file->mapping_at[0] = &file->mapping;
}

static void foreign_init(struct foreign *file)
{
	static const int64_t types[4][2] = {
		{ NOTHING, COUNT }, { NOTHING, BYTES }, { OBJECTS, COUNT }, { SPACE, BYTES },
	};

	memset(file, 0, sizeof(*file));
	pprof__profile__init(&file->profile);
	foreign_samples(file);
	foreign_code(file);
	for (size_t i = 0; i < LEN(types); i++) {
		pprof__value_type__init(&file->types[i]);
		file->types[i].name = types[i][0];
		file->types[i].unit = types[i][1];
		file->type_at[i] = &file->types[i];
	}
	for (size_t i = 0; i < LEN(foreign_strings); i++)
		file->strings[i] = (ProtobufCBinaryData){ strlen(foreign_strings[i]), (uint8_t *)foreign_strings[i] };
	pprof__value_type__init(&file->period);
	file->period.name = PERIOD;
	file->period.unit = BYTES;
	file->profile.n_sample_type = LEN(types);
	file->profile.sample_type = file->type_at;
	file->profile.n_sample = LEN(file->samples);
	file->profile.sample = file->sample_at;
	file->profile.n_mapping = 1;
	file->profile.mapping = file->mapping_at;
	file->profile.n_location = LEN(file->locations);
	file->profile.location = file->location_at;
	file->profile.n_function = LEN(file->functions);
	file->profile.function = file->function_at;
	file->profile.n_string = LEN(foreign_strings);
	file->profile.string = file->strings;
	file->profile.period_type = &file->period;
	file->profile.period = 524288;
	file->profile.duration_ns = 5;
}

static int packed(const uint8_t *bytes, size_t size)
{
	int fd = memory_fd();
	FILE *out = fdopen(dup(fd), "w");

	assert_non_null(out);
	assert_int_equal(gzip_write(bytes, size, out), 0);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int foreign_fd(const struct foreign *file)
{
	size_t size = pprof__profile__get_packed_size(&file->profile);
	uint8_t *bytes = malloc(size);
	int fd;

	pprof__profile__pack(&file->profile, bytes);
	fd = packed(bytes, size);
	free(bytes);
	return fd;
}

static void files_of_others_are_understood(void **state)
{
	struct tprof_profile *profile;
	const struct tprof_chain *stack, *bare;
	struct foreign file;

	(void)state;
	foreign_init(&file);
	profile = read_back(foreign_fd(&file));
	assert_string_equal(tprof_profile__info(profile)->event, "space");
	assert_string_equal(tprof_profile__info(profile)->unit, "bytes");
	assert_int_equal(tprof_profile__info(profile)->period, 524288);
	assert_int_equal(tprof_profile__duration_ns(profile), 5);
	assert_int_equal(tprof_profile__ledger(profile)->fired.samples, 5);
	assert_int_equal(tprof_profile__ledger(profile)->fired.weight, 100);
	assert_int_equal(tprof_ledger__difference(tprof_profile__ledger(profile)).samples, 0);
	/* The sample without any value says nothing and is not there. */
	assert_int_equal(tprof_profile__nr_chains(profile), 2);
	bare = tprof_profile__chain(profile, 0);
	assert_int_equal(bare->weight, 70);
	assert_int_equal(bare->samples, 2);
	assert_string_equal(bare->frames[0]->symbol, "[no stack]");
	stack = tprof_profile__chain(profile, 1);
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
	assert_non_null(strstr(text, "# engine unknown, event space, 0.0 s\n"));
	close(fd);
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

static void refuse(int fd, int err, const char *text)
{
	struct tprof_error error = { 0 };

	errno = 0;
	assert_null(tprof_profile__read(fd, "test", &error));
	assert_int_equal(errno, err);
	if (!strstr(error.text, text) || strncmp(error.text, "test: ", 6))
		fail_msg("'%s' does not say '%s'", error.text, text);
	close(fd);
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
	refuse_foreign(&file, "a location is not there");
	foreign_init(&file);
	file.locations[1].id = file.locations[0].id;
	refuse_foreign(&file, "there twice");
	foreign_init(&file);
	file.functions[0].id = 0;
	refuse_foreign(&file, "an id is 0");
	foreign_init(&file);
	file.lines[0].function = 3;
	refuse_foreign(&file, "a function is not there");
	foreign_init(&file);
	file.locations[0].mapping = 3;
	refuse_foreign(&file, "a mapping is not there");
	foreign_init(&file);
	file.functions[0].name = 1000;
	refuse_foreign(&file, "a function is not there");
	foreign_init(&file);
	file.mapping.file = -1;
	refuse_foreign(&file, "name of a mapping");
	foreign_init(&file);
	file.label.key = INT64_MIN;
	refuse_foreign(&file, "a label is not there");
	foreign_init(&file);
	file.samples[1].n_value = 3;
	refuse_foreign(&file, "another number of values");
	foreign_init(&file);
	file.values[0][3] = -1;
	refuse_foreign(&file, "below 0");
	foreign_init(&file);
	file.profile.n_sample_type = 0;
	refuse_foreign(&file, "what its samples are");
	foreign_init(&file);
	file.profile.n_string = 0;
	refuse_foreign(&file, "first string");
	foreign_init(&file);
	file.period.name = 99;
	refuse_foreign(&file, "name of a value");
	foreign_init(&file);
	file.values[0][3] = file.values[1][3] = file.values[2][3] = INT64_MAX;
	refuse_foreign(&file, "add up to more");
}

static void what_is_no_file_of_ours_is_refused(void **state)
{
	static const uint8_t no_message[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	int fd = memory_fd();

	(void)state;
	refuse(memory_fd(), EBADMSG, "empty");
	assert_int_equal(pwrite(fd, "hello\n", 6, 0), 6);
	refuse(fd, EBADMSG, "not packed with gzip");
	refuse(packed(no_message, sizeof(no_message)), EBADMSG, "no pprof message");
	refuse(packed(no_message, 0), EBADMSG, "first string");
	assert_null(tprof_profile__read(-1, "test", NULL));
	assert_int_equal(errno, EBADF);
}

static void cut_short_files_are_refused(void **state)
{
	struct tprof_profile *profile = chain_profile();
	struct tprof_error error;
	int fd = exported(profile);
	off_t size = lseek(fd, 0, SEEK_END);

	(void)state;
	while (size-- > 0) {
		assert_int_equal(ftruncate(fd, size), 0);
		lseek(fd, 0, SEEK_SET);
		assert_null(tprof_profile__read(fd, "test", &error));
		assert_int_equal(errno, EBADMSG);
	}
	close(fd);
	tprof_profile__free(profile);
}

/* Of zeros: they pack a thousand to one. */
static void files_that_unpack_to_too_much_are_refused(void **state)
{
	size_t size = (256 << 20) + 1;
	uint8_t *zeros = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(zeros != MAP_FAILED);
	refuse(packed(zeros, size), EFBIG, "more than 256 MiB");
	munmap(zeros, size);
}

/* Samples that take two bytes in the file each, and far more in memory. */
static void files_that_take_too_much_memory_are_refused(void **state)
{
	size_t size = 64 << 20;
	uint8_t *bytes = malloc(size);

	(void)state;
	for (size_t i = 0; i < size; i += 2)
		memcpy(bytes + i, "\x12", 2);
	refuse(packed(bytes, size), EFBIG, "MiB of memory");
	free(bytes);
}

/* The message of a file of ours, to be changed. */
static struct gzip_bytes message_of(const struct tprof_profile *profile)
{
	struct gzip_bytes message;
	int fd = exported(profile);

	assert_int_equal(gzip_read(fd, "test", 1 << 20, &message, NULL), 0);
	close(fd);
	return message;
}

static void refuse_with(const struct tprof_profile *profile, const char *from, const char *to, int err,
			const char *text)
{
	struct gzip_bytes message = message_of(profile);
	uint8_t *at = memmem(message.bytes, message.size, from, strlen(from));

	assert_non_null(at);
	assert_int_equal(strlen(from), strlen(to));
	memcpy(at, to, strlen(to));
	refuse(packed(message.bytes, message.size), err, text);
	free(message.bytes);
}

static void accounts_that_do_not_fit_are_refused(void **state)
{
	struct tprof_profile *profile = chain_profile();

	(void)state;
	refuse_with(profile, "tprof.version: 1", "tprof.version: 2", EPROTONOSUPPORT, "later version");
	refuse_with(profile, "tprof.ledger.kept: 7 7003", "tprof.ledger.keep: 7 7003", EPROTONOSUPPORT,
		    "later version");
	refuse_with(profile, "tprof.ledger.kept: 7 7003", "tprof.ledger.kept: 8 7003", EBADMSG, "does not close");
	refuse_with(profile, "tprof.ledger.kept: 7 7003", "tprof.ledger.kept: 7 7x03", EBADMSG, "damaged");
	refuse_with(profile, "tprof.ledger.kept: 7 7003", "tprof.ledger.done: 7 7003", EBADMSG, "twice");
	refuse_with(profile, "tprof.ledger.kept: 7 7003", "xprof.ledger.kept: 7 7003", EBADMSG, "is missing");
	refuse_with(profile, "tprof.total: 60 60000", "tprof.total: 61 60000", EBADMSG,
		    "not those it was written with");
	tprof_profile__free(profile);
}

static uint64_t seed = 0x2545f4914f6cdd1d;

static uint64_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Whatever a changed file gives: it adds up, or it is refused in words. */
static void feed(int fd)
{
	struct tprof_error error = { 0 };
	struct tprof_profile *profile = tprof_profile__read(fd, "test", &error);
	struct tprof_tally chains, entries, counted;

	close(fd);
	if (!profile) {
		assert_true(error.text[0]);
		return;
	}
	chains = sum_of_chains(profile);
	entries = sum_of_entries(profile);
	counted = tprof_profile__ledger(profile)->countings[TPROF_COUNTING_AGGREGATED];
	if (tprof_profile__nr_chains(profile))
		assert_memory_equal(&chains, &entries, sizeof(chains));
	if (!strcmp(tprof_profile__info(profile)->engine, "unknown"))
		assert_memory_equal(&entries, &counted, sizeof(entries));
	assert_int_equal(tprof_ledger__difference(tprof_profile__ledger(profile)).weight, 0);
	tprof_profile__free(profile);
}

static void change(uint8_t *bytes, size_t size)
{
	for (uint64_t changes = 1 + draw() % 4; changes; changes--) {
		size_t at = draw() % size;

		if (draw() % 2)
			bytes[at] ^= (uint8_t)(1U << draw() % 8);
		else
			bytes[at] = (uint8_t)draw();
	}
}

static void changed_files_never_confuse(void **state)
{
	struct tprof_profile *profile = chain_profile();
	struct gzip_bytes message = message_of(profile);
	struct foreign file;
	uint8_t bytes[65536];
	size_t size;

	(void)state;
	assert_true(message.size < sizeof(bytes));
	for (int round = 0; round < 4000; round++) {
		memcpy(bytes, message.bytes, message.size);
		change(bytes, message.size);
		feed(packed(bytes, draw() % 8 ? message.size : draw() % message.size));
	}
	foreign_init(&file);
	size = pprof__profile__get_packed_size(&file.profile);
	for (int round = 0; round < 4000; round++) {
		pprof__profile__pack(&file.profile, bytes);
		change(bytes, size);
		feed(packed(bytes, draw() % 8 ? size : draw() % size));
	}
	free(message.bytes);
	tprof_profile__free(profile);
}

static void changed_gzip_is_refused(void **state)
{
	struct tprof_profile *profile = chain_profile();
	uint8_t bytes[65536], changed[sizeof(bytes)];
	int fd = exported(profile);
	ssize_t size = read(fd, bytes, sizeof(bytes));

	(void)state;
	close(fd);
	assert_true(size > 0);
	for (int round = 0; round < 2000; round++) {
		memcpy(changed, bytes, (size_t)size);
		change(changed, (size_t)size);
		fd = memory_fd();
		assert_int_equal(pwrite(fd, changed, (size_t)size, 0), size);
		feed(fd);
	}
	tprof_profile__free(profile);
}

static void several_packs_are_one_file(void **state)
{
	struct tprof_profile *profile = chain_profile(), *back;
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
	same_chains(profile, back);
	tprof_profile__free(back);
	free(message.bytes);
	tprof_profile__free(profile);
}

static void numbers_that_do_not_fit_are_refused(void **state)
{
	struct tprof_profile *profile = profile_new();
	const struct tprof_frame *frames[] = { &frame_main };
	const struct tprof_chain chain = { .frames = frames, .nr_frames = 1, .comm = "", .cgroup = "", .pid = -1,
					   .samples = 1, .weight = UINT64_MAX };

	(void)state;
	assert_int_equal(profile_add_chain(profile, &chain), 0);
	profile_finish(profile);
	assert_int_equal(tprof_profile__export(profile, "pprof", 1, NULL), -ERANGE);
	tprof_profile__free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_comes_back),
		cmocka_unit_test(the_order_of_adding_does_not_show),
		cmocka_unit_test(functions_alone_come_back_as_functions),
		cmocka_unit_test(empty_profiles_come_back),
		cmocka_unit_test(names_are_utf8_in_files),
		cmocka_unit_test(files_of_others_are_understood),
		cmocka_unit_test(what_others_do_not_say_is_not_said),
		cmocka_unit_test(the_default_value_is_the_weight),
		cmocka_unit_test(what_does_not_fit_together_is_refused),
		cmocka_unit_test(what_is_no_file_of_ours_is_refused),
		cmocka_unit_test(cut_short_files_are_refused),
		cmocka_unit_test(files_that_unpack_to_too_much_are_refused),
		cmocka_unit_test(files_that_take_too_much_memory_are_refused),
		cmocka_unit_test(accounts_that_do_not_fit_are_refused),
		cmocka_unit_test(changed_files_never_confuse),
		cmocka_unit_test(changed_gzip_is_refused),
		cmocka_unit_test(several_packs_are_one_file),
		cmocka_unit_test(numbers_that_do_not_fit_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
