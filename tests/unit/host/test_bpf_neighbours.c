// SPDX-License-Identifier: GPL-2.0-only
/* The list of BPF programs of others: as many as fit into the text. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "host/bpf_neighbours.h"

static struct bpf_neighbour programs[] = {
	{ 1, "kprobe", "one", 0 }, { 2, "tracepoint", "", 0 }, { 3, "perf_event", "a_name_as_long_", 0 },
};

static void listed(void **state)
{
	struct bpf_neighbours some = { programs, 0 };
	char text[128];

	(void)state;
	bpf_neighbours_list(&some, text, sizeof(text));
	assert_string_equal(text, "");
	some.nr = 1;
	bpf_neighbours_list(&some, text, sizeof(text));
	assert_string_equal(text, "kprobe one");
	some.nr = 3;
	bpf_neighbours_list(&some, text, sizeof(text));
	assert_string_equal(text, "kprobe one, tracepoint without a name, perf_event a_name_as_long_");
}

static void small_buffers(void **state)
{
	struct bpf_neighbours some = { programs, 3 };
	char text[128];

	(void)state;
	bpf_neighbours_list(&some, text, sizeof("kprobe one") + 16);
	assert_string_equal(text, "kprobe one and 2 more");
	/* Nothing is written beyond a buffer of any size. */
	for (size_t size = 1; size < sizeof(text); size++) {
		memset(text, 'x', sizeof(text));
		bpf_neighbours_list(&some, text, size);
		assert_true(strlen(text) < size);
		assert_int_equal(text[size], 'x');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listed),
		cmocka_unit_test(small_buffers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
