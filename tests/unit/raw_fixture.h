/* SPDX-License-Identifier: GPL-2.0-only */
/* A small raw recording with known sums: the call stacks of call_stack_fixture.h in two readings. */
#ifndef TPROF_RAW_FIXTURE_H
#define TPROF_RAW_FIXTURE_H

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "call_stack_fixture.h"
#include "format/raw_write.h"

#define RAW_START_NS	5000000000
#define RAW_MS		1000000
#define RAW_ROUNDS	2

/* The times of samples are not sorted, as in a table. */
static uint64_t raw_time_ns(uint64_t round, uint64_t index)
{
	return RAW_START_NS + (round * 100 + (index * 37) % 60) * RAW_MS;
}

static struct tprof_ledger raw_ledger(uint64_t rounds)
{
	return some_ledger(rounds * CHAIN_SAMPLES);
}

/* Writes one sample for each counted sample of the profile. */
static void raw_write_round(struct raw_writer *writer, const struct tprof_profile *profile, uint64_t round)
{
	uint64_t index = 0;

	for (size_t i = 0; i < tprof_profile__nr_call_stacks(profile); i++) {
		const struct tprof_call_stack *stack = tprof_profile__call_stack(profile, i);
		int64_t number = raw_writer_call_stack(writer, stack->frames, stack->nr_frames);

		assert_int_equal(number < 0, 0);
		for (uint64_t s = 0; s < stack->samples; s++, index++) {
			const struct tprof_raw_sample sample = {
				.time_ns = raw_time_ns(round, index), .samples = 1, .weight = 1000,
				.comm = stack->comm, .thread = index % 2 ? "worker" : "main", .cgroup = stack->cgroup,
				.pid = stack->pid, .tid = stack->pid + (int)(index % 2), .cpu = (int)(index % 2),
				.flags = TPROF_SAMPLE_USER,
			};

			assert_int_equal(raw_writer_add(writer, &sample, (uint32_t)number), 0);
		}
	}
}

/* Writes a profile of CHAIN_SAMPLES to a descriptor; @memory_limit: as in struct raw_writer. */
static void raw_record_profile(int fd, const struct tprof_profile *profile, size_t memory_limit)
{
	const struct tprof_raw_info info = {
		.info = profile->info, .start_ns = RAW_START_NS, .start_real_ns = 1700000000000000000,
		.kernel = "6.12.0", .machine = "x86_64", .version = "0.1.0",
	};
	struct raw_writer *writer = raw_writer_new(fd);

	assert_non_null(writer);
	writer->memory_limit = memory_limit;
	assert_int_equal(raw_writer_start(writer, &info), 0);
	for (uint64_t round = 0; round < RAW_ROUNDS; round++) {
		struct tprof_ledger ledger = raw_ledger(round + 1);
		uint64_t time_ns = RAW_START_NS + (round * 100 + 70) * RAW_MS;

		raw_write_round(writer, profile, round);
		assert_int_equal(raw_writer_flush(writer, &ledger, CHAIN_PERIOD, time_ns), 0);
	}
	assert_int_equal(raw_writer_end(writer, RAW_START_NS + 200 * RAW_MS), 0);
	raw_writer_free(writer);
}

static inline void raw_record(int fd, size_t memory_limit)
{
	struct tprof_profile *profile = call_stack_profile();

	raw_record_profile(fd, profile, memory_limit);
	tprof_profile__free(profile);
}

#endif
