// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
#include "sandbox_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Constants of Landlock ABI versions that are newer than some systems' headers. */
#define ACCESS_REFER (1ULL << 13)	/* ABI version 2 */
#define ACCESS_TRUNCATE (1ULL << 14)	/* ABI version 3 */
#define ACCESS_IOCTL_DEVICE (1ULL << 15)	/* ABI version 5 */
#define TCP_BIND (1ULL << 0)		/* ABI version 4 */
#define TCP_CONNECT (1ULL << 1)
#define SCOPE_ABSTRACT_SOCKETS (1ULL << 0)	/* ABI version 6 */
#define SCOPE_SIGNALS (1ULL << 1)

/* The kernel's struct landlock_ruleset_attr in its newest form; older versions use a prefix of it. */
struct ruleset {
	uint64_t files, network, scoped;
};

#define CHANGES (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
		 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SYM | \
		 ACCESS_REFER | ACCESS_TRUNCATE)
#define NEVER (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK | \
	       LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | ACCESS_IOCTL_DEVICE)

int sandbox_landlock_version(void)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return version < 0 ? 0 : (int)version;
}

static struct ruleset rules_for(const struct sandbox_files *files, int version, size_t *size)
{
	struct ruleset rules = { .files = CHANGES | NEVER };

	if (version < 2)
		rules.files &= ~ACCESS_REFER;
	if (version < 3)
		rules.files &= ~ACCESS_TRUNCATE;
	if (version < 5)
		rules.files &= ~ACCESS_IOCTL_DEVICE;
	if (version >= 4 && !files->network)
		rules.network = TCP_BIND | TCP_CONNECT;
	if (version >= 6)
		rules.scoped = SCOPE_ABSTRACT_SOCKETS | (files->signals ? 0 : SCOPE_SIGNALS);
	*size = (version < 4 ? 1 : version < 6 ? 2 : 3) * sizeof(uint64_t);
	return rules;
}

static int allow_below(int ruleset, const char *directory, uint64_t access)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = access, .parent_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};
	int err = 0;

	if (rule.parent_fd < 0)
		return -errno;
	if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0))
		err = -errno;
	close(rule.parent_fd);
	return err;
}

int sandbox_limit_files(const struct sandbox_files *files)
{
	int version = sandbox_landlock_version(), ruleset, err = 0;
	struct ruleset rules;
	size_t size;

	if (!version)
		return -EOPNOTSUPP;
	rules = rules_for(files, version, &size);
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
	if (ruleset < 0)
		return -errno;
	for (size_t i = 0; i < files->nr_writable && !err; i++)
		err = allow_below(ruleset, files->writable[i], rules.files & CHANGES);
	if (!err && syscall(SYS_landlock_restrict_self, ruleset, 0))
		err = -errno;
	close(ruleset);
	return err;
}
