// SPDX-License-Identifier: GPL-2.0-only
/* Cgroups: finding the mount with tables of input, everything else on the hierarchy of this machine. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "host/cgroup.h"
#include "host/proc.h"

static const struct {
	const char *text;
	int err;
	const char *point, *root;
} mounts[] = {
	{ "24 1 0:22 / /proc rw - proc proc rw\n"
	  "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 master:2 - cgroup2 cgroup2 rw,nsdelegate\n",
	  0, "/sys/fs/cgroup", "/" },
	{ "30 24 0:26 / /sys/fs/cgroup/unified rw - cgroup2 none rw", 0, "/sys/fs/cgroup/unified", "/" },
	{ "30 24 0:26 /a\\040b /mnt/with\\040space\\134\\011 rw - cgroup2 none rw\n",
	  0, "/mnt/with space\\\t", "/a b" },
	{ "30 24 0:26 / /mnt rw - cgroup cgroup2 rw\n31 24 0:27 / /x rw - cgroup cgroup rw,cpu\n",
	  -EOPNOTSUPP, "", "" },
	/* A line without a type must not use the type of the next line. */
	{ "30 24 0:26 / /mnt rw\n31 24 0:27 / /x rw - cgroup2 cgroup2 rw\n", 0, "/x", "/" },
	{ "30 24 - cgroup2 \n", -EOPNOTSUPP, "", "" },
	{ " - cgroup2 \n", -EOPNOTSUPP, "", "" },
	{ "\n\n", -EOPNOTSUPP, "", "" },
	{ "", -EOPNOTSUPP, "", "" },
};

static void test_mountinfo(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		struct cgroup_mount mount;

		assert_int_equal(cgroup_parse_mountinfo(mounts[i].text, &mount), mounts[i].err);
		if (!mounts[i].err) {
			assert_string_equal(mount.point, mounts[i].point);
			assert_string_equal(mount.root, mounts[i].root);
		}
		free(mount.point);
		free(mount.root);
	}
}

static char made[256];		/* a cgroup of our own, below the mount point */
static char top[200];

/* Skips the test if there is no v2 hierarchy, or it is not writable. */
static void make_cgroup(void)
{
	struct cgroup_mount mount = { 0 };
	struct proc_text text = { 0 };
	int err;

	assert_int_equal(proc_read(&text, "self/mountinfo"), 0);
	err = cgroup_parse_mountinfo(text.text, &mount);
	proc_text_fini(&text);
	snprintf(top, sizeof(top), "%s/tprof-test-%d", mount.point ? mount.point : "", getpid());
	snprintf(made, sizeof(made), "%s/.inner", top);
	free(mount.point);
	free(mount.root);
	if (err) {
		print_message("# no cgroup v2 hierarchy is mounted\n");
		skip();
	}
	if (mkdir(top, 0755) || mkdir(made, 0755)) {
		print_message("# cannot make a cgroup: %s\n", strerror(errno));
		rmdir(top);
		skip();
	}
}

static int remove_cgroup(void **state)
{
	(void)state;
	rmdir(made);
	rmdir(top);
	return 0;
}

static void test_lookup(void **state)
{
	uint64_t id = 0, same_id = 0;
	uint32_t level = 99, same_level = 99;
	char name[64], path[512];
	struct stat st;

	(void)state;
	make_cgroup();
	assert_int_equal(stat(made, &st), 0);
	assert_int_equal(cgroup_lookup(made, &id, &level), 0);
	assert_int_equal(id, st.st_ino);
	assert_true(level >= 2);
	snprintf(name, sizeof(name), "tprof-test-%d/.inner", getpid());
	assert_int_equal(cgroup_lookup(name, &same_id, &same_level), 0);
	assert_int_equal(same_id, id);
	assert_int_equal(same_level, level);
	snprintf(path, sizeof(path), "/%s/../.inner//", name);
	assert_int_equal(cgroup_lookup(path, &same_id, &same_level), 0);
	assert_int_equal(same_id, id);
	assert_int_equal(same_level, level);
	assert_int_equal(cgroup_lookup("/", &same_id, &same_level), 0);
	assert_int_equal(same_level, level - 2);
	assert_int_equal(cgroup_lookup("no/such/group", &id, &level), -ENOENT);
	snprintf(path, sizeof(path), "%s/cgroup.procs", made);
	assert_int_equal(cgroup_lookup(path, &id, &level), -EINVAL);
	assert_int_equal(cgroup_lookup("../../../../../../proc", &id, &level), -EINVAL);
}

static void test_path(void **state)
{
	struct cgroups *cgroups = cgroups_new();
	char want[64];
	const char *path;
	uint64_t id;
	uint32_t level;

	(void)state;
	assert_non_null(cgroups);
	assert_int_equal(cgroup_lookup("/", &id, &level), 0);
	assert_string_equal(cgroups_path(cgroups, id), "/");
	/* A cgroup that is created after the hierarchy was read. */
	make_cgroup();
	assert_int_equal(cgroup_lookup(made, &id, &level), 0);
	snprintf(want, sizeof(want), "/tprof-test-%d/.inner", getpid());
	path = cgroups_path(cgroups, id);
	assert_non_null(path);
	assert_string_equal(path, want);
	/* A removed cgroup keeps its path. */
	remove_cgroup(NULL);
	assert_ptr_equal(cgroups_path(cgroups, id), path);
	assert_null(cgroups_path(cgroups, UINT64_MAX));
	assert_null(cgroups_path(cgroups, UINT64_MAX));
	cgroups_free(cgroups);
	cgroups_free(NULL);
}

/* Cgroups with new IDs are created and removed, like containers. */
static void test_age(void **state)
{
	struct cgroups *cgroups = cgroups_new();
	uint64_t root;
	size_t nr_alive;
	uint32_t level;

	(void)state;
	assert_int_equal(cgroup_lookup("/", &root, &level), 0);
	cgroups_set_max_gone(cgroups, 10);
	cgroups_path(cgroups, root);
	nr_alive = cgroups_nr(cgroups);
	for (uint64_t i = 0; i < 10 * (nr_alive + 10); i++) {
		assert_null(cgroups_path(cgroups, UINT64_MAX - i));
		assert_string_equal(cgroups_path(cgroups, root), "/");
		cgroups_age(cgroups);
		/* Other programs may create cgroups meanwhile. */
		assert_true(cgroups_nr(cgroups) <= 3 * nr_alive + 100);
	}
	cgroups_free(cgroups);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mountinfo),
		cmocka_unit_test_teardown(test_lookup, remove_cgroup),
		cmocka_unit_test_teardown(test_path, remove_cgroup),
		cmocka_unit_test(test_age),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
