// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Pins the maps of a running session below /sys/fs/bpf/tprof/SESSION/FILTER/, for bpftool. */
#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "rights/pin_directory.h"
#include "session.h"

static int make_dir(const char *path, struct tprof_error *error)
{
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return 0;
	return error_set(error, errno, "%s: cannot be created: %s", path, strerror(errno));
}

/* Creates a directory with a unique name, also for the second session of a process. */
static int make_session_dir(struct tprof_session *session)
{
	char path[PATH_MAX];

	for (int i = 0; i < 1000; i++) {
		int length = snprintf(path, sizeof(path), PIN_ROOT "/%d-%" PRIu64, getpid(), pin_start_time(getpid()));

		if (i)
			snprintf(path + length, sizeof(path) - (size_t)length, "-%d", i);
		if (mkdir(path, 0700) == 0) {
			session->pin_path = strdup(path);
			return session->pin_path ? 0 : error_set(&session->error, ENOMEM, "pins: not enough memory");
		}
		if (errno != EEXIST)
			break;
	}
	return error_set(&session->error, errno, "%s: cannot be created: %s", path, strerror(errno));
}

static int pin_filter(struct tprof_session *session, struct tprof_filter *filter)
{
	char dir[PATH_MAX], path[PATH_MAX + TPROF_NAME_MAX + 2];
	struct bpf_map *map;
	int err;

	snprintf(dir, sizeof(dir), "%s/%s", session->pin_path, tprof_filter__name(filter));
	err = make_dir(dir, &session->error);
	if (err)
		return err;
	bpf_object__for_each_map(map, filter->object) {
		/*
		 * Skips libbpf's maps of constants, whose names have a dot, and the maps of the other engine, or that
		 * only the process has that opened the session.
		 */
		if (!bpf_map__autocreate(map) || bpf_map__fd(map) < 0 || strchr(bpf_map__name(map), '.'))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, bpf_map__name(map));
		err = bpf_obj_pin(bpf_map__fd(map), path);
		if (err)
			return error_set(&session->error, -err, "%s: cannot be pinned: %s", path, strerror(-err));
	}
	return 0;
}

int tprof_session__pin(struct tprof_session *session)
{
	int err = session_check_process(session);
	struct statfs fs;

	if (err)
		return err;
	if (session->state == SESSION_OPEN || session->pin_path || session->broker)
		return error_set(&session->error, EBUSY, "pins: the session %s",
				 session->pin_path ? "has them already" :
				 session->broker ? "is in a sandbox" : "has not been prepared");
	if (statfs(PIN_BPFFS, &fs) || fs.f_type != BPF_FS_MAGIC) {
		error_set(&session->error, ENOENT, "pins: no bpf file system is mounted at " PIN_BPFFS);
		error_hint(&session->error, "mount -t bpf bpf " PIN_BPFFS);
		return -ENOENT;
	}
	pin_remove_stale(&session->log);
	err = make_dir(PIN_ROOT, &session->error);
	if (!err)
		err = make_session_dir(session);
	for (size_t i = 0; i < session->filters.nr && !err; i++)
		err = pin_filter(session, session->filters.all[i]);
	if (err)
		pin_remove(session);
	return err;
}

const char *tprof_session__pin_path(const struct tprof_session *session)
{
	return session->pin_path;
}

void pin_remove(struct tprof_session *session)
{
	if (!session->pin_path)
		return;
	/* In a sandbox, the broker removes the pins when it ends. */
	if (!session->broker)
		pin_remove_session(session->pin_path);
	free(session->pin_path);
	session->pin_path = NULL;
}
