// SPDX-License-Identifier: GPL-2.0-only
/* pprof files that are damaged or too large, and other files, are refused with an error message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "draw.h"
#include "pprof_fixture.h"
#include "pprof_foreign_fixture.h"

static void what_is_no_file_of_ours_is_refused(void **state)
{
	static const uint8_t no_message[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	int fd = memory_fd();

	(void)state;
	refuse(memory_fd(), EBADMSG, "empty");
	assert_int_equal(pwrite(fd, "hello\n", 6, 0), 6);
	refuse(fd, EBADMSG, "it is not a pprof message");
	refuse(packed(no_message, sizeof(no_message)), EBADMSG, "not a pprof message");
	refuse(packed(no_message, 0), EBADMSG, "first string");
	assert_null(tprof_profile__read(-1, "test", NULL));
	assert_int_equal(errno, EBADF);
}

static void cut_short_files_are_refused(void **state)
{
	struct tprof_profile *profile = call_stack_profile();
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

/* Zeros, which compress a thousand to one. */
static void files_that_unpack_to_too_much_are_refused(void **state)
{
	size_t size = (256 << 20) + 1;
	uint8_t *zeros = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(zeros != MAP_FAILED);
	refuse(packed(zeros, size), EFBIG, "more than 256 MiB");
	munmap(zeros, size);
}

/* Samples of two bytes in the file, which need much more memory. */
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

static void ledgers_that_do_not_fit_are_refused(void **state)
{
	struct tprof_profile *profile = call_stack_profile();

	(void)state;
	refuse_with(profile, "tprof.version: 1", "tprof.version: 2", EPROTONOSUPPORT, "later version");
	refuse_with(profile, "tprof.ledger.kept: 7 7003", "tprof.ledger.keep: 7 7003", EPROTONOSUPPORT,
		    "later version");
	refuse_with(profile, "tprof.ledger.kept: 7 7003", "tprof.ledger.kept: 8 7003", EBADMSG, "does not close");
	refuse_with(profile, "tprof.ledger.kept: 7 7003", "tprof.ledger.kept: 7 7x03", EBADMSG, "damaged");
	refuse_with(profile, "tprof.ledger.kept: 7 7003", "tprof.ledger.done: 7 7003", EBADMSG, "is missing");
	refuse_with(profile, "tprof.ledger.kept: 7 7003", "xprof.ledger.kept: 7 7003", EBADMSG, "is missing");
	refuse_with(profile, "counter: 0x3fd5555555555555", "counter: 0x7ff8000000000000", EBADMSG, "damaged");
	refuse_with(profile, "counter: 0x3fd5555555555555", "counter: 0xfff0000000000000", EBADMSG, "damaged");
	refuse_with(profile, "counter: 0x3fd5555555555555", "counter: 0x7fe0000000000000", EBADMSG, "damaged");
	tprof_profile__free(profile);
}

static void count_warnings(void *ctx, enum tprof_log_level level, const char *message)
{
	*(int *)ctx += level == TPROF_LOG_WARN && strstr(message, "its ledger is ignored") != NULL;
}

/* Reads the profile from a file with a changed text; @warnings counts the messages that the ledger is lost. */
static struct tprof_profile *read_changed(const struct tprof_profile *profile, const char *from, const char *to,
					  int *warnings)
{
	TPROF_OPTS(tprof_read_opts, opts, .log = count_warnings, .log_ctx = warnings);
	struct gzip_bytes message = message_of(profile);
	uint8_t *at = memmem(message.bytes, message.size, from, strlen(from));
	struct tprof_profile *changed;
	int fd;

	assert_non_null(at);
	memcpy(at, to, strlen(to));
	fd = packed(message.bytes, message.size);
	changed = tprof_profile__read_part(fd, "test", &opts, NULL);
	assert_non_null(changed);
	close(fd);
	free(message.bytes);
	return changed;
}

/* After pprof has merged files or removed samples, the comments with the ledger do not match the samples. */
static void a_ledger_of_other_samples_is_gone(void **state)
{
	static const char *const changes[][2] = {
		{ "tprof.total: 60 60000", "tprof.total: 61 60000" },
		{ "tprof.fallback: ", "tprof.engine: x " },
	};
	struct tprof_profile *profile = call_stack_profile(), *changed;

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		int warnings = 0;

		changed = read_changed(profile, changes[i][0], changes[i][1], &warnings);
		assert_int_equal(warnings, 1);
		assert_string_equal(tprof_profile__info(changed)->engine, "unknown");
		assert_string_equal(tprof_profile__info(changed)->event, tprof_profile__info(profile)->event);
		assert_int_equal(tprof_profile__ledger(changed)->fired.samples, 60);
		assert_int_equal(tprof_ledger__difference(tprof_profile__ledger(changed)).weight, 0);
		assert_int_equal(tprof_profile__nr_call_stacks(changed), tprof_profile__nr_call_stacks(profile));
		tprof_profile__free(changed);
	}
	tprof_profile__free(profile);
}

static int refused_in(const uint8_t *bytes, size_t size, const char *name, struct tprof_error *error)
{
	int fd = packed(bytes, size), err;

	assert_null(tprof_profile__read(fd, name, error));
	err = errno;
	close(fd);
	return err;
}

/* Error messages may contain text from the file, and must not contain control characters. */
static void sentences_do_not_steer_terminals(void **state)
{
	static const char *const from = "tprof.ledger.kept: 7 7003";
	struct tprof_profile *profile = call_stack_profile();
	struct gzip_bytes message = message_of(profile);
	uint8_t *at = memmem(message.bytes, message.size, from, strlen(from));
	struct tprof_error error = { 0 };

	(void)state;
	assert_non_null(at);
	memcpy(at, "tprof.x\033[2J\033]0;ab\a\302\233\303\233\n\177.", strlen(from));
	assert_int_equal(refused_in(message.bytes, message.size, "test", &error), EPROTONOSUPPORT);
	assert_string_equal(error.text, "test: written by a later version of tprof: tprof.x?[2J?]0;ab???\303\233??.");
	memcpy(at, "tprof.ledger.kept: 7\033[2J ", strlen(from));
	assert_int_equal(refused_in(message.bytes, message.size, "a\033[2J", &error), EBADMSG);
	assert_string_equal(error.text, "a?[2J: damaged: 'tprof.ledger.kept: 7?[2J '");
	free(message.bytes);
	tprof_profile__free(profile);
}

/* A changed file either gives a profile that adds up, or is refused with an error message. */
static void feed(int fd)
{
	struct tprof_error error = { 0 };
	struct tprof_profile *profile = tprof_profile__read(fd, "test", &error);
	struct tprof_tally call_stacks, entries, counted;

	close(fd);
	if (!profile) {
		assert_true(error.text[0]);
		return;
	}
	call_stacks = sum_of_call_stacks(profile);
	entries = sum_of_entries(profile);
	counted = tprof_profile__ledger(profile)->countings[TPROF_COUNTING_AGGREGATED];
	if (tprof_profile__nr_call_stacks(profile))
		assert_memory_equal(&call_stacks, &entries, sizeof(call_stacks));
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
	struct tprof_profile *profile = call_stack_profile();
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
	struct tprof_profile *profile = call_stack_profile();
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

static void numbers_that_do_not_fit_are_refused(void **state)
{
	struct tprof_profile *profile = profile_new();
	const struct tprof_frame *frames[] = { &frame_main };
	const struct tprof_call_stack stack = { .frames = frames, .nr_frames = 1, .comm = "", .cgroup = "", .pid = -1,
					   .samples = 1, .weight = UINT64_MAX };

	(void)state;
	assert_int_equal(profile_add_call_stack(profile, &stack), 0);
	profile_finish(profile);
	assert_int_equal(tprof_profile__export(profile, "pprof", 1, NULL), -ERANGE);
	tprof_profile__free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_file_of_ours_is_refused),
		cmocka_unit_test(cut_short_files_are_refused),
		cmocka_unit_test(files_that_unpack_to_too_much_are_refused),
		cmocka_unit_test(files_that_take_too_much_memory_are_refused),
		cmocka_unit_test(ledgers_that_do_not_fit_are_refused),
		cmocka_unit_test(a_ledger_of_other_samples_is_gone),
		cmocka_unit_test(sentences_do_not_steer_terminals),
		cmocka_unit_test(changed_files_never_confuse),
		cmocka_unit_test(changed_gzip_is_refused),
		cmocka_unit_test(numbers_that_do_not_fit_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
