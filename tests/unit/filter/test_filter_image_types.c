// SPDX-License-Identifier: GPL-2.0-only
/* BTF types with which libbpf would loop forever, or for too long, are refused; normal types are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filter/filter_image_types.h"
#include "filter/value.h"

static struct btf *new_btf(void)
{
	struct btf *btf = btf__new_empty();

	assert_int_equal(btf__add_int(btf, "int", 4, BTF_INT_SIGNED), 1);
	return btf;
}

static int next_id(const struct btf *btf)
{
	return (int)btf__type_cnt(btf);
}

static void add_member(struct btf *btf, const char *name, int type)
{
	assert_int_equal(btf__add_field(btf, name, type, 0, 0), 0);
}

static void is(struct btf *btf, bool sound)
{
	assert_int_equal(image_types_are_sound(btf), sound);
	btf__free(btf);
}

static void not_endless(void **state)
{
	struct btf *btf = new_btf();
	int id = next_id(btf);
	char *text;
	size_t size;
	FILE *out;

	(void)state;
	/* struct node { struct node *next; int (*call)(struct node *); struct { int a; }; } */
	assert_int_equal(btf__add_struct(btf, "node", 8), id);
	add_member(btf, "next", id + 1);
	add_member(btf, "call", id + 2);
	add_member(btf, NULL, id + 4);
	assert_int_equal(btf__add_ptr(btf, id), id + 1);
	assert_int_equal(btf__add_ptr(btf, id + 3), id + 2);
	assert_int_equal(btf__add_func_proto(btf, 1), id + 3);
	assert_int_equal(btf__add_func_param(btf, "node", id + 1), 0);
	assert_int_equal(btf__add_struct(btf, NULL, 4), id + 4);
	add_member(btf, "a", 1);
	/* typedef struct { other_t *no; } other_t; impossible in C, but finite. */
	assert_int_equal(btf__add_struct(btf, NULL, 8), id + 5);
	add_member(btf, "no", id + 7);
	assert_int_equal(btf__add_typedef(btf, "other_t", id + 5), id + 6);
	assert_int_equal(btf__add_ptr(btf, id + 6), id + 7);
	assert_true(image_types_are_sound(btf));
	out = open_memstream(&text, &size);
	value_print_type(out, btf, (uint32_t)id);
	fclose(out);
	assert_string_equal(text, "struct node { struct node *next; int (*call)(struct node *node); "
				  "struct {\n\tint a;\n}; }");
	free(text);
	btf__free(btf);
}

/* Each comment describes the effect on libbpf. */
static void endless(void **state)
{
	struct btf *btf = new_btf();
	int id = next_id(btf);

	(void)state;
	/* Printing the declaration of a pointer to itself uses all memory. */
	assert_int_equal(btf__add_ptr(btf, id), id);
	is(btf, false);

	btf = new_btf();
	assert_int_equal(btf__add_const(btf, id + 1), id);
	assert_int_equal(btf__add_ptr(btf, id), id + 1);
	is(btf, false);

	/* Skipping typedefs and qualifiers does not end. */
	btf = new_btf();
	assert_int_equal(btf__add_typedef(btf, "a", id + 1), id);
	assert_int_equal(btf__add_typedef(btf, "b", id), id + 1);
	is(btf, false);

	/* Stack overflow: a function that takes itself, an unnamed struct with its address, a struct within itself. */
	btf = new_btf();
	assert_int_equal(btf__add_func_proto(btf, 0), id);
	assert_int_equal(btf__add_func_param(btf, "self", id + 1), 0);
	assert_int_equal(btf__add_ptr(btf, id), id + 1);
	is(btf, false);

	btf = new_btf();
	assert_int_equal(btf__add_struct(btf, NULL, 8), id);
	add_member(btf, "self", id + 1);
	assert_int_equal(btf__add_ptr(btf, id), id + 1);
	is(btf, false);

	btf = new_btf();
	assert_int_equal(btf__add_struct(btf, "inner", 8), id);
	add_member(btf, "self", id + 1);
	assert_int_equal(btf__add_array(btf, 1, id, 1), id + 1);
	is(btf, false);
}

/* Each type contains the previous one twice. */
static void doubling(void **state)
{
	struct btf *btf = new_btf();
	int id = 1;

	(void)state;
	for (int i = 0; i < 30; i++) {
		int next = btf__add_struct(btf, "s", 8);

		add_member(btf, "a", id);
		add_member(btf, "b", id);
		id = next;
	}
	is(btf, false);

	btf = new_btf();
	id = 1;
	for (int i = 0; i < 30; i++) {
		int next = btf__add_func_proto(btf, 0);

		assert_int_equal(btf__add_func_param(btf, "a", id), 0);
		assert_int_equal(btf__add_func_param(btf, "b", id), 0);
		id = btf__add_ptr(btf, next);
	}
	is(btf, false);
}

static void out_of_measure(void **state)
{
	struct btf *btf = new_btf();
	char name[600];

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	assert_true(btf__add_struct(btf, "s", 8) > 0);
	add_member(btf, name, 1);
	is(btf, false);

	btf = new_btf();
	assert_true(btf__add_struct(btf, "s", 0x7fffffff) > 0);
	is(btf, false);

	/* The depth is the length of the chain of pointers. */
	btf = new_btf();
	for (int id = 1; id < 60; id++)
		assert_int_equal(btf__add_ptr(btf, id), id + 1);
	assert_true(image_types_are_sound(btf));
	for (int id = 60; id < 70; id++)
		assert_int_equal(btf__add_ptr(btf, id), id + 1);
	is(btf, false);
}

/* The types of the kernel, the most that a filter can have. */
static void this_kernel(void **state)
{
	struct btf *btf = btf__load_vmlinux_btf();

	(void)state;
	if (!btf)
		skip();
	is(btf, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_endless),
		cmocka_unit_test(endless),
		cmocka_unit_test(doubling),
		cmocka_unit_test(out_of_measure),
		cmocka_unit_test(this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
