// SPDX-License-Identifier: GPL-2.0-only
/* Call stacks from the stack IDs in a key: kernel frames before user frames, callers at their calls, marks for gaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector_fixture.h"
#include "session/collect_call_stack.h"

struct key {
	uint64_t user, kernel, ip, tgid, wakers[3];
};

#define KEY(user, kernel, ip) (struct key){ user, kernel, ip, TGID, { 0 } }
#define MEMBER(member) { .kind = VALUE_STACK, .offset = offsetof(struct key, member), .size = 8 }

static const struct value_member user = MEMBER(user), kernel = MEMBER(kernel), ip = MEMBER(ip), tgid = MEMBER(tgid);
static const struct value_member wakers[] = { MEMBER(wakers[0]), MEMBER(wakers[1]), MEMBER(wakers[2]) };

struct fixture {
	struct dsos *dsos;
	struct collector collector;
	struct collector_table table;
};

#define TGID		0x3ffffff0	/* larger than any real PID */
#define KERNEL_IP	0x8000000000001000
#define USER_IP		0x2000

static int setup(void **state)
{
	const struct dso_id file = { .path = "/no/such/program" };
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	test_collector_init(&fixture->collector, &fixture->dsos);
	fixture->table = (struct collector_table){
		.collector = &fixture->collector, .tgid = &tgid, .stacks = { &user, &kernel }, .nr_stacks = 2,
	};
	/* A mapping, so that addresses have file offsets. */
	aspaces_mmap(fixture->collector.aspaces, TGID, USER_IP, 0x1000, 0x2000, &file, 1);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	test_collector_fini(&fixture->collector, fixture->dsos);
	free(fixture);
	return 0;
}

#define USER_ID		100
#define KERNEL_ID	200
#define DEEP_ID		300

static void store(struct fixture *fixture, uint64_t id, uint32_t kind, uint64_t at, uint32_t nr)
{
	struct tprof_deep_stack stack = { .nr_frames = nr, .flags = kind };

	for (uint32_t i = 0; i < nr; i++)
		stack.ip[i] = at + 0x10 * i;
	assert_int_equal(stacks_add(fixture->collector.stacks, id, &stack, sizeof(stack)), 0);
}

/* Compares the addresses of the frames, and the names of the marks. */
static void expect(struct fixture *fixture, struct key key, const char *wanted)
{
	const struct collect_call_stack *call_stack = collect_call_stack(&fixture->table, &key);
	char got[256] = "";

	assert_non_null(call_stack);
	for (size_t i = 0; i < call_stack->nr; i++) {
		const struct tprof_frame *frame = call_stack->frames[i];
		size_t length = strlen(got);

		if (frame->mode == TPROF_MODE_UNKNOWN || !frame->address)
			snprintf(got + length, sizeof(got) - length, "%s ", frame->symbol);
		else
			snprintf(got + length, sizeof(got) - length, "%c%lx ",
				 frame->mode == TPROF_MODE_KERNEL ? 'k' : 'u',
				 (unsigned long)(frame->address & INT64_MAX));
	}
	assert_string_equal(got, wanted);
}

static void test_kernel_first(void **state)
{
	struct fixture *fixture = *state;

	store(fixture, USER_ID, TPROF_STACK_USER, USER_IP, 2);
	store(fixture, KERNEL_ID, TPROF_STACK_KERNEL, KERNEL_IP, 3);
	/* The leaf of each stack is exact; a caller is looked up one byte before its return address. */
	expect(fixture, KEY(USER_ID, KERNEL_ID, 0), "k1000 k100f k101f u2000 u200f ");
	expect(fixture, KEY(USER_ID, 0, 0), "u2000 u200f ");
	expect(fixture, KEY(0, KERNEL_ID, 0), "k1000 k100f k101f ");
	fixture->table.stacks[0] = &kernel;
	fixture->table.stacks[1] = &user;
	expect(fixture, KEY(USER_ID, KERNEL_ID, 0), "k1000 k100f k101f u2000 u200f ");
}

/* Invalid addresses, from the walk of a stack without frame pointers. */
static void test_nonsense(void **state)
{
	const struct tprof_stack stack = {
		.nr_frames = 4, .flags = TPROF_STACK_USER, .ip = { USER_IP, UINT64_MAX - 2, 0x666, USER_IP + 1 },
	};
	struct fixture *fixture = *state;

	assert_int_equal(stacks_add(fixture->collector.stacks, USER_ID, &stack, sizeof(stack)), 0);
	expect(fixture, KEY(USER_ID, 0, 0), "u2000 [unknown] [unknown] u2000 ");
}

static void test_cut_off(void **state)
{
	const struct tprof_stack deep = {
		.nr_frames = 4, .flags = TPROF_STACK_USER, .ip = { USER_IP, USER_IP + 1, TPROF_FRAME_CUT, USER_IP + 2 },
	};
	const struct tprof_stack kernel_deep = {
		.nr_frames = 2, .flags = TPROF_STACK_KERNEL, .ip = { KERNEL_IP, TPROF_FRAME_CUT },
	};
	struct fixture *fixture = *state;

	assert_int_equal(stacks_add(fixture->collector.stacks, DEEP_ID, &deep, sizeof(deep)), 0);
	assert_int_equal(stacks_add(fixture->collector.stacks, KERNEL_ID, &kernel_deep, sizeof(kernel_deep)), 0);
	/* The mark is at the position of the missing frames. */
	expect(fixture, KEY(DEEP_ID, 0, 0), "u2000 u2000 [stack cut off] u2001 ");
	expect(fixture, KEY(DEEP_ID, KERNEL_ID, 0), "k1000 [stack cut off] u2000 u2000 [stack cut off] u2001 ");
}

/* The interrupt of a recorded address: shown, behind a mark, unless it is in the function of the leaf. */
static void test_skid(void **state)
{
	const struct tprof_deep_stack other = {
		.nr_frames = 4, .flags = TPROF_STACK_USER,
		.ip = { USER_IP, TPROF_FRAME_SKID, USER_IP + 0x40, USER_IP + 0x80 },
	};
	const struct tprof_deep_stack same = {
		.nr_frames = 4, .flags = TPROF_STACK_KERNEL,
		.ip = { KERNEL_IP, TPROF_FRAME_SKID, KERNEL_IP, KERNEL_IP + 0x20 },
	};
	const struct tprof_deep_stack alone = {
		.nr_frames = 2, .flags = TPROF_STACK_USER, .ip = { USER_IP, TPROF_FRAME_SKID },
	};
	struct fixture *fixture = *state;

	assert_int_equal(stacks_add(fixture->collector.stacks, USER_ID, &other, sizeof(other)), 0);
	assert_int_equal(stacks_add(fixture->collector.stacks, KERNEL_ID, &same, sizeof(same)), 0);
	assert_int_equal(stacks_add(fixture->collector.stacks, DEEP_ID, &alone, sizeof(alone)), 0);
	/* The interrupted address is exact, its caller is looked up at the call. */
	expect(fixture, KEY(USER_ID, 0, 0), "u2000 [skid] u2040 u207f ");
	expect(fixture, KEY(0, KERNEL_ID, 0), "k1000 k101f ");
	expect(fixture, KEY(USER_ID, KERNEL_ID, 0), "k1000 k101f u2000 [skid] u2040 u207f ");
	expect(fixture, KEY(DEEP_ID, 0, 0), "u2000 [skid] ");
}

static void test_missing(void **state)
{
	const uint64_t user_full = TPROF_STACK_ID_FULL(TPROF_STACK_USER),
		       kernel_full = TPROF_STACK_ID_FULL(TPROF_STACK_KERNEL),
		       user_unread = TPROF_STACK_ID_UNREAD(TPROF_STACK_USER);
	struct fixture *fixture = *state;

	store(fixture, USER_ID, TPROF_STACK_USER, USER_IP, 1);
	store(fixture, KERNEL_ID, TPROF_STACK_KERNEL, KERNEL_IP, 1);
	expect(fixture, KEY(0, 0, 0), "[no stack] ");
	expect(fixture, KEY(user_full, KERNEL_ID, 0), "k1000 [stack table full] ");
	expect(fixture, KEY(USER_ID, kernel_full, 0), "[stack table full] u2000 ");
	expect(fixture, KEY(user_unread, kernel_full, 0), "[stack table full] [stack not read] ");
	expect(fixture, KEY(4711, KERNEL_ID, 0), "k1000 [stack not known] ");
}

static void test_address_in_the_key(void **state)
{
	struct fixture *fixture = *state;

	fixture->table.ip = &ip;
	store(fixture, USER_ID, TPROF_STACK_USER, USER_IP, 2);
	expect(fixture, KEY(USER_ID, 0, USER_IP), "u2000 u200f ");
	expect(fixture, KEY(0, 0, USER_IP), "u2000 ");
	expect(fixture, KEY(USER_ID, TPROF_STACK_ID_FULL(TPROF_STACK_KERNEL), KERNEL_IP),
	       "k1000 [stack table full] u2000 u200f ");
}

/* Both stacks have the maximum depth. */
static void test_deepest(void **state)
{
	struct fixture *fixture = *state;
	struct key key = KEY(USER_ID, KERNEL_ID, 0);
	const struct collect_call_stack *call_stack;

	store(fixture, USER_ID, TPROF_STACK_USER, USER_IP, TPROF_STACK_MAX_FRAMES);
	store(fixture, KERNEL_ID, TPROF_STACK_KERNEL, KERNEL_IP, TPROF_STACK_MAX_FRAMES);
	call_stack = collect_call_stack(&fixture->table, &key);
	assert_non_null(call_stack);
	assert_int_equal(call_stack->nr, 2 * TPROF_STACK_MAX_FRAMES);
}

#define WAKER_ID	400

static void store_waker(struct fixture *fixture, uint64_t id, uint64_t kernel_id, uint64_t user_id, const char *comm)
{
	struct tprof_deep_stack words = {
		.nr_frames = TPROF_WAKER_WORDS, .flags = TPROF_STACK_WAKER,
		.ip = { [TPROF_WAKER_KERNEL] = kernel_id, [TPROF_WAKER_USER] = user_id,
			[TPROF_WAKER_PROCESS] = user_id ? TGID : 0 },
	};

	memcpy(&words.ip[TPROF_WAKER_COMM], comm, strlen(comm));
	assert_int_equal(stacks_add(fixture->collector.stacks, id, &words, sizeof(words)), 0);
}

/* Each waker stands above the leaf, upside down: its name is the new leaf. */
static void test_wakers(void **state)
{
	struct fixture *fixture = *state;
	struct key key = KEY(USER_ID, KERNEL_ID, 0);
	const struct collect_call_stack *waker;

	store(fixture, USER_ID, TPROF_STACK_USER, USER_IP, 2);
	store(fixture, KERNEL_ID, TPROF_STACK_KERNEL, KERNEL_IP, 1);
	store(fixture, DEEP_ID, TPROF_STACK_KERNEL, KERNEL_IP + 0x100, 2);
	store_waker(fixture, WAKER_ID, DEEP_ID, USER_ID, "writer");
	store_waker(fixture, WAKER_ID + 1, 0, 0, "[irq]");
	for (size_t i = 0; i < 3; i++)
		fixture->table.wakers[fixture->table.nr_wakers++] = &wakers[i];
	expect(fixture, key, "k1000 u2000 u200f ");
	key.wakers[0] = WAKER_ID;
	expect(fixture, key, "writer u200f u2000 k110f k1100 -- k1000 u2000 u200f ");
	key.wakers[1] = WAKER_ID + 1;
	expect(fixture, key, "[irq] -- writer u200f u2000 k110f k1100 -- k1000 u2000 u200f ");
	key.wakers[0] = WAKER_ID + 1;
	key.wakers[1] = 0;
	key.wakers[2] = WAKER_ID;
	expect(fixture, key, "[irq] -- k1000 u2000 u200f ");
	key.wakers[0] = TPROF_STACK_ID_UNREAD(TPROF_STACK_WAKER);
	expect(fixture, key, "[waker not known] -- k1000 u2000 u200f ");
	key.wakers[0] = TPROF_STACK_ID_FULL(TPROF_STACK_WAKER);
	expect(fixture, key, "[waker: stack table full] -- k1000 u2000 u200f ");
	/* A stack is no waker. */
	key.wakers[0] = USER_ID;
	expect(fixture, key, "[stack not known] -- k1000 u2000 u200f ");
	waker = collect_waker(&fixture->collector, WAKER_ID);
	assert_non_null(waker);
	assert_int_equal(waker->nr, 5);
	assert_string_equal(waker->frames[4]->symbol, "writer");
}

/* Text stands in the place of a waker, or of its stack, that is missing; an empty name is a name. */
static void test_missing_of_a_waker(void **state)
{
	struct fixture *fixture = *state;
	struct key key = KEY(USER_ID, 0, 0);

	store(fixture, USER_ID, TPROF_STACK_USER, USER_IP, 1);
	store_waker(fixture, WAKER_ID, TPROF_STACK_ID_FULL(TPROF_STACK_KERNEL),
		    TPROF_STACK_ID_UNREAD(TPROF_STACK_USER), "");
	store_waker(fixture, WAKER_ID + 1, DEEP_ID, 0, "a\033b");
	fixture->table.wakers[fixture->table.nr_wakers++] = &wakers[0];
	key.wakers[0] = WAKER_ID;
	expect(fixture, key, "[empty] [stack not read] [stack table full] -- u2000 ");
	key.wakers[0] = WAKER_ID + 1;
	expect(fixture, key, "a?b [stack not known] -- u2000 ");
}

#define with_fixture(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_fixture(test_kernel_first),
		with_fixture(test_nonsense),
		with_fixture(test_cut_off),
		with_fixture(test_skid),
		with_fixture(test_missing),
		with_fixture(test_address_in_the_key),
		with_fixture(test_deepest),
		with_fixture(test_wakers),
		with_fixture(test_missing_of_a_waker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
