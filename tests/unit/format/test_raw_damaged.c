// SPDX-License-Identifier: GPL-2.0-only
/* Raw recordings that are truncated, damaged or malicious: the valid part is read, and the ledger closes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "draw.h"
#include "raw_file.h"

/* Truncated anywhere: the part before is read with a warning, and the ledger closes. */
static void test_truncation(void **state)
{
	struct file file = recording(RAW_WRITER_MEMORY);
	uint64_t last = 0;

	(void)state;
	for (size_t size = 0; size < file.size; size++) {
		struct tprof_profile *profile = read_part(&file, size, 0, 0);
		uint64_t samples;

		if (!profile) {
			assert_int_equal(errno, EBADMSG);
			assert_int_equal(last, 0);
			continue;
		}
		assert_int_equal(nr_warnings, 1);
		assert_non_null(strstr(warning, "x.traw: cut short: "));
		check_sums(profile);
		samples = profile->ledger.countings[TPROF_COUNTING_AGGREGATED].samples;
		assert_true(samples >= last);
		last = samples;
		tprof_profile__free(profile);
	}
	assert_int_equal(last, ALL_SAMPLES);
	free(file.bytes);
}

/* A warning must not contain control characters. */
static void test_name(void **state)
{
	TPROF_OPTS(tprof_read_opts, opts, .log = warn);
	struct file file = recording(RAW_WRITER_MEMORY);
	int fd = open_bytes(file.bytes, file.size - 1);

	(void)state;
	tprof_profile__free(tprof_profile__read_part(fd, "a\033[2J\302\233", &opts, &error));
	assert_non_null(strstr(warning, "a?[2J??: cut short: "));
	close(fd);
	free(file.bytes);
}

static size_t find_record(const struct file *file, enum raw_type type)
{
	size_t at = RAW_FILE_HEADER;

	while (at < file->size && raw_get32(file->bytes + at) != (uint32_t)type)
		at = next_record(file, at);
	assert_true(at < file->size);
	return at;
}

/* The file ends after the samples of the first reading; then after their ledger, which has three samples more. */
static void test_missing(void **state)
{
	struct file file = recording(RAW_WRITER_MEMORY);
	size_t ledger = find_record(&file, RAW_LEDGER), end = next_record(&file, ledger);
	uint8_t *payload = file.bytes + ledger + RAW_HEADER;
	uint8_t *done = payload + RAW_LEDGER_TALLIES_AT + 16 * TPROF_OUTCOME_DONE;
	uint8_t *counted = payload + RAW_LEDGER_TALLIES_AT + 16 * (TPROF_NR_OUTCOMES + TPROF_NR_LOST_REASONS);
	struct tprof_profile *profile = read_part(&file, ledger, 0, 0);
	struct tprof_tally all = { CHAIN_SAMPLES, CHAIN_SAMPLES * 1000 };

	(void)state;
	check_sums(profile);
	assert_memory_equal(&profile->ledger.fired, &all, sizeof(all));
	assert_int_equal(profile->ledger.not_in_file.samples, 0);
	assert_non_null(strstr(warning, "60 samples, until 0.059 s; 0 more"));
	tprof_profile__free(profile);

	raw_put64(done, raw_get64(done) + 3);
	raw_put64(done + 8, raw_get64(done + 8) + 3000);
	raw_put64(payload + RAW_LEDGER_FIRED_AT, raw_get64(payload + RAW_LEDGER_FIRED_AT) + 3);
	raw_put64(payload + RAW_LEDGER_FIRED_AT + 8, raw_get64(payload + RAW_LEDGER_FIRED_AT + 8) + 3000);
	raw_put64(counted, raw_get64(counted) + 3);
	raw_put64(counted + 8, raw_get64(counted + 8) + 3000);
	raw_put32(file.bytes + ledger + RAW_CHECKSUM_AT, (uint32_t)
		  crc32(crc32(0, file.bytes + ledger, RAW_CHECKSUM_AT), payload, (uInt)(end - ledger - RAW_HEADER)));
	profile = read_part(&file, end, 0, 0);
	check_sums(profile);
	assert_int_equal(profile->ledger.not_in_file.samples, 3);
	assert_int_equal(profile->ledger.not_in_file.weight, 3000);
	assert_int_equal(profile->ledger.countings[TPROF_COUNTING_AGGREGATED].samples, CHAIN_SAMPLES);
	assert_non_null(strstr(warning, "60 samples, until 0.070 s; 3 more"));
	tprof_profile__free(profile);
	free(file.bytes);
}

/* A pprof file of the recording also has the missing samples in its ledger. */
static void test_missing_in_pprof(void **state)
{
	struct tprof_profile *profile = call_stack_profile(), *back;
	int fd = memfd_create("pprof", MFD_CLOEXEC);

	(void)state;
	profile->ledger.not_in_file = (struct tprof_tally){ 3, 3000 };
	assert_int_equal(tprof_profile__export(profile, "pprof", fd, NULL), 0);
	lseek(fd, 0, SEEK_SET);
	back = tprof_profile__read(fd, "x.pb.gz", &error);
	assert_non_null(back);
	assert_memory_equal(&back->ledger, &profile->ledger, sizeof(profile->ledger));
	tprof_profile__free(back);
	tprof_profile__free(profile);
	close(fd);
}

/* A single flipped bit is always detected, except in the minor version, which may have any value. */
static void test_bit_flips(void **state)
{
	struct file file = recording(RAW_WRITER_MEMORY);

	(void)state;
	for (size_t at = 0; at < file.size; at++) {
		uint8_t bit = (uint8_t)(1U << draw() % 8);
		struct tprof_profile *profile;

		if (at == RAW_MINOR_AT || at == RAW_MINOR_AT + 1)
			continue;
		file.bytes[at] ^= bit;
		profile = read_all(&file);
		if (profile) {
			assert_int_equal(nr_warnings, 1);
			assert_true(strstr(warning, "damaged at byte ") || strstr(warning, "cut short"));
			check_sums(profile);
		}
		tprof_profile__free(profile);
		file.bytes[at] ^= bit;
	}
	check_whole(&file);
	free(file.bytes);
}

/* Invalid records with right checksums replace everything after the first samples. */
static void test_hostile_records(void **state)
{
	static const uint8_t ones[64] = { [0 ... 63] = 0xff };
	static const struct {
		uint32_t type, size, words[12];
		const char *how;
	} hostile[] = {
		{ RAW_START, 0, { 0 }, "it has a second start record" },
		{ RAW_FRAME, RAW_FRAME_BYTES - 1, { 0 }, "a frame record is too short" },
		{ RAW_FRAME, RAW_FRAME_BYTES, { 0, 0, 0, 1000 }, "a frame has an undefined string or mode" },
		{ RAW_FRAME, RAW_FRAME_BYTES, { 0, 0, 0, 0, 0, 0, 77 }, "a frame has an undefined string or mode" },
		{ RAW_CALL_STACK, 0, { 0 }, "a call stack has no frames" },
		{ RAW_CALL_STACK, 7, { 0 }, "a call stack has no frames" },
		{ RAW_CALL_STACK, 8, { 0, UINT32_MAX }, "a call stack refers to an undefined frame" },
		{ RAW_TASK, 19, { 0 }, "a task record is too short" },
		{ RAW_TASK, 20, { 1, 1, 0, 0, UINT32_MAX }, "a task refers to an undefined string" },
		{ RAW_SAMPLES, 3, { 0 }, "the size of a samples record is wrong" },
		{ RAW_SAMPLES, 40, { 0 }, "the size of a samples record is wrong" },
		{ RAW_SAMPLES, 40, { 35 }, "the size of a samples record is wrong" },
		{ RAW_SAMPLES, 44, { 36 }, "the size of a samples record is wrong" },
		{ RAW_SAMPLES, 40, { 36, 0, 0, 1, 0, 1, 1000 }, "a sample has an undefined task or call stack" },
		{ RAW_SAMPLES, 40, { 36, 0, 0, 1, 0, 1, 0, 1000 }, "a sample has an undefined task or call stack" },
		{ RAW_SAMPLES, 40, { 36, 0, 0, 1, 0, 0 }, "a sample counts 0, or the sum overflows 64 bits" },
		{ RAW_SAMPLES, 40, { 36, 0, 0, UINT32_MAX, UINT32_MAX, 1 },
		  "a sample counts 0, or the sum overflows 64 bits" },
		{ RAW_SAMPLES, 44, { 40, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1 }, "a sample has an undefined event" },
		{ RAW_LEDGER, 48, { 0 }, "a ledger record is too short" },
		{ RAW_NEXT_EVENT, 15, { 0 }, "an event record is too short" },
		{ RAW_NEXT_EVENT, 24, { 0 }, "it has too many events, or one after a sample" },
		{ RAW_EVENT_LEDGER, 3, { 0 }, "a ledger has an undefined event" },
		{ RAW_EVENT_LEDGER, 48, { 1 }, "a ledger has an undefined event" },
		{ RAW_EVENT_LEDGER, 48, { 0 }, "a ledger record is too short" },
		{ RAW_END, 7, { 0 }, "the end record is too short" },
		{ RAW_NAME, 11, { 0 }, "a name record is too short" },
		{ RAW_NAME, 12, { 1000, 0, 0 }, "a name refers to an undefined frame or string" },
		{ RAW_NAME, 12, { 0, UINT32_MAX, 0 }, "a name refers to an undefined frame or string" },
		{ RAW_NAME, 12, { 0, 0, UINT32_MAX }, "a name refers to an undefined frame or string" },
	};
	struct file file = recording(RAW_WRITER_MEMORY);
	size_t at = next_record(&file, find_record(&file, RAW_SAMPLES));

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		struct tprof_profile *profile;

		put_record(&file, at, hostile[i].type, hostile[i].words, hostile[i].size);
		profile = read_all(&file);
		assert_non_null(profile);
		check_sums(profile);
		assert_int_equal(profile->ledger.fired.samples, CHAIN_SAMPLES);
		assert_int_equal(nr_warnings, 1);
		assert_non_null(strstr(warning, hostile[i].how));
		tprof_profile__free(profile);
	}
	for (uint32_t type = 0; type < 14; type++) {
		for (uint32_t size = 0; size <= sizeof(ones); size++) {
			put_record(&file, at, type, ones, size);
			tprof_profile__free(read_all(&file));
		}
	}
	free(file.bytes);
}

/* Sums that exceed the total, or a wrong ledger. */
static void test_hostile_ledger(void **state)
{
	struct file file = recording(RAW_WRITER_MEMORY);
	size_t ledger = find_record(&file, RAW_LEDGER), size = next_record(&file, ledger) - ledger - RAW_HEADER;
	uint8_t bytes[RAW_LEDGER_BYTES];
	struct tprof_profile *profile;

	(void)state;
	assert_int_equal(size, sizeof(bytes));
	memcpy(bytes, file.bytes + ledger + RAW_HEADER, sizeof(bytes));
	for (size_t nr = 0; nr < 3; nr++) {
		raw_put32(bytes + RAW_LEDGER_NR_AT + 4 * nr, UINT32_MAX);
		put_record(&file, ledger, RAW_LEDGER, bytes, sizeof(bytes));
		profile = read_all(&file);
		assert_non_null(strstr(warning, "a ledger record is too short"));
		check_sums(profile);
		tprof_profile__free(profile);
	}
	raw_put32(bytes + RAW_LEDGER_NR_AT, TPROF_NR_OUTCOMES);
	raw_put32(bytes + RAW_LEDGER_NR_AT + 4, TPROF_NR_LOST_REASONS);
	raw_put32(bytes + RAW_LEDGER_NR_AT + 8, TPROF_NR_COUNTINGS);
	bytes[RAW_LEDGER_FIRED_AT] ^= 1;
	put_record(&file, ledger, RAW_LEDGER, bytes, sizeof(bytes));
	tprof_profile__free(read_all(&file));
	assert_non_null(strstr(warning, "a ledger does not close"));
	bytes[RAW_LEDGER_FIRED_AT] ^= 1;
	bytes[RAW_LEDGER_WRITTEN_AT] ^= 1;
	put_record(&file, ledger, RAW_LEDGER, bytes, sizeof(bytes));
	tprof_profile__free(read_all(&file));
	assert_non_null(strstr(warning, "the samples do not match the ledger"));
	free(file.bytes);
}

/* NaN, infinity, and numbers larger than counters: JSON has no such numbers. */
static void test_hostile_counter(void **state)
{
	static const uint64_t counters[] = { 0x7ff8000000000000, 0x7ff0000000000000, 0xfff0000000000000,
					     0x7fe0000000000000 };
	struct file file = recording(RAW_WRITER_MEMORY);
	size_t ledger = find_record(&file, RAW_LEDGER);
	uint8_t bytes[RAW_LEDGER_BYTES];

	(void)state;
	memcpy(bytes, file.bytes + ledger + RAW_HEADER, sizeof(bytes));
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		struct tprof_profile *profile;

		raw_put64(bytes + RAW_LEDGER_COUNTER_AT, counters[i]);
		put_record(&file, ledger, RAW_LEDGER, bytes, sizeof(bytes));
		profile = read_all(&file);
		assert_non_null(profile);
		assert_non_null(strstr(warning, "damaged at byte "));
		assert_non_null(strstr(warning, "a ledger has an invalid counter"));
		assert_true(profile->ledger.counter == 0);
		check_sums(profile);
		tprof_profile__free(profile);
	}
	free(file.bytes);
}

/* More definitions than a recording may have at a time. */
static void test_hostile_amounts(void **state)
{
	struct file file = recording(RAW_WRITER_MEMORY);
	size_t at = next_record(&file, RAW_FILE_HEADER), size = RAW_HEADER + RAW_MAX_PAYLOAD;
	int fd = open_bytes(file.bytes, at);
	struct file string = { .bytes = calloc(1, size) };
	char *text = calloc(1, RAW_MAX_PAYLOAD);

	(void)state;
	assert_true(string.bytes && text);
	put_record(&string, 0, RAW_STRING, text, RAW_MAX_PAYLOAD);
	lseek(fd, 0, SEEK_END);
	for (unsigned int i = 0; i <= RAW_READER_MEMORY / RAW_MAX_PAYLOAD; i++)
		assert_int_equal(write(fd, string.bytes, size), size);
	lseek(fd, 0, SEEK_SET);
	assert_null(tprof_profile__read(fd, "x.traw", &error));
	assert_int_equal(errno, EFBIG);
	close(fd);
	free(string.bytes);
	free(text);
	free(file.bytes);
}

static void refuse(const struct file *file, size_t size, int err, const char *sentence)
{
	assert_null(read_part(file, size, 0, 0));
	assert_int_equal(errno, err);
	assert_non_null(strstr(error.text, sentence));
}

static void test_refused(void **state)
{
	struct file file = recording(RAW_WRITER_MEMORY);
	size_t size = file.size;

	(void)state;
	refuse(&file, 0, EBADMSG, "empty");
	refuse(&file, RAW_FILE_HEADER - 1, EBADMSG, "cut short");
	refuse(&file, RAW_FILE_HEADER, EBADMSG, "it has no valid start record");
	file.bytes[RAW_MAJOR_AT]++;
	refuse(&file, size, EPROTONOSUPPORT, "version 2.4");
	file.bytes[RAW_MAJOR_AT]--;
	file.bytes[RAW_BYTE_ORDER_AT]++;
	refuse(&file, size, EPROTONOSUPPORT, "raw recording");
	file.bytes[RAW_BYTE_ORDER_AT]--;
	put_record(&file, size, RAW_STRING, "x", 1);
	tprof_profile__free(read_all(&file));
	assert_non_null(strstr(warning, "it continues after its end record"));
	put_record(&file, RAW_FILE_HEADER, RAW_STRING, "x", 1);
	refuse(&file, file.size, EBADMSG, "it has no valid start record");
	file.bytes[0] = 'T';
	refuse(&file, size, EBADMSG, "not a profile");
	free(file.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truncation),
		cmocka_unit_test(test_name),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_missing_in_pprof),
		cmocka_unit_test(test_bit_flips),
		cmocka_unit_test(test_hostile_records),
		cmocka_unit_test(test_hostile_ledger),
		cmocka_unit_test(test_hostile_counter),
		cmocka_unit_test(test_hostile_amounts),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
