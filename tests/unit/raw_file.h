/* SPDX-License-Identifier: GPL-2.0-only */
/* A raw recording in memory that tests read, unchanged or changed. Include it after cmocka.h. */
#ifndef TPROF_RAW_FILE_H
#define TPROF_RAW_FILE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "format/raw.h"
#include "format/raw_read.h"
#include "raw_fixture.h"

#define ALL_SAMPLES (RAW_ROUNDS * CHAIN_SAMPLES)

struct file {
	uint8_t *bytes;
	size_t size;
};

static struct file recording(size_t memory_limit)
{
	int fd = memfd_create("raw", MFD_CLOEXEC);
	struct file file;

	assert_true(fd >= 0);
	raw_record(fd, memory_limit);
	file.size = (size_t)lseek(fd, 0, SEEK_END);
	file.bytes = malloc(file.size + 4096);
	assert_non_null(file.bytes);
	assert_int_equal(pread(fd, file.bytes, file.size, 0), file.size);
	close(fd);
	return file;
}

static int open_bytes(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("raw", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static char warning[512];
static int nr_warnings;

static void warn(void *ctx, enum tprof_log_level level, const char *message)
{
	(void)ctx;
	assert_int_equal(level, TPROF_LOG_WARN);
	snprintf(warning, sizeof(warning), "%s", message);
	nr_warnings++;
}

static struct tprof_error error;

static struct tprof_profile *read_part(const struct file *file, size_t size, uint64_t from_ns, uint64_t to_ns)
{
	TPROF_OPTS(tprof_read_opts, opts, .from_ns = from_ns, .to_ns = to_ns, .log = warn);
	int fd = open_bytes(file->bytes, size);
	struct tprof_profile *profile;

	nr_warnings = 0;
	memset(&error, 0, sizeof(error));
	profile = tprof_profile__read_part(fd, "x.traw", &opts, &error);
	assert_true(profile || (errno && error.text[0]));
	close(fd);
	return profile;
}

static struct tprof_profile *read_all(const struct file *file)
{
	return read_part(file, file->size, 0, 0);
}

/* For any file: the ledger closes, and the aggregated samples are the samples of the profile. */
static void check_sums(const struct tprof_profile *profile)
{
	const struct tprof_tally *counted = &profile->ledger.countings[TPROF_COUNTING_AGGREGATED];
	struct tprof_tally left = tprof_ledger__difference(&profile->ledger);
	struct tprof_tally entries = { 0 }, call_stacks = { 0 };

	for (size_t i = 0; i < tprof_profile__nr_entries(profile); i++) {
		entries.samples += tprof_profile__entry(profile, i)->samples;
		entries.weight += tprof_profile__entry(profile, i)->weight;
	}
	for (size_t i = 0; i < tprof_profile__nr_call_stacks(profile); i++) {
		call_stacks.samples += tprof_profile__call_stack(profile, i)->samples;
		call_stacks.weight += tprof_profile__call_stack(profile, i)->weight;
	}
	assert_int_equal(left.samples, 0);
	assert_int_equal(left.weight, 0);
	assert_memory_equal(&entries, counted, sizeof(entries));
	assert_memory_equal(&call_stacks, counted, sizeof(call_stacks));
}

static inline void check_whole(const struct file *file)
{
	struct tprof_profile *wanted = call_stack_profile(), *got = read_all(file);
	struct tprof_ledger ledger = raw_ledger(RAW_ROUNDS);

	assert_non_null(got);
	assert_int_equal(nr_warnings, 0);
	check_sums(got);
	assert_memory_equal(&got->ledger, &ledger, sizeof(ledger));
	assert_int_equal(got->duration_ns, 200 * RAW_MS);
	assert_int_equal(got->info.period, CHAIN_PERIOD);
	assert_string_equal(got->info.fallback, wanted->info.fallback);
	assert_int_equal(tprof_profile__nr_call_stacks(got), tprof_profile__nr_call_stacks(wanted));
	for (size_t i = 0; i < tprof_profile__nr_call_stacks(got); i++) {
		const struct tprof_call_stack *a = tprof_profile__call_stack(got, i);
		const struct tprof_call_stack *b = tprof_profile__call_stack(wanted, i);

		assert_int_equal(a->samples, RAW_ROUNDS * b->samples);
		assert_int_equal(a->weight, RAW_ROUNDS * b->weight);
		assert_int_equal(a->pid, b->pid);
		assert_string_equal(a->comm, b->comm);
		assert_string_equal(a->cgroup, b->cgroup);
		assert_int_equal(a->nr_frames, b->nr_frames);
		for (size_t f = 0; f < a->nr_frames; f++) {
			assert_string_equal(a->frames[f]->symbol, b->frames[f]->symbol);
			assert_string_equal(a->frames[f]->file, b->frames[f]->file);
			assert_int_equal(a->frames[f]->line, b->frames[f]->line);
			assert_int_equal(a->frames[f]->start_line, b->frames[f]->start_line);
			assert_int_equal(a->frames[f]->inlined, b->frames[f]->inlined);
			assert_string_equal(a->frames[f]->object, b->frames[f]->object);
			assert_string_equal(a->frames[f]->path, b->frames[f]->path);
			assert_string_equal(a->frames[f]->build_id, b->frames[f]->build_id);
			assert_int_equal(a->frames[f]->address, b->frames[f]->address);
			assert_int_equal(a->frames[f]->mode, b->frames[f]->mode);
		}
	}
	tprof_profile__free(wanted);
	tprof_profile__free(got);
}

/* Returns the position of the next record. */
static inline size_t next_record(const struct file *file, size_t at)
{
	return at + RAW_HEADER + raw_get32(file->bytes + at + RAW_LENGTH_AT);
}

/* Writes a record with a right checksum; the file ends after it. */
static inline void put_record(struct file *file, size_t at, uint32_t type, const void *payload, uint32_t size)
{
	uint8_t *record = file->bytes + at;
	uLong sum;

	raw_put32(record, type);
	raw_put32(record + RAW_LENGTH_AT, size);
	if (size)
		memcpy(record + RAW_HEADER, payload, size);
	sum = crc32(crc32(0, NULL, 0), record, RAW_CHECKSUM_AT);
	sum = size ? crc32(sum, record + RAW_HEADER, size) : sum;
	raw_put32(record + RAW_CHECKSUM_AT, (uint32_t)sum);
	file->size = at + RAW_HEADER + size;
}

#endif
