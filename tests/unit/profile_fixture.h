/* SPDX-License-Identifier: GPL-2.0-only */
/* A small profile with losses. Include it after cmocka.h. */
#ifndef TPROF_PROFILE_FIXTURE_H
#define TPROF_PROFILE_FIXTURE_H

#include "profile/profile.h"

/* 10 samples of 12, in 3 rows; the caller frees it. */
static struct tprof_profile *sample_profile(void)
{
	const struct tprof_info info = {
		.sz = sizeof(info), .engine = "perf", .event = "cpu-clock", .unit = "ns", .rate_hz = 99,
		.period = 10101010, .nr_cpus = 2, .nr_online = 2,
	};
	const struct tprof_entry entries[] = {
		{ .symbol = "cold", .object = "app", .comm = "app", .cgroup = "/a", .pid = 7, .cpu = -1,
		  .mode = TPROF_MODE_USER, .samples = 1, .weight = 10 },
		{ .symbol = "hot", .object = "app", .comm = "app", .cgroup = "/a", .pid = 7, .cpu = -1,
		  .mode = TPROF_MODE_USER, .samples = 4, .weight = 40 },
		{ .symbol = "hot", .object = "app", .comm = "app", .cgroup = "/b", .pid = 8, .cpu = -1,
		  .mode = TPROF_MODE_USER, .samples = 3, .weight = 30 },
		{ .symbol = "hot", .object = "app", .comm = "app", .cgroup = "/a", .pid = 7, .cpu = -1,
		  .mode = TPROF_MODE_USER, .samples = 2, .weight = 20 },
	};
	struct tprof_profile *profile = profile_new();

	assert_non_null(profile);
	assert_int_equal(profile_set_info(profile, &info), 0);
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		assert_int_equal(profile_add(profile, &entries[i]), 0);
	profile->ledger.fired = (struct tprof_tally){ 12, 120 };
	profile->ledger.outcomes[TPROF_OUTCOME_DONE] = (struct tprof_tally){ 10, 100 };
	profile->ledger.lost[TPROF_LOST_THROTTLED] = (struct tprof_tally){ 2, 20 };
	profile->duration_ns = 1000000000;
	profile_finish(profile);
	return profile;
}

#endif
