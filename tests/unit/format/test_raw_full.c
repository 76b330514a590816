// SPDX-License-Identifier: GPL-2.0-only
/* A raw recording on a full disk: the writer knows which samples are in the file, and whether that can be read. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "raw_fixture.h"

/* From here on, no file becomes longer. */
static void limit(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Writes as raw_record(), and expects the first failure at any of its writes. */
static struct raw_writer *record(int fd)
{
	struct tprof_profile *profile = call_stack_profile();
	const struct tprof_raw_info info = { .info = profile->info, .start_ns = RAW_START_NS };
	struct raw_writer *writer = raw_writer_new(fd);
	int err = raw_writer_start(writer, &info);

	assert_int_equal(writer->started, !err);
	for (uint64_t round = 0; round < RAW_ROUNDS && !err; round++) {
		struct tprof_ledger ledger = raw_ledger(round + 1);

		raw_write_round(writer, profile, round);
		err = raw_writer_flush(writer, &ledger, CHAIN_PERIOD, RAW_START_NS + (round * 100 + 70) * RAW_MS);
	}
	if (!err)
		err = raw_writer_end(writer, RAW_START_NS + 200 * RAW_MS);
	assert_true(!err || err == -EFBIG);
	tprof_profile__free(profile);
	return writer;
}

static int pass(void *ctx, const struct tprof_raw_info *info, const struct tprof_raw_sample *sample)
{
	(void)ctx;
	(void)info;
	(void)sample;
	return 0;
}

/* Of a file of at most that size. Returns true if all of the recording fits. */
static bool fits(rlim_t bytes)
{
	int fd = memfd_create("raw", MFD_CLOEXEC);
	struct tprof_raw_sum sum = { .sz = sizeof(sum) };
	struct raw_writer *writer;
	struct tprof_error error = { 0 };
	struct tprof_tally samples;
	bool all;
	int err;

	limit(bytes);
	writer = record(fd);
	limit(RLIM_INFINITY);
	samples = raw_writer_samples(writer);
	all = !writer->out.err;
	assert_int_equal(writer->out.bytes, lseek(fd, 0, SEEK_END));
	lseek(fd, 0, SEEK_SET);
	err = tprof_raw__each(fd, "x.traw", NULL, pass, NULL, &sum, &error);
	assert_int_equal(!err, writer->started);
	assert_int_equal(sum.samples, samples.samples);
	assert_int_equal(sum.weight, samples.weight);
	if (all)
		assert_int_equal(samples.samples, RAW_ROUNDS * CHAIN_SAMPLES);
	raw_writer_free(writer);
	close(fd);
	return all;
}

static void the_samples_are_those_in_the_file(void **state)
{
	rlim_t bytes = 0;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	while (!fits(bytes))
		bytes += 7;
	assert_true(bytes > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_samples_are_those_in_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
