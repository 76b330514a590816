// SPDX-License-Identifier: GPL-2.0-only
/* Raw recordings: reading returns the written samples, as a whole, by time range and one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/ledger.h"
#include "raw_file.h"

static void test_round_trip(void **state)
{
	struct file file = recording(RAW_WRITER_MEMORY);

	(void)state;
	check_whole(&file);
	free(file.bytes);
}

/* The writer discards definitions after each reading of the tables, and the reader does the same. */
static void test_forget(void **state)
{
	struct file whole = recording(RAW_WRITER_MEMORY), file = recording(0);

	(void)state;
	assert_true(file.size > whole.size);
	check_whole(&file);
	free(whole.bytes);
	free(file.bytes);
}

struct seen {
	uint64_t nr, last_ns, stop_at;
	uint64_t threads[2];
};

static int see(void *ctx, const struct tprof_raw_info *info, const struct tprof_raw_sample *sample)
{
	struct seen *seen = ctx;

	assert_int_equal(info->start_ns, RAW_START_NS);
	assert_int_equal(info->start_real_ns, 1700000000000000000);
	assert_string_equal(info->kernel, "6.12.0");
	assert_string_equal(info->machine, "x86_64");
	assert_string_equal(info->info.event, "cpu-clock");
	assert_true(sample->time_ns >= seen->last_ns);
	assert_true(sample->nr_frames > 0 && sample->frames[0]->symbol[0]);
	assert_int_equal(sample->tid, sample->pid + sample->cpu);
	assert_string_equal(sample->thread, sample->cpu ? "worker" : "main");
	seen->threads[sample->cpu]++;
	seen->last_ns = sample->time_ns;
	return ++seen->nr == seen->stop_at ? 42 : 0;
}

static void test_each(void **state)
{
	struct file file = recording(RAW_WRITER_MEMORY);
	struct tprof_raw_sum sum = { .sz = sizeof(sum) };
	struct seen seen = { 0 };
	int fd = open_bytes(file.bytes, file.size);

	(void)state;
	assert_int_equal(tprof_raw__each(fd, "x", NULL, see, &seen, &sum, &error), 0);
	assert_int_equal(seen.nr, ALL_SAMPLES);
	assert_int_equal(seen.threads[1], ALL_SAMPLES / 2);
	assert_int_equal(sum.samples, ALL_SAMPLES);
	assert_int_equal(sum.weight, ALL_SAMPLES * 1000);
	assert_int_equal(sum.bytes, file.size);
	assert_int_equal(sum.until_ns, RAW_START_NS + 200 * RAW_MS);
	assert_true(sum.complete);

	lseek(fd, 0, SEEK_SET);
	seen = (struct seen){ .stop_at = 7 };
	assert_int_equal(tprof_raw__each(fd, "x", NULL, see, &seen, &sum, &error), 42);
	assert_int_equal(seen.nr, 7);
	assert_false(sum.complete);
	close(fd);
	free(file.bytes);
}

static int see_names(void *ctx, const struct tprof_raw_info *info, const struct tprof_raw_sample *sample)
{
	(void)ctx;
	(void)info;
	assert_string_equal(sample->comm, "a??[2J");
	assert_string_equal(sample->thread, "\xc3\x9b?");
	return 0;
}

/* File names of recordings are shown in messages, so control characters in them are replaced. */
static void test_names(void **state)
{
	const struct tprof_frame *frames[] = { &frame_main };
	const struct tprof_raw_info info = { .info = { .engine = "perf", .event = "cpu-clock", .unit = "ns" } };
	const struct tprof_raw_sample sample = { .samples = 1, .comm = "a\xc2\x9b[2J", .thread = "\xc3\x9b\xd0",
						 .cgroup = "" };
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };
	struct tprof_raw_sum sum = { .sz = sizeof(sum) };
	int fd = memfd_create("raw", MFD_CLOEXEC);
	struct raw_writer *writer = raw_writer_new(fd);

	(void)state;
	assert_non_null(writer);
	assert_int_equal(raw_writer_start(writer, &info), 0);
	assert_int_equal(raw_writer_call_stack(writer, frames, 1), 0);
	assert_int_equal(raw_writer_add(writer, &sample, 0), 0);
	assert_int_equal(raw_writer_flush(writer, &ledger, 1, 1), 0);
	assert_int_equal(raw_writer_end(writer, 1), 0);
	raw_writer_free(writer);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(tprof_raw__each(fd, "x", NULL, see_names, NULL, &sum, &error), 0);
	assert_int_equal(sum.samples, 1);
	close(fd);
}

/* With a time range, the other samples count as out of scope. The second round begins 100 ms after the first. */
static void test_parts(void **state)
{
	struct file file = recording(RAW_WRITER_MEMORY);
	struct tprof_profile *first = read_part(&file, file.size, 0, 100 * RAW_MS);
	struct tprof_profile *second = read_part(&file, file.size, 100 * RAW_MS, 10000ULL * RAW_MS);
	struct tprof_profile *some = read_part(&file, file.size, 10 * RAW_MS, 20 * RAW_MS);
	uint64_t out_of_scope = raw_ledger(1).outcomes[TPROF_OUTCOME_OUT_OF_SCOPE].samples;

	(void)state;
	check_sums(first);
	check_sums(second);
	check_sums(some);
	assert_int_equal(first->ledger.countings[TPROF_COUNTING_AGGREGATED].samples, CHAIN_SAMPLES);
	assert_int_equal(second->ledger.countings[TPROF_COUNTING_AGGREGATED].samples, CHAIN_SAMPLES);
	assert_int_equal(some->ledger.countings[TPROF_COUNTING_AGGREGATED].samples, 10);
	assert_int_equal(some->ledger.outcomes[TPROF_OUTCOME_OUT_OF_SCOPE].samples, out_of_scope + ALL_SAMPLES - 10);
	assert_int_equal(some->ledger.fired.samples, raw_ledger(RAW_ROUNDS).fired.samples);
	assert_int_equal(first->duration_ns, 100 * RAW_MS);
	assert_int_equal(second->duration_ns, 100 * RAW_MS);
	assert_int_equal(some->duration_ns, 10 * RAW_MS);
	tprof_profile__free(first);
	tprof_profile__free(second);
	tprof_profile__free(some);

	assert_null(read_part(&file, file.size, 200 * RAW_MS, 0));
	assert_int_equal(errno, EINVAL);
	assert_null(read_part(&file, file.size, 20 * RAW_MS, 10 * RAW_MS));
	assert_int_equal(errno, EINVAL);
	free(file.bytes);
}

/* A name that is defined after the samples applies to all call stacks from the beginning. */
static void test_late_name(void **state)
{
	int fd = memfd_create("late", MFD_CLOEXEC);
	struct raw_writer *writer = raw_writer_new(fd);
	const struct tprof_raw_info info = {
		.info = { .engine = "perf", .event = "cpu-clock", .unit = "ns", .period = 1000 },
		.start_ns = RAW_START_NS, .kernel = "", .machine = "", .version = "",
	};
	const struct tprof_frame frame = { .symbol = "[jit 1+0x10 #1]", .object = "[jit]", .path = "", .build_id = "",
					   .file = "", .address = 0x10, .mode = TPROF_MODE_USER };
	const struct tprof_frame *const frames[] = { &frame };
	struct tprof_raw_sample sample = { .time_ns = RAW_START_NS, .samples = 1, .weight = 1000, .comm = "a",
					   .thread = "a", .cgroup = "", .pid = 1, .tid = 1 };
	struct tprof_ledger ledger = some_ledger(1);
	struct tprof_profile *profile;

	(void)state;
	assert_int_equal(raw_writer_start(writer, &info), 0);
	assert_int_equal(raw_writer_add(writer, &sample, (uint32_t)raw_writer_call_stack(writer, frames, 1)), 0);
	assert_int_equal(raw_writer_flush(writer, &ledger, 1000, RAW_START_NS + RAW_MS), 0);
	assert_int_equal(raw_writer_name(writer, &frame, "late_fn", "[late]"), 0);
	assert_int_equal(raw_writer_end(writer, RAW_START_NS + 2 * RAW_MS), 0);
	raw_writer_free(writer);
	lseek(fd, 0, SEEK_SET);
	profile = tprof_profile__read(fd, "late.traw", NULL);
	assert_non_null(profile);
	assert_int_equal(tprof_profile__nr_entries(profile), 1);
	assert_string_equal(tprof_profile__entry(profile, 0)->symbol, "late_fn");
	assert_string_equal(tprof_profile__entry(profile, 0)->object, "[late]");
	tprof_profile__free(profile);
	close(fd);
}

static int add_of_event(void *ctx, const struct tprof_raw_info *info, const struct tprof_raw_sample *sample)
{
	uint64_t *weights = ctx;

	assert_int_equal(info->nr_events, 2);
	assert_string_equal(info->events[1].event, "page-faults");
	assert_string_equal(info->events[1].unit, "events");
	assert_int_equal(info->events[1].rate_hz, 99);
	weights[sample->event] += sample->weight;
	return 0;
}

static const struct tprof_frame *const main_only[] = { &frame_main };

/* Two samples of the first event and one of the second, at the same place. Returns the file descriptor. */
static int record_two_events(void)
{
	const struct tprof_event_info events[] = {
		{ sizeof(events[0]), "cpu-clock", "ns", 0, 1000 },
		{ sizeof(events[0]), "page-faults", "events", 99, 1 },
	};
	const struct tprof_raw_info info = {
		.info = { .engine = "perf", .event = "cpu-clock", .unit = "ns", .period = 1000 },
		.start_ns = RAW_START_NS, .kernel = "", .machine = "", .version = "", .events = events, .nr_events = 2,
	};
	struct tprof_raw_sample sample = { .time_ns = RAW_START_NS, .samples = 1, .weight = 1000, .comm = "a",
					   .thread = "a", .cgroup = "", .pid = 1, .tid = 1 };
	struct tprof_ledger ledgers[] = { some_ledger(2), some_ledger(1) }, sum = some_ledger(3);
	int fd = memfd_create("events", MFD_CLOEXEC);
	struct raw_writer *writer = raw_writer_new(fd);
	uint32_t stack;

	assert_int_equal(raw_writer_start(writer, &info), 0);
	stack = (uint32_t)raw_writer_call_stack(writer, main_only, 1);
	for (sample.event = 0; sample.event < 2; sample.event++)
		assert_int_equal(raw_writer_add(writer, &sample, stack), 0);
	sample.event = 0;
	sample.time_ns += RAW_MS;
	assert_int_equal(raw_writer_add(writer, &sample, stack), 0);
	for (size_t e = 0; e < 2; e++)
		raw_writer_set_event(writer, e, &ledgers[e], e ? 7 : 1000);
	assert_int_equal(raw_writer_flush(writer, &sum, 1000, RAW_START_NS + 2 * RAW_MS), 0);
	assert_int_equal(raw_writer_end(writer, RAW_START_NS + 3 * RAW_MS), 0);
	raw_writer_free(writer);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static void test_two_events(void **state)
{
	int fd = record_two_events();
	struct tprof_profile *profile = tprof_profile__read(fd, "events.traw", &error);
	struct tprof_tally value;
	uint64_t weights[2] = { 0 };

	(void)state;
	assert_non_null(profile);
	assert_int_equal(tprof_profile__nr_events(profile), 2);
	assert_int_equal(tprof_profile__nr_entries(profile), 1);
	value = tprof_profile__entry_value(profile, 0, 0);
	assert_int_equal(value.samples, 2);
	value = tprof_profile__call_stack_value(profile, 0, 1);
	assert_int_equal(value.weight, 1000);
	assert_int_equal(tprof_profile__event(profile, 1)->period, 7);
	assert_int_equal(tprof_profile__event_ledger(profile, 0)->countings[TPROF_COUNTING_AGGREGATED].samples, 2);
	assert_int_equal(tprof_profile__event_ledger(profile, 1)->countings[TPROF_COUNTING_AGGREGATED].samples, 1);
	assert_int_equal(profile->ledger.countings[TPROF_COUNTING_AGGREGATED].samples, 3);
	assert_int_equal(profile->ledger.sideband_lost, 77);
	assert_int_equal(ledger_difference(&profile->ledger).samples, 0);
	tprof_profile__free(profile);

	lseek(fd, 0, SEEK_SET);
	assert_int_equal(tprof_raw__each(fd, "x", NULL, add_of_event, weights, NULL, &error), 0);
	assert_int_equal(weights[0], 2000);
	assert_int_equal(weights[1], 1000);
	close(fd);
}

static void test_parts_of_two_events(void **state)
{
	TPROF_OPTS(tprof_read_opts, opts, .value = "page-faults");
	int fd = record_two_events();
	struct tprof_profile *profile = tprof_profile__read_part(fd, "x", &opts, &error);

	(void)state;
	assert_non_null(profile);
	assert_int_equal(tprof_profile__nr_events(profile), 1);
	assert_string_equal(tprof_profile__info(profile)->event, "page-faults");
	assert_int_equal(tprof_profile__entry(profile, 0)->weight, 1000);
	tprof_profile__free(profile);

	/* The part after the first millisecond has a sample of the first event only. */
	lseek(fd, 0, SEEK_SET);
	opts.value = NULL;
	opts.from_ns = RAW_MS;
	profile = tprof_profile__read_part(fd, "x", &opts, &error);
	assert_non_null(profile);
	assert_int_equal(tprof_profile__entry_value(profile, 0, 0).samples, 1);
	assert_int_equal(tprof_profile__entry_value(profile, 0, 1).samples, 0);
	assert_int_equal(tprof_profile__event_ledger(profile, 1)->countings[TPROF_COUNTING_AGGREGATED].samples, 0);
	tprof_profile__free(profile);

	lseek(fd, 0, SEEK_SET);
	opts.value = "cycles";
	assert_null(tprof_profile__read_part(fd, "x", &opts, &error));
	assert_string_equal(error.text, "x: has no sample value named cycles");
	assert_string_equal(error.hint, "it has cpu-clock, page-faults");
	close(fd);
}

/* Whatever byte is damaged, the ledger of each event closes and has the samples of the profile. */
static void test_damaged_events(void **state)
{
	int fd = record_two_events();
	struct file file = { .bytes = malloc(65536) };

	(void)state;
	assert_non_null(file.bytes);
	file.size = (size_t)read(fd, file.bytes, 65536);
	for (size_t at = 0; at < file.size; at++) {
		struct tprof_profile *profile;

		file.bytes[at] ^= 0x41;
		profile = read_all(&file);
		for (size_t e = 0; profile && e < tprof_profile__nr_events(profile); e++) {
			const struct tprof_ledger *ledger = tprof_profile__event_ledger(profile, e);
			uint64_t samples = 0;

			for (size_t i = 0; i < tprof_profile__nr_entries(profile); i++)
				samples += tprof_profile__entry_value(profile, i, e).samples;
			assert_int_equal(ledger_difference(ledger).samples, 0);
			assert_int_equal(ledger->countings[TPROF_COUNTING_AGGREGATED].samples, samples);
		}
		tprof_profile__free(profile);
		file.bytes[at] ^= 0x41;
	}
	free(file.bytes);
	close(fd);
}

/* Additions of later minor versions: record types, and fields at the end of records. */
static void test_later_minor(void **state)
{
	struct file old = recording(RAW_WRITER_MEMORY), file = { .bytes = malloc(8 * old.size + 4096) };
	uint8_t *payload = calloc(1, old.size);

	(void)state;
	memcpy(file.bytes, old.bytes, RAW_FILE_HEADER);
	file.size = RAW_FILE_HEADER;
	for (size_t at = RAW_FILE_HEADER; at < old.size; at = next_record(&old, at)) {
		uint32_t type = raw_get32(old.bytes + at), size = raw_get32(old.bytes + at + RAW_LENGTH_AT);
		bool grows = type == RAW_START || type == RAW_FRAME || type == RAW_TASK || type == RAW_LEDGER ||
			     type == RAW_END;

		memset(payload, 0xa5, size + 8);
		memcpy(payload, old.bytes + at + RAW_HEADER, size);
		put_record(&file, file.size, type, payload, size + (grows ? 8 : 0));
		if (type != RAW_END)
			put_record(&file, file.size, 1000, payload, 5);
	}
	check_whole(&file);
	free(payload);
	free(file.bytes);
	free(old.bytes);
}

/* Only raw recordings support time ranges and single samples. */
static void test_another_format(void **state)
{
	struct tprof_profile *profile = call_stack_profile();
	int fd = memfd_create("pprof", MFD_CLOEXEC);
	TPROF_OPTS(tprof_read_opts, opts, .from_ns = 1);

	(void)state;
	assert_int_equal(tprof_profile__export(profile, "pprof", fd, NULL), 0);
	lseek(fd, 0, SEEK_SET);
	assert_null(tprof_profile__read_part(fd, "x", &opts, &error));
	assert_int_equal(errno, EINVAL);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(tprof_raw__each(fd, "x", NULL, see, NULL, NULL, &error), -EBADMSG);
	tprof_profile__free(profile);
	close(fd);
}

/* A full disk is reported once; later data is discarded. */
static void test_full_disk(void **state)
{
	struct tprof_profile *profile = call_stack_profile();
	const struct tprof_raw_info info = { .info = profile->info };
	struct tprof_ledger ledger = raw_ledger(1);
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct raw_writer *writer = raw_writer_new(fd);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(raw_writer_start(writer, &info), -ENOSPC);
	raw_write_round(writer, profile, 0);
	assert_int_equal(raw_writer_flush(writer, &ledger, 1, 1), -ENOSPC);
	assert_int_equal(writer->nr_samples, 0);
	assert_int_equal(raw_writer_end(writer, 1), -ENOSPC);
	assert_int_equal(writer->out.bytes, 0);
	raw_writer_free(writer);
	tprof_profile__free(profile);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_forget),
		cmocka_unit_test(test_each),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_late_name),
		cmocka_unit_test(test_two_events),
		cmocka_unit_test(test_parts_of_two_events),
		cmocka_unit_test(test_damaged_events),
		cmocka_unit_test(test_later_minor),
		cmocka_unit_test(test_another_format),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
