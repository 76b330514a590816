// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a profile for tests of the commands that read profiles to stdout:
 *
 *	make_profile small [COMM]	the profile of tests/unit/call_stack_fixture.h, and 10 samples of COMM, if given
 *	make_profile flat		the same functions without call stacks
 *	make_profile full NR		the small profile, in which only NR samples are lost, because a table was full
 *	make_profile grown NR		100 samples, NR of them in read()
 *	make_profile adapted SEED	20 functions with equal shares, whose first samples have a tiny weight
 *	make_profile many NR [SEED]	NR different call stacks, as of a large program
 *	make_profile deep NR DEPTH	NR samples, each with a different call stack below main()
 *	make_profile events		the small profile, and five samples of another event in read()
 *	make_profile raw		the raw recording of tests/unit/raw_fixture.h: the small profile twice
 *	make_profile raw lines		the same with source lines and inlined functions
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define assert_int_equal(a, b) ((a) == (b) ? (void)0 : exit(EXIT_FAILURE))
#define assert_non_null(a) ((a) ? (void)0 : exit(EXIT_FAILURE))

#include "draw.h"
#include "profile/ledger.h"
#include "raw_fixture.h"

#define NR_FUNCTIONS 5000
#define MAX_DEPTH 60

static struct tprof_frame frames[NR_FUNCTIONS];

static void name_functions(void)
{
	static const char *const objects[] = { "server", "libstdc++.so.6", "libcrypto.so.3", "[kernel]", "[ext4]" };
	char name[128];

	for (size_t i = 0; i < NR_FUNCTIONS; i++) {
		size_t object = i % 16 ? i % 3 : 3 + i / 16 % 2;
		bool kernel = object >= 3;

		snprintf(name, sizeof(name), kernel ? "sys_part_%zu" : "ns::Worker<int, %zu>::step(char const*)", i);
		frames[i] = (struct tprof_frame){
			.symbol = strdup(name), .object = objects[object], .build_id = "",
			.path = kernel ? "" : object ? "" : "/srv/bin/server",
			.address = kernel ? 0xffffffff80000000 + i * 64 : 0x1000 + i * 64,
			.mode = kernel ? TPROF_MODE_KERNEL : TPROF_MODE_USER,
		};
	}
}

static void forget_functions(void)
{
	for (size_t i = 0; i < NR_FUNCTIONS; i++)
		free((char *)frames[i].symbol);
}

/* Call stacks like those of one program: most share the frames near the root, and a few have most of the weight. */
static void add_many(struct tprof_profile *profile, long nr)
{
	const struct tprof_frame *stack[MAX_DEPTH], *backwards[MAX_DEPTH];
	size_t depth = 0, shared;

	while (nr-- > 0) {
		shared = depth ? draw() % depth : 0;
		depth = shared + 1 + draw() % (MAX_DEPTH - shared);
		for (size_t i = shared; i < depth; i++)
			stack[i] = &frames[(i * 97 + draw() % (3 + i)) % NR_FUNCTIONS];
		for (size_t i = 0; i < depth; i++)
			backwards[i] = stack[depth - 1 - i];
		add_call_stack(profile, draw() % 4 ? "server" : "helper", 100, 1 + (draw() % 100 ? 0 : draw() % 5000),
			  backwards, depth);
	}
}

/* Adds @nr different call stacks of the same depth below main(), at most NR_FUNCTIONS. */
static void add_deep(struct tprof_profile *profile, size_t nr, size_t depth)
{
	const struct tprof_frame *stack[MAX_DEPTH];

	assert_int_equal(nr <= NR_FUNCTIONS && depth > 0 && depth <= MAX_DEPTH, 1);
	stack[depth - 1] = &frame_main;
	for (size_t i = 0; i < nr; i++) {
		for (size_t at = 0; at + 1 < depth; at++)
			stack[at] = &frames[(i + depth - at) % NR_FUNCTIONS];
		add_call_stack(profile, "server", 100, 1, stack, depth);
	}
}

/* A profile with call stacks of many functions: like those of one program or, if @depth is not 0, all of this depth. */
static struct tprof_profile *many(long nr, size_t depth)
{
	struct tprof_profile *small = call_stack_profile(), *profile = profile_new();
	uint64_t samples = 0;

	assert_non_null(profile);
	assert_int_equal(profile_set_info(profile, &small->info), 0);
	name_functions();
	if (depth)
		add_deep(profile, (size_t)nr, depth);
	else
		add_many(profile, nr);
	for (size_t i = 0; i < profile->calls.nr; i++)
		samples += profile->calls.call_stacks[i]->call_stack.samples;
	profile->ledger = some_ledger(samples);
	profile->duration_ns = small->duration_ns;
	tprof_profile__free(small);
	forget_functions();
	return profile;
}

static struct tprof_profile *flat(void)
{
	struct tprof_profile *small = call_stack_profile(), *profile = profile_new();

	assert_non_null(profile);
	assert_int_equal(profile_set_info(profile, &small->info), 0);
	for (size_t i = 0; i < tprof_profile__nr_entries(small); i++)
		assert_int_equal(profile_add(profile, tprof_profile__entry(small, i)), 0);
	profile->ledger = small->ledger;
	profile->duration_ns = small->duration_ns;
	tprof_profile__free(small);
	return profile;
}

static struct tprof_profile *small_with(const char *comm)
{
	struct tprof_profile *profile = call_stack_profile();

	if (comm) {
		ADD_CHAIN(profile, comm, 7, 10, &frame_hot, &frame_main);
		profile->ledger = some_ledger(CHAIN_SAMPLES + 10);
	}
	return profile;
}

static struct tprof_profile *events(void)
{
	static const struct tprof_frame *const reads[] = { &frame_read, &frame_main };
	const struct tprof_event_info infos[] = {
		{ sizeof(infos[0]), "cpu-clock", "ns", 997, CHAIN_PERIOD },
		{ sizeof(infos[0]), "page-faults", "events", 0, 1 },
	};
	const struct tprof_call_stack faults = { .frames = reads, .nr_frames = 2, .comm = "app", .cgroup = "/",
						 .pid = 7, .samples = 5, .weight = 5000 };
	struct tprof_profile *small = call_stack_profile(), *profile = profile_new();

	assert_non_null(profile);
	assert_int_equal(profile_set_info(profile, &small->info), 0);
	assert_int_equal(profile_set_events(profile, infos, 2), 0);
	for (size_t i = 0; i < tprof_profile__nr_call_stacks(small); i++)
		assert_int_equal(profile_add_call_stack(profile, tprof_profile__call_stack(small, i)), 0);
	for (size_t i = 0; i < tprof_profile__nr_entries(small); i++)
		assert_int_equal(profile_add(profile, tprof_profile__entry(small, i)), 0);
	assert_int_equal(profile_add_call_stack_of(profile, &faults, 1), 0);
	profile->events[0].ledger = small->ledger;
	profile->events[1].ledger = some_ledger(5);
	profile->ledger = small->ledger;
	ledger_add(&profile->ledger, &profile->events[1].ledger);
	profile->duration_ns = small->duration_ns;
	tprof_profile__free(small);
	return profile;
}

static struct tprof_profile *full(uint64_t nr)
{
	struct tprof_profile *profile = call_stack_profile();
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };

	ledger.fired.samples = CHAIN_SAMPLES + nr;
	ledger.outcomes[TPROF_OUTCOME_DONE].samples = CHAIN_SAMPLES + nr;
	ledger.countings[TPROF_COUNTING_AGGREGATED].samples = CHAIN_SAMPLES;
	ledger.countings[TPROF_COUNTING_TABLE_FULL].samples = nr;
	profile->ledger = ledger;
	return profile;
}

static struct tprof_profile *grown(uint64_t nr)
{
	struct tprof_profile *small = call_stack_profile(), *profile = profile_new();

	assert_non_null(profile);
	assert_int_equal(profile_set_info(profile, &small->info), 0);
	if (nr)
		ADD_CHAIN(profile, "app", 7, nr, &frame_read, &frame_main);
	ADD_CHAIN(profile, "app", 7, 100 - nr, &frame_hot, &frame_main);
	profile->ledger = some_ledger(100);
	tprof_profile__free(small);
	return profile;
}

#define NR_ALIKE 20
#define NR_LIGHT 100000
#define NR_HEAVY 2000

static void add_weighed(struct tprof_profile *profile, const struct tprof_frame *frame, struct tprof_tally tally)
{
	const struct tprof_call_stack stack = { .frames = &frame, .nr_frames = 1, .comm = "server", .cgroup = "/",
						.pid = 7, .samples = tally.samples, .weight = tally.weight };
	struct tprof_entry leaf = { .comm = "server", .cgroup = "/", .pid = 7, .cpu = -1,
				    .samples = tally.samples, .weight = tally.weight };

	profile_set_place(&leaf, frame);
	leaf.mode = frame->mode;
	assert_int_equal(profile_add_call_stack(profile, &stack), 0);
	assert_int_equal(profile_add(profile, &leaf), 0);
}

/* The first samples have a period of 1, as before a rate has adapted. */
static struct tprof_profile *adapted(void)
{
	const struct tprof_tally all = { NR_LIGHT + NR_HEAVY, NR_LIGHT + NR_HEAVY * CHAIN_PERIOD };
	struct tprof_profile *small = call_stack_profile(), *profile = profile_new();
	uint64_t heavy[NR_ALIKE] = { 0 }, light = NR_LIGHT / NR_ALIKE;

	assert_non_null(profile);
	assert_int_equal(profile_set_info(profile, &small->info), 0);
	name_functions();
	for (int i = 0; i < NR_HEAVY; i++)
		heavy[draw() % NR_ALIKE]++;
	for (size_t i = 0; i < NR_ALIKE; i++)
		add_weighed(profile, &frames[i],
			    (struct tprof_tally){ light + heavy[i], light + heavy[i] * CHAIN_PERIOD });
	profile->ledger.fired = profile->ledger.outcomes[TPROF_OUTCOME_DONE] = all;
	profile->ledger.countings[TPROF_COUNTING_AGGREGATED] = all;
	tprof_profile__free(small);
	forget_functions();
	return profile;
}

#define LINE(name, source, line, inlined)									\
	{ name, "app", "/usr/bin/app", APP_ID, 0x1200, TPROF_MODE_USER, source, line, 7, inlined }

static struct tprof_profile *with_lines(void)
{
	static const struct tprof_frame frames_of[] = {
		LINE("inner", "/src/app.c", 12, true), LINE("inner", "/src/app.c", 13, true),
		LINE("outer", "/src/main.c", 32, false),
	};
	struct tprof_profile *small = call_stack_profile(), *profile = profile_new();

	assert_non_null(profile);
	assert_int_equal(profile_set_info(profile, &small->info), 0);
	ADD_CHAIN(profile, "app", 7, 30, &frames_of[0], &frames_of[2], &frame_main);
	ADD_CHAIN(profile, "app", 7, 20, &frames_of[1], &frames_of[2], &frame_main);
	ADD_CHAIN(profile, "app", 7, CHAIN_SAMPLES - 50, &frames_of[2], &frame_main);
	profile_finish(profile);
	tprof_profile__free(small);
	return profile;
}

static void raw(bool lines)
{
	struct tprof_profile *profile = lines ? with_lines() : call_stack_profile();

	raw_record_profile(STDOUT_FILENO, profile, RAW_WRITER_MEMORY);
	tprof_profile__free(profile);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct tprof_profile *profile;
	int err;

	if (!strcmp(what, "raw")) {
		raw(argc > 2 && !strcmp(argv[2], "lines"));
		return EXIT_SUCCESS;
	}
	if (argc > 3)
		drawn += strtoull(argv[3], NULL, 0) << 32;
	if (argc > 2 && !strcmp(what, "adapted"))
		drawn += strtoull(argv[2], NULL, 0) << 32;
	if (!strcmp(what, "small"))
		profile = small_with(argc > 2 ? argv[2] : NULL);
	else if (!strcmp(what, "flat"))
		profile = flat();
	else if (!strcmp(what, "events"))
		profile = events();
	else if (!strcmp(what, "full") && argc > 2)
		profile = full(strtoull(argv[2], NULL, 10));
	else if (!strcmp(what, "grown") && argc > 2)
		profile = grown(strtoull(argv[2], NULL, 10));
	else if (!strcmp(what, "adapted") && argc > 2)
		profile = adapted();
	else if (!strcmp(what, "many") && argc > 2)
		profile = many(atol(argv[2]), 0);
	else if (!strcmp(what, "deep") && argc > 3)
		profile = many(atol(argv[2]), strtoull(argv[3], NULL, 10));
	else
		return 2;
	profile_finish(profile);
	err = tprof_profile__export(profile, "pprof", STDOUT_FILENO, NULL);
	tprof_profile__free(profile);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
