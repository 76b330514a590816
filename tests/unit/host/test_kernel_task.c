// SPDX-License-Identifier: GPL-2.0-only
/* Offsets of members of any task from BTF: a missing member is an error; invalid BTF is harmless. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <cmocka.h>

#include "host/kernel_task.h"

/* A member is at its index among these, times eight bytes. */
static const struct {
	const char *structure, *member;
} members[] = {
	{ "task_struct", "thread_info" }, { "task_struct", "__state" }, { "task_struct", "on_cpu" },
	{ "task_struct", "cgroups" }, { "task_struct", "thread_pid" }, { "task_struct", "group_leader" },
	{ "task_struct", "in_iowait" }, { "task_struct", "se" }, { "task_struct", "pi_lock" },
	{ "task_struct", "nvcsw" }, { "task_struct", "nivcsw" },
	{ "thread_info", "cpu" }, { "thread_info", "flags" }, { "thread_info", "status" },
	{ "css_set", "dfl_cgrp" },
	{ "cgroup", "kn" }, { "cgroup", "level" }, { "cgroup", "ancestors" },
	{ "kernfs_node", "id" },
	{ "pid", "level" }, { "pid", "numbers" },
	{ "upid", "ns" },
	{ "pid_namespace", "ns" },
	{ "ns_common", "inum" },
	{ "cfs_rq", "rq" },
	{ "rq", "cfs" },
	{ "sched_entity", "sum_exec_runtime" },
};
#define NR_MEMBERS (sizeof(members) / sizeof(members[0]))
#define IOWAIT_BIT 5

static uint32_t place_of(const char *structure, const char *member)
{
	for (uint32_t i = 0; i < NR_MEMBERS; i++) {
		if (strcmp(members[i].structure, structure) == 0 && strcmp(members[i].member, member) == 0)
			return i * 8;
	}
	return UINT32_MAX;
}

/* Without one of the members; NR_MEMBERS: with all of them. */
static struct btf *make_btf(size_t without)
{
	struct btf *btf = btf__new_empty();
	const char *structure = "";
	int word = btf__add_int(btf, "long", 8, 0);

	for (size_t i = 0; i < NR_MEMBERS; i++) {
		bool is_bit = strcmp(members[i].member, "in_iowait") == 0;

		if (strcmp(members[i].structure, structure) != 0)
			assert_true(btf__add_struct(btf, members[i].structure, 8 * NR_MEMBERS) > 0);
		structure = members[i].structure;
		if (i == without)
			continue;
		assert_int_equal(btf__add_field(btf, members[i].member, word,
						(uint32_t)i * 64 + (is_bit ? IOWAIT_BIT : 0), is_bit ? 1 : 0), 0);
	}
	return btf;
}

static int parse(size_t without, struct tprof_task_layout *layouts, struct tprof_preempt_count *count)
{
	struct btf *btf = make_btf(without);
	uint32_t size;
	const void *data = btf__raw_data(btf, &size);
	int err = kernel_task_parse(layouts, count, data, size);

	btf__free(btf);
	return err;
}

static void all_members(void **state)
{
	struct tprof_task_layout layouts = { 0 };
	struct tprof_preempt_count count = { 0 };

	(void)state;
	assert_int_equal(parse(NR_MEMBERS, &layouts, &count), 0);
	assert_int_equal(layouts.task_state, place_of("task_struct", "__state"));
	assert_int_equal(layouts.task_on_cpu, place_of("task_struct", "on_cpu"));
	assert_int_equal(layouts.task_pi_lock, place_of("task_struct", "pi_lock"));
	assert_int_equal(layouts.task_nvcsw, place_of("task_struct", "nvcsw"));
	assert_int_equal(layouts.task_nivcsw, place_of("task_struct", "nivcsw"));
	assert_int_equal(layouts.task_cgroups, place_of("task_struct", "cgroups"));
	assert_int_equal(layouts.task_thread_pid, place_of("task_struct", "thread_pid"));
	assert_int_equal(layouts.task_group_leader, place_of("task_struct", "group_leader"));
	assert_int_equal(layouts.task_in_iowait, place_of("task_struct", "in_iowait"));
	assert_int_equal(layouts.in_iowait_mask, 1U << IOWAIT_BIT);
	assert_int_equal(layouts.task_cpu, place_of("task_struct", "thread_info") + place_of("thread_info", "cpu"));
	assert_int_equal(layouts.task_exec_runtime,
			 place_of("task_struct", "se") + place_of("sched_entity", "sum_exec_runtime"));
	assert_int_equal(layouts.task_compat,
			 place_of("task_struct", "thread_info") + place_of("thread_info", "status"));
	assert_int_equal(layouts.compat_mask, 1U << 1);
	assert_int_equal(layouts.css_set_cgroup, place_of("css_set", "dfl_cgrp"));
	assert_int_equal(layouts.cgroup_kn, place_of("cgroup", "kn"));
	assert_int_equal(layouts.cgroup_level, place_of("cgroup", "level"));
	assert_int_equal(layouts.cgroup_ancestors, place_of("cgroup", "ancestors"));
	assert_int_equal(layouts.kn_id, place_of("kernfs_node", "id"));
	assert_int_equal(layouts.pid_level, place_of("pid", "level"));
	assert_int_equal(layouts.pid_numbers, place_of("pid", "numbers"));
	assert_int_equal(layouts.upid_ns, place_of("upid", "ns"));
	assert_int_equal(layouts.upid_size, layouts.upid_ns + 8);
	assert_int_equal(layouts.ns_inum, place_of("pid_namespace", "ns") + place_of("ns_common", "inum"));
	assert_int_equal(count.queue_rq, place_of("cfs_rq", "rq"));
	assert_int_equal(count.rq_cfs, place_of("rq", "cfs"));
}

/* arm64 has no status, and its flags say it. */
static void compat_of_arm64(void **state)
{
	struct tprof_task_layout layouts = { 0 };
	struct tprof_preempt_count count = { 0 };
	size_t status = place_of("thread_info", "status") / 8;

	(void)state;
	assert_int_equal(parse(status, &layouts, &count), 0);
	assert_int_equal(layouts.task_compat,
			 place_of("task_struct", "thread_info") + place_of("thread_info", "flags"));
	assert_int_equal(layouts.compat_mask, 1U << 22);
}

/*
 * The way to the preempt_count may be missing: then the wakers are not known. An architecture has one of the words for
 * 32-bit system calls.
 */
static void each_missing(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_MEMBERS; i++) {
		struct tprof_preempt_count count = { .queue_rq = 1, .rq_cfs = 1 };
		bool is_queue = strcmp(members[i].structure, "cfs_rq") == 0 || strcmp(members[i].structure, "rq") == 0;
		bool is_word = strcmp(members[i].member, "flags") == 0 || strcmp(members[i].member, "status") == 0;
		struct tprof_task_layout layouts;

		assert_int_equal(parse(i, &layouts, &count), is_queue || is_word ? 0 : -EINVAL);
		if (is_queue)
			assert_int_equal(count.queue_rq | count.rq_cfs, 0);
	}
}

/* Truncated to every length, and with each bit inverted; sanitizers detect reads beyond the end. */
static void damaged(void **state)
{
	struct btf *btf = make_btf(NR_MEMBERS);
	struct tprof_preempt_count count;
	struct tprof_task_layout layouts;
	uint32_t size;
	const char *data = btf__raw_data(btf, &size);

	(void)state;
	for (uint32_t at = 0; at < size; at++) {
		char *copy = malloc(at ? at : 1);

		memcpy(copy, data, at);
		assert_int_equal(kernel_task_parse(&layouts, &count, copy, at), -EINVAL);
		free(copy);
		copy = malloc(size);
		for (int value = 1; value < 256; value *= 2) {
			memcpy(copy, data, size);
			copy[at] = (char)(copy[at] ^ value);
			kernel_task_parse(&layouts, &count, copy, size);
		}
		free(copy);
	}
	btf__free(btf);
}

static void this_kernel(void **state)
{
	struct tprof_preempt_count count = { 0 };
	struct tprof_task_layout layouts;
	struct btf *btf = btf__load_vmlinux_btf();

	(void)state;
	if (!btf)
		skip();
	assert_int_equal(kernel_task_read(&layouts, &count), 0);
	/* struct upid: a number and a pointer. */
	assert_int_equal(layouts.upid_size, 16);
	assert_true(layouts.in_iowait_mask >= 1 && layouts.in_iowait_mask <= 128);
	btf__free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_members),
		cmocka_unit_test(compat_of_arm64), cmocka_unit_test(each_missing),
		cmocka_unit_test(damaged),
		cmocka_unit_test(this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
