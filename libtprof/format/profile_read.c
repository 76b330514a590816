// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Profiles from files. The first bytes determine the format. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "pprof_read.h"
#include "raw_profile.h"
#include "raw_read.h"

static struct tprof_profile *refuse(int err)
{
	errno = -err;
	return NULL;
}

static struct tprof_profile *refuse_unread(const char *name, int err, struct tprof_error *error)
{
	error_set(error, -err, "%s: %s", name, strerror(-err));
	error_hint(error, "give a file that can be read");
	return refuse(err);
}

/* True for a perf.data file, in either byte order. */
static bool is_of_perf(const struct file_head *head)
{
	return head->size >= 8 && (!memcmp(head->bytes, "PERFILE2", 8) || !memcmp(head->bytes, "2ELIFREP", 8));
}

static struct tprof_profile *refuse_perf(const char *name, struct tprof_error *error)
{
	int err = error_set(error, EBADMSG, "%s: a file of perf record (perf.data), which tprof does not read", name);

	error_hint(error, "show it with `perf report -i FILE`, or record with `tprof record`");
	return refuse(err);
}

static struct tprof_profile *refuse_part(const char *name, struct tprof_error *error)
{
	int err = error_set(error, EINVAL, "%s: not a raw recording: its samples have no time, thread or CPU", name);

	error_hint(error, "tprof record --raw makes one");
	return refuse(err);
}

struct tprof_profile *tprof_profile__read_part(int fd, const char *name, const struct tprof_read_opts *wanted,
					       struct tprof_error *error)
{
	struct tprof_read_opts opts;
	struct file_head head;
	int err = raw_read_opts(&opts, wanted, error);

	if (err)
		return refuse(err);
	if (opts.to_ns && opts.to_ns <= opts.from_ns) {
		error_set(error, EINVAL, "from_ns and to_ns select an empty part");
		error_hint(error, "the end must be later than the start; both count from the start of the recording");
		return refuse(-EINVAL);
	}
	err = file_head_read(&head, fd);
	if (err)
		return refuse_unread(name, err, error);
	if (is_of_perf(&head))
		return refuse_perf(name, error);
	if (raw_is_raw(&head))
		return raw_profile_read(fd, &head, name, &opts, error);
	if (opts.from_ns || opts.to_ns || opts.owner != TPROF_OWNER_PROCESS)
		return refuse_part(name, error);
	return pprof_profile_read(fd, &head, name, &opts, error);
}

struct tprof_profile *tprof_profile__read(int fd, const char *name, struct tprof_error *error)
{
	return tprof_profile__read_part(fd, name, NULL, error);
}
