/* SPDX-License-Identifier: GPL-2.0-only */
/* A small profile with all kinds of call stacks and known sums. Include it after cmocka.h. */
#ifndef TPROF_CHAIN_FIXTURE_H
#define TPROF_CHAIN_FIXTURE_H

#include "profile/profile.h"

#define CHAIN_PERIOD 1000	/* the weight of each sample */

#define APP_ID "0123456789abcdef0123456789abcdef01234567"

static const struct tprof_frame frame_main = {
	"main", "app", "/usr/bin/app", APP_ID, 0x1040, TPROF_MODE_USER, .file = "",
};
static const struct tprof_frame frame_hot = {
	"hot<int, char>(x)", "app", "/usr/bin/app", APP_ID, 0x1180, TPROF_MODE_USER, .file = "",
};
static const struct tprof_frame frame_hot_too = {
	"hot<int, char>(x)", "app", "/usr/bin/app", APP_ID, 0x1184, TPROF_MODE_USER, .file = "",
};
static const struct tprof_frame frame_read = {
	"read", "libc.so.6", "/lib/libc.so.6", "ab", 0xf0010, TPROF_MODE_USER, .file = "",
};
static const struct tprof_frame frame_jit = {
	"Main::run", "[jit]", "//anon", "", 0x7f0012345678, TPROF_MODE_USER, .file = "",
};
static const struct tprof_frame frame_vdso = {
	"[vdso+0x10]", "[vdso]", "", "", 0x7ffc0010, TPROF_MODE_USER, .file = "",
};
static const struct tprof_frame frame_kernel = {
	"vfs_read", "[kernel]", "", "cd", 0xffffffff81234567, TPROF_MODE_KERNEL, .file = "",
};
static const struct tprof_frame frame_module = {
	"ext4_read", "[ext4]", "", "", 0xffffffffc0001000, TPROF_MODE_KERNEL, .file = "",
};
static const struct tprof_frame frame_mark = { "[stack table full]", "", "", "", 0, TPROF_MODE_UNKNOWN, .file = "" };

static void add_call_stack(struct tprof_profile *profile, const char *comm, int pid, uint64_t samples,
		      const struct tprof_frame *const *frames, size_t nr)
{
	const struct tprof_call_stack call_stack = { .frames = frames, .nr_frames = nr, .comm = comm, .cgroup = "/a/b",
					   .pid = pid, .samples = samples, .weight = samples * CHAIN_PERIOD };
	const struct tprof_entry leaf = { .symbol = frames[0]->symbol, .object = frames[0]->object, .comm = comm,
					  .cgroup = "/a/b", .pid = pid, .cpu = -1, .mode = frames[0]->mode,
					  .samples = samples, .weight = samples * CHAIN_PERIOD };

	assert_int_equal(profile_add_call_stack(profile, &call_stack), 0);
	assert_int_equal(profile_add(profile, &leaf), 0);
}

#define ADD_CHAIN(profile, comm, pid, samples, ...)								\
	do {													\
		const struct tprof_frame *const frames_[] = { __VA_ARGS__ };					\
														\
		add_call_stack(profile, comm, pid, samples, frames_, sizeof(frames_) / sizeof(frames_[0]));	\
	} while (0)

/* A ledger that closes, with a different number in each slot. @counted is the number of samples in the tables. */
static struct tprof_ledger some_ledger(uint64_t counted)
{
	struct tprof_ledger ledger = {
		.sz = sizeof(ledger), .counter = 1.0 / 3, .sideband_lost = 77, .idle = { 11, 11001 },
		.unnamed_sideband_lost = { 9, 9007 }, .enabled_ns = 1000000, .running_ns = 999001,
	};

	ledger.outcomes[TPROF_OUTCOME_OUT_OF_SCOPE] = (struct tprof_tally){ 5, 5003 };
	ledger.outcomes[TPROF_OUTCOME_DECIMATED] = (struct tprof_tally){ 6, 6003 };
	ledger.outcomes[TPROF_OUTCOME_DONE] = (struct tprof_tally){ counted, counted * 1000 };
	ledger.outcomes[TPROF_OUTCOME_KEPT] = (struct tprof_tally){ 7, 7003 };
	for (uint64_t i = 0; i < TPROF_NR_LOST_REASONS; i++)
		ledger.lost[i] = (struct tprof_tally){ 20 + i, 20001 + i };
	for (uint64_t i = 0; i < TPROF_NR_COUNTINGS; i++)
		ledger.countings[i] = (struct tprof_tally){ i ? 40 + i : counted, i ? 40001 + i : counted * 1000 };
	ledger.fired = tprof_ledger__difference(&ledger);
	ledger.fired = (struct tprof_tally){ -ledger.fired.samples, -ledger.fired.weight };
	return ledger;
}

/* 60 samples with a weight of 60,000 ns. */
static inline struct tprof_profile *call_stack_profile(void)
{
	const struct tprof_info info = {
		.sz = sizeof(info), .engine = "perf", .event = "cpu-clock", .unit = "ns",
		.fallback = "cycles -> cpu-clock: no hardware counters on this machine",
		.rate_hz = 997, .period = CHAIN_PERIOD, .nr_cpus = 2, .nr_online = 4,
	};
	struct tprof_profile *profile = profile_new();

	assert_non_null(profile);
	assert_int_equal(profile_set_info(profile, &info), 0);
	ADD_CHAIN(profile, "app", 7, 20, &frame_hot, &frame_main);
	ADD_CHAIN(profile, "app", 7, 10, &frame_hot_too, &frame_main);
	ADD_CHAIN(profile, "app", 8, 9, &frame_hot, &frame_hot, &frame_main);
	ADD_CHAIN(profile, "app", 7, 8, &frame_kernel, &frame_read, &frame_main);
	ADD_CHAIN(profile, "app", 7, 4, &frame_module, &frame_kernel, &frame_read, &frame_main);
	ADD_CHAIN(profile, "node", 9, 3, &frame_jit, &frame_jit);
	ADD_CHAIN(profile, "", -1, 3, &frame_vdso);
	ADD_CHAIN(profile, "app", 7, 2, &frame_mark, &frame_main);
	ADD_CHAIN(profile, "app", 7, 1, &frame_mark);
	profile->ledger = some_ledger(60);
	profile->duration_ns = 12345678901;
	profile_finish(profile);
	return profile;
}

#define CHAIN_SAMPLES 60

#endif
