// SPDX-License-Identifier: GPL-2.0-only
/* The hash table: nodes with the same key keep their order while it grows, and any node can be removed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash.h"

#define NR 1000
#define SAME 42

/* The node that was added last is found first, also after the table has grown. */
static void of_one_key_the_last_first(void **state)
{
	static struct hash_node nodes[NR], same[3];
	struct hash hash = { 0 };
	struct hash_node *node;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(hash_add(&hash, &same[i], SAME), 0);
	for (size_t i = 0; i < NR; i++) {
		assert_int_equal(hash_add(&hash, &nodes[i], 1000 + i), 0);
		node = hash_find(&hash, SAME);
		assert_ptr_equal(node, &same[2]);
		node = hash_find_next(node);
		assert_ptr_equal(node, &same[1]);
		node = hash_find_next(node);
		assert_ptr_equal(node, &same[0]);
		assert_null(hash_find_next(node));
	}
	hash_fini(&hash);
}

static void taken_out(void **state)
{
	static struct hash_node nodes[NR];
	struct hash hash = { 0 };

	(void)state;
	for (size_t i = 0; i < NR; i++)
		assert_int_equal(hash_add(&hash, &nodes[i], i / 2), 0);
	for (size_t i = 0; i < NR; i += 2)
		hash_remove(&hash, &nodes[i]);
	assert_int_equal(hash.nr, NR / 2);
	for (size_t i = 0; i < NR / 2; i++) {
		struct hash_node *node = hash_find(&hash, i);

		assert_ptr_equal(node, &nodes[2 * i + 1]);
		assert_null(hash_find_next(node));
	}
	hash_fini(&hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_one_key_the_last_first),
		cmocka_unit_test(taken_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
