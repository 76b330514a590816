// SPDX-License-Identifier: GPL-2.0-only
/* Offsets from the BTF of the kernel: the same as those of libbpf; invalid BTF is harmless. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <cmocka.h>

#include "host/kernel_types.h"

/* The location of the preempt count in different kernels. */
enum count {
	IN_TASK,
	VARIABLE,
	SORTED,			/* the same, with types sorted by name, as in newer kernels */
	IN_HOT,			/* in an unnamed structure in an unnamed union of a variable */
	ELSEWHERE,		/* in another section than the run queues */
};

static void add_thread_info(struct btf *btf, int word)
{
	int info = btf__add_struct(btf, "thread_info", 64);

	assert_int_equal(btf__add_field(btf, "flags", word, 0, 0), 0);
	assert_int_equal(btf__add_field(btf, NULL, info + 1, 64, 0), 0);
	assert_int_equal(btf__add_union(btf, NULL, 8), info + 1);
	assert_int_equal(btf__add_field(btf, "preempt_count", word, 0, 0), 0);
}

static int add_hot(struct btf *btf, int word)
{
	int hot = btf__add_struct(btf, "pcpu_hot", 64);

	assert_int_equal(btf__add_field(btf, NULL, hot + 1, 0, 0), 0);
	assert_int_equal(btf__add_union(btf, NULL, 64), hot + 1);
	assert_int_equal(btf__add_field(btf, NULL, hot + 2, 0, 0), 0);
	assert_int_equal(btf__add_struct(btf, NULL, 16), hot + 2);
	assert_int_equal(btf__add_field(btf, "current_task", word, 0, 0), 0);
	assert_int_equal(btf__add_field(btf, "preempt_count", word, 64, 0), 0);
	return hot;
}

static void add_section(struct btf *btf, int first, enum count where)
{
	assert_true(btf__add_datasec(btf, ".data..percpu", 8192) > 0);
	assert_int_equal(btf__add_datasec_var_info(btf, first, 4096, 1024), 0);
	if (where == ELSEWHERE)
		assert_true(btf__add_datasec(btf, ".data..other", 8192) > 0);
	assert_int_equal(btf__add_datasec_var_info(btf, first + 1, 64, 64), 0);
}

static void add_queues(struct btf *btf, int word, enum count where)
{
	int hot = where == IN_HOT ? add_hot(btf, word) : 0, queue, first;

	assert_true(btf__add_struct(btf, "sched_entity", 64) > 0);
	assert_int_equal(btf__add_field(btf, "cfs_rq", word, 192, 0), 0);
	queue = btf__add_struct(btf, "rq", 1024);
	assert_int_equal(btf__add_field(btf, "cfs", word, 1024, 0), 0);
	assert_int_equal(btf__add_field(btf, "cpu", word, 4096, 0), 0);
	if (where == SORTED)
		add_section(btf, queue + 2, where);
	first = btf__add_var(btf, "runqueues", BTF_VAR_GLOBAL_ALLOCATED, queue);
	assert_int_equal(btf__add_var(btf, hot ? "pcpu_hot" : "__preempt_count", BTF_VAR_GLOBAL_ALLOCATED,
				      hot ? hot : word), first + 1);
	if (where != SORTED)
		add_section(btf, first, where);
}

/* Structures like those of the kernel: one named member, and one in an unnamed structure after it. */
static struct btf *small_btf(enum count where)
{
	struct btf *btf = btf__new_empty();
	int word = btf__add_int(btf, "long", 8, 0);

	assert_true(word > 0);
	assert_true(btf__add_struct(btf, "task_struct", 64) > 0);
	assert_int_equal(btf__add_field(btf, "mm", word, 128, 0), 0);
	assert_int_equal(btf__add_field(btf, "tgid", word, 192, 0), 0);
	assert_int_equal(btf__add_field(btf, "real_parent", word, 256, 0), 0);
	assert_int_equal(btf__add_field(btf, where == IN_TASK ? "thread_info" : "se", word, 320, 0), 0);
	assert_int_equal(btf__add_field(btf, "pid", word, 384, 0), 0);
	assert_int_equal(btf__add_field(btf, "comm", word, 448, 0), 0);
	assert_int_equal(btf__add_struct(btf, "mm_struct", 64), word + 2);
	assert_int_equal(btf__add_field(btf, NULL, word + 3, 64, 0), 0);
	assert_int_equal(btf__add_struct(btf, NULL, 32), word + 3);
	assert_int_equal(btf__add_field(btf, "other", word, 0, 0), 0);
	assert_int_equal(btf__add_field(btf, "start_code", word, 64, 0), 0);
	if (where == IN_TASK)
		add_thread_info(btf, word);
	else
		add_queues(btf, word, where);
	return btf;
}

static void unnamed_structures(void **state)
{
	struct btf *btf = small_btf(IN_TASK);
	struct kernel_types types;
	const void *data;
	uint32_t size;

	(void)state;
	data = btf__raw_data(btf, &size);
	assert_int_equal(kernel_types_parse(&types, data, size), 0);
	assert_int_equal(types.task_mm, 16);
	assert_int_equal(types.task_tgid, 24);
	assert_int_equal(types.task_pid, 48);
	assert_int_equal(types.task_comm, 56);
	assert_int_equal(types.task_real_parent, 32);
	assert_int_equal(types.mm_start_code, 16);
	assert_int_equal(types.task_type, 2);
	assert_int_equal(types.cast_function, 0);
	btf__free(btf);
}

/* The function that casts pointers, which Linux 6.1 does not have; a structure of that name is not it. */
static void cast_function(void **state)
{
	struct btf *btf = small_btf(VARIABLE);
	int function, type = btf__add_func_proto(btf, 0);
	struct kernel_types types;
	const void *data;
	uint32_t size;

	(void)state;
	assert_true(btf__add_struct(btf, "bpf_rdonly_cast", 8) > 0);
	assert_true(btf__add_func(btf, "bpf_rdonly_casts", BTF_FUNC_STATIC, type) > 0);
	function = btf__add_func(btf, "bpf_rdonly_cast", BTF_FUNC_STATIC, type);
	assert_true(function > 0);
	data = btf__raw_data(btf, &size);
	assert_int_equal(kernel_types_parse(&types, data, size), 0);
	assert_int_equal(types.cast_function, function);
	btf__free(btf);
}

static struct tprof_preempt_count parse_count(enum count where)
{
	struct btf *btf = small_btf(where);
	struct kernel_types types;
	const void *data;
	uint32_t size;

	data = btf__raw_data(btf, &size);
	assert_int_equal(kernel_types_parse(&types, data, size), 0);
	btf__free(btf);
	return types.preempt_count;
}

/* The preempt count is found in each kind of kernel; if it is missing, that is no error. */
static void preempt_count(void **state)
{
	struct tprof_preempt_count count = parse_count(IN_TASK);

	(void)state;
	assert_int_equal(count.where, TPROF_PREEMPT_COUNT_IN_TASK);
	assert_int_equal(count.task_count, 40 + 8);
	for (enum count where = VARIABLE; where <= SORTED; where++) {
		count = parse_count(where);
		assert_int_equal(count.where, TPROF_PREEMPT_COUNT_OF_CPU);
		assert_int_equal(count.task_queue, 40 + 24);
		assert_int_equal(count.queue_to_cpu, 512 - 128);
		assert_int_equal(count.queue_to_count, 64 - (4096 + 128));
	}
	count = parse_count(IN_HOT);
	assert_int_equal(count.where, TPROF_PREEMPT_COUNT_OF_CPU);
	assert_int_equal(count.queue_to_count, 64 + 8 - (4096 + 128));
	count = parse_count(ELSEWHERE);
	assert_int_equal(count.where, TPROF_PREEMPT_COUNT_UNKNOWN);
}

/* Truncated to every length; sanitizers detect reads beyond the end. */
static void cut_short(void **state)
{
	struct btf *btf = small_btf(IN_HOT);
	struct kernel_types types;
	const char *data;
	uint32_t size;

	(void)state;
	data = btf__raw_data(btf, &size);
	for (uint32_t cut = 0; cut < size; cut++) {
		char *copy = malloc(cut + 1);

		memcpy(copy, data, cut);
		copy = realloc(copy, cut ? cut : 1);
		assert_int_equal(kernel_types_parse(&types, copy, cut), -EINVAL);
		free(copy);
	}
	btf__free(btf);
}

static void damaged(void **state)
{
	struct btf *btf = small_btf(IN_HOT);
	struct kernel_types types;
	const char *data;
	uint32_t size;

	(void)state;
	data = btf__raw_data(btf, &size);
	for (uint32_t at = 0; at < size; at++) {
		char *copy = malloc(size);

		for (int value = 1; value < 256; value *= 2) {
			memcpy(copy, data, size);
			copy[at] = (char)(copy[at] ^ value);
			kernel_types_parse(&types, copy, size);
		}
		free(copy);
	}
	btf__free(btf);
}

static uint32_t offset_of(const struct btf *btf, const char *structure, const char *name)
{
	int id = btf__find_by_name_kind(btf, structure, BTF_KIND_STRUCT);
	const struct btf_type *type = btf__type_by_id(btf, (uint32_t)id);
	const struct btf_member *members = btf_members(type);

	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		if (strcmp(btf__name_by_offset(btf, members[i].name_off), name) == 0)
			return btf_member_bit_offset(type, i) / 8;
	}
	return UINT32_MAX;
}

static void this_kernel(void **state)
{
	struct btf *btf = btf__load_vmlinux_btf();
	struct kernel_types types;
	int function;

	(void)state;
	if (!btf)
		skip();
	assert_int_equal(kernel_types_read(&types), 0);
	assert_int_equal(types.task_mm, offset_of(btf, "task_struct", "mm"));
	assert_int_equal(types.task_tgid, offset_of(btf, "task_struct", "tgid"));
	assert_int_equal(types.task_pid, offset_of(btf, "task_struct", "pid"));
	assert_int_equal(types.task_comm, offset_of(btf, "task_struct", "comm"));
	assert_int_equal(types.task_real_parent, offset_of(btf, "task_struct", "real_parent"));
	assert_true(types.mm_start_code > 0);
	assert_int_not_equal(types.preempt_count.where, TPROF_PREEMPT_COUNT_UNKNOWN);
	assert_int_equal(types.task_type, btf__find_by_name_kind(btf, "task_struct", BTF_KIND_STRUCT));
	function = btf__find_by_name_kind(btf, "bpf_rdonly_cast", BTF_KIND_FUNC);
	assert_int_equal(types.cast_function, function > 0 ? function : 0);
	btf__free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unnamed_structures),
		cmocka_unit_test(cast_function),
		cmocka_unit_test(preempt_count),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(damaged),
		cmocka_unit_test(this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
