// SPDX-License-Identifier: GPL-2.0-only
/* The summary of a profile, for the JSON of commands. */
#include "json_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads the whole file as text, which the caller frees. NULL and errno on error. */
static char *read_back(int fd)
{
	struct stat st;
	char *text;

	if (fstat(fd, &st))
		return NULL;
	text = calloc(1, (size_t)st.st_size + 1);
	if (text && pread(fd, text, (size_t)st.st_size, 0) == st.st_size)
		return text;
	free(text);
	return NULL;
}

/* The text is not parsed, because the parser of jansson silently drops values when it runs out of memory. */
char *json_profile_summary(const struct tprof_profile *profile)
{
	TPROF_OPTS(tprof_export_opts, opts, .summary = true);
	int fd = memfd_create("summary", MFD_CLOEXEC);
	int err = fd < 0 ? -errno : tprof_profile__export(profile, "json", fd, &opts);
	char *text = err ? NULL : read_back(fd);

	if (!err && !text)
		err = -errno;
	if (fd >= 0)
		close(fd);
	if (text) {
		*strrchr(text, '}') = '\0';
		memmove(text, text + 1, strlen(text));
	}
	errno = -err;
	return text;
}
