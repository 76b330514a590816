// SPDX-License-Identifier: GPL-2.0-only
/* What a profile says of itself, for JSON of commands that say more. */
#include "json_profile.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

struct json_object *json_profile_summary(const struct tprof_profile *profile)
{
	TPROF_OPTS(tprof_export_opts, opts, .summary = true);
	int fd = memfd_create("summary", MFD_CLOEXEC);
	int err = fd < 0 ? -errno : tprof_profile__export(profile, "json", fd, &opts);
	struct json_object *object = NULL;

	if (!err && lseek(fd, 0, SEEK_SET) == 0)
		object = json_object_from_fd(fd);
	if (fd >= 0)
		close(fd);
	errno = err ? -err : ENOMEM;
	return object;
}
