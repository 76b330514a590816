// SPDX-License-Identifier: GPL-2.0-only
/* Call stacks in a raw recording: samples with the same stacks may have different states and wakers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector_fixture.h"
#include "session/collect_raw.h"
#include "uapi/tprof_wait.h"

struct key {
	uint64_t time, user, tgid, state, waker;
};

#define MEMBER(kind_, member) { .kind = (kind_), .offset = offsetof(struct key, member), .size = 8 }

static const struct value_member when = MEMBER(VALUE_NS, time), user = MEMBER(VALUE_STACK, user);
static const struct value_member tgid = MEMBER(VALUE_TGID, tgid), state_ = MEMBER(VALUE_STATE, state);
static const struct value_member waker = MEMBER(VALUE_WAKER, waker);

#define TGID		0x3ffffff0	/* larger than any real PID */
#define USER_IP		0x2000
#define USER_ID		100
#define WAKER_ID	200
#define START_NS	1000

struct fixture {
	struct dsos *dsos;
	struct collector collector;
	struct collector_table table;
	uint64_t nr;
	int fd;
};

static void store(struct fixture *fixture, uint64_t id, const struct tprof_deep_stack *stack)
{
	assert_int_equal(stacks_add(fixture->collector.stacks, id, stack, sizeof(*stack)), 0);
}

static void store_waker(struct fixture *fixture, uint64_t id, const char *comm)
{
	struct tprof_deep_stack words = { .nr_frames = TPROF_WAKER_WORDS, .flags = TPROF_STACK_WAKER };

	memcpy(&words.ip[TPROF_WAKER_COMM], comm, strlen(comm));
	store(fixture, id, &words);
}

static int setup(void **state)
{
	const struct tprof_raw_info info = {
		.info = { .engine = "perf", .event = "off-cpu", .unit = "ns" }, .start_ns = START_NS,
	};
	const struct tprof_deep_stack stack = { .nr_frames = 1, .flags = TPROF_STACK_USER, .ip = { USER_IP } };
	const struct dso_id file = { .path = "/no/such/program" };
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->fd = memfd_create("raw", MFD_CLOEXEC);
	test_collector_init(&fixture->collector, &fixture->dsos);
	fixture->collector.raw = collect_raw_new(fixture->fd);
	fixture->table = (struct collector_table){
		.collector = &fixture->collector, .time = &when, .tgid = &tgid, .state = &state_,
		.stacks = { &user }, .nr_stacks = 1, .wakers = { &waker }, .nr_wakers = 1,
	};
	aspaces_mmap(fixture->collector.aspaces, TGID, USER_IP, 0x1000, 0x2000, &file, 1);
	store(fixture, USER_ID, &stack);
	store_waker(fixture, WAKER_ID, "first");
	store_waker(fixture, WAKER_ID + 1, "second");
	assert_int_equal(raw_writer_start(fixture->collector.raw->writer, &info), 0);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	test_collector_fini(&fixture->collector, fixture->dsos);
	close(fixture->fd);
	free(fixture);
	return 0;
}

static void add(struct fixture *fixture, enum tprof_state state, uint64_t waker_id)
{
	const struct tprof_entry entry = { .comm = "app", .cgroup = "/", .pid = TGID, .samples = 1, .weight = 1 };
	const struct key key = { START_NS + ++fixture->nr, USER_ID, TGID, state, waker_id };

	assert_int_equal(collect_raw_key(&fixture->table, &key, &entry), 0);
}

/* Ends the recording and reads it. */
static struct tprof_profile *read_back(struct fixture *fixture)
{
	struct raw_writer *writer = fixture->collector.raw->writer;
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };
	struct tprof_error error = { 0 };
	struct tprof_profile *profile;

	ledger.fired = (struct tprof_tally){ fixture->nr, fixture->nr };
	ledger.outcomes[TPROF_OUTCOME_DONE] = ledger.countings[TPROF_COUNTING_AGGREGATED] = ledger.fired;
	assert_int_equal(raw_writer_flush(writer, &ledger, 1, START_NS + 100), 0);
	assert_int_equal(raw_writer_end(writer, START_NS + 100), 0);
	lseek(fixture->fd, 0, SEEK_SET);
	profile = tprof_profile__read(fixture->fd, "x.traw", &error);
	assert_non_null(profile);
	return profile;
}

/* The samples of call stacks with this leaf. */
static uint64_t samples_of(const struct tprof_profile *profile, const char *leaf)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < tprof_profile__nr_call_stacks(profile); i++) {
		const struct tprof_call_stack *call_stack = tprof_profile__call_stack(profile, i);

		if (!strcmp(call_stack->frames[0]->symbol, leaf))
			samples += call_stack->samples;
	}
	return samples;
}

static void each_sample_has_its_state(void **state)
{
	struct fixture *fixture = *state;
	struct tprof_profile *profile;

	add(fixture, TPROF_STATE_RUNNING, 0);
	for (int i = 0; i < 2; i++)
		add(fixture, TPROF_STATE_PREEMPTED, 0);
	for (int i = 0; i < 4; i++)
		add(fixture, TPROF_STATE_SLEEPING, 0);
	add(fixture, TPROF_STATE_RUNNING, 0);
	profile = read_back(fixture);
	assert_int_equal(tprof_profile__nr_call_stacks(profile), 3);
	assert_int_equal(samples_of(profile, "(preempted)"), 2);
	assert_int_equal(samples_of(profile, "(sleeping)"), 4);
	assert_int_equal(samples_of(profile, "(running)"), 0);
	tprof_profile__free(profile);
}

static void each_sample_has_its_waker(void **state)
{
	struct fixture *fixture = *state;
	struct tprof_profile *profile;

	add(fixture, TPROF_STATE_SLEEPING, WAKER_ID);
	for (int i = 0; i < 2; i++)
		add(fixture, TPROF_STATE_SLEEPING, WAKER_ID + 1);
	for (int i = 0; i < 4; i++)
		add(fixture, TPROF_STATE_SLEEPING, 0);
	profile = read_back(fixture);
	assert_int_equal(samples_of(profile, "first"), 1);
	assert_int_equal(samples_of(profile, "second"), 2);
	assert_int_equal(samples_of(profile, "(sleeping)"), 4);
	tprof_profile__free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_sample_has_its_state, setup, teardown),
		cmocka_unit_test_setup_teardown(each_sample_has_its_waker, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
