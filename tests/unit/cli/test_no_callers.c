// SPDX-License-Identifier: GPL-2.0-only
/* Call stacks that lack callers, because the code was built without frame pointers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../../cli/calls/no_callers.c"
#include "profile/profile.h"

#define FRAMES_MAX 4

/* Adds a call stack: symbols from the leaf to the root; a slash marks kernel frames. */
static void add(struct tprof_profile *profile, uint64_t weight, const char *const *symbols)
{
	const struct tprof_frame *frames[FRAMES_MAX];
	struct tprof_frame made[FRAMES_MAX];
	struct tprof_call_stack call_stack = {
		.frames = frames, .comm = "a", .cgroup = "", .pid = 1, .samples = 1, .weight = weight,
	};

	for (size_t i = 0; i < FRAMES_MAX && symbols[i]; i++) {
		bool kernel = symbols[i][0] == '/';

		made[i] = (struct tprof_frame){
			.symbol = symbols[i], .object = "a", .path = "", .build_id = "", .file = "",
			.mode = !strcmp(symbols[i], "[stack cut off]") ? TPROF_MODE_UNKNOWN :
				kernel ? TPROF_MODE_KERNEL : TPROF_MODE_USER,
		};
		frames[call_stack.nr_frames++] = &made[i];
	}
	assert_int_equal(profile_add_call_stack(profile, &call_stack), 0);
}

#define ADD(profile, weight, ...) \
	add(profile, weight, (const char *const[FRAMES_MAX]){ __VA_ARGS__ })

static void shares(void **state)
{
	struct tprof_profile *profile = profile_new();

	(void)state;
	assert_non_null(profile);
	assert_true(no_callers_percent(profile) == 0);
	/* Only kernel code: user code was not running. */
	ADD(profile, 1000, "/vfs_read", "/kthread");
	assert_true(no_callers_percent(profile) == 0);
	/* Whole. */
	ADD(profile, 10, "hot", "main", "_start");
	ADD(profile, 10, "/vfs_read", "read", "main");
	/* The start of a process or thread, generated code, and a mark that says why callers are missing. */
	ADD(profile, 10, "_start");
	ADD(profile, 10, "/page_fault", "__clone3");
	ADD(profile, 10, "[jit]", "[unknown]");
	ADD(profile, 1000, "hot", "[stack cut off]");
	assert_true(no_callers_percent(profile) == 0);
	/* The leaf may be unknown. */
	ADD(profile, 10, "[unknown]", "main");
	assert_true(no_callers_percent(profile) == 0);
	ADD(profile, 20, "hot");
	ADD(profile, 10, "/vfs_read", "read");
	ADD(profile, 10, "hot", "[unknown]", "main");
	assert_true(no_callers_percent(profile) == 40);
	tprof_profile__free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
