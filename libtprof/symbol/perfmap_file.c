// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Finds the perf-PID.map of one process and decides whether to trust it. */
#include "perfmap_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/proc.h"
#include "rights/foreign.h"

/* File times have the resolution of the timer tick, start times of processes 10 ms. */
#define CLOCK_SLACK_NS 100000000

#define MIN_MAX_BYTES (128UL << 20)
#define MAX_MAX_BYTES (1UL << 30)

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return clock_timespec_ns(&now);
}

int64_t perfmap_real_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

int perfmap_owner_read(struct perfmap_owner *owner)
{
	struct proc_text text = { 0 };
	struct proc_stat stat;
	struct proc_status status;
	int err;

	err = proc_read(&text, "%d/stat", owner->tgid);
	if (!err)
		err = proc_parse_stat(text.text, &stat);
	if (!err && owner->start_time && owner->start_time != stat.start_time)
		err = -ESRCH;
	if (!err)
		err = proc_read(&text, "%d/status", owner->tgid);
	if (!err)
		err = proc_parse_status(text.text, &status);
	proc_text_fini(&text);
	if (err)
		return -ESRCH;
	owner->start_time = stat.start_time;
	owner->uid = status.euid;
	owner->number = status.ns_tgid;
	/* Both clocks are those of our own time namespace. */
	owner->from_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME) +
			 (int64_t)(stat.start_time * (1000000000ULL / (uint64_t)sysconf(_SC_CLK_TCK)));
	return proc_stat_is_dead(&stat) ? -ESRCH : 0;
}

void perfmap_owner_hold(struct perfmap_owner *owner)
{
	struct stat own, theirs;
	int fd = owner->tmp_fd < 0 ? foreign_open(owner->broker, BROKER_TMP, owner->tgid) : -1;

	if (fd < 0)
		return;
	if (fstat(fd, &theirs) || (!stat("/tmp", &own) && own.st_dev == theirs.st_dev && own.st_ino == theirs.st_ino))
		close(fd);
	else
		owner->tmp_fd = fd;
}

void perfmap_owner_release(struct perfmap_owner *owner)
{
	if (owner->tmp_fd >= 0)
		close(owner->tmp_fd);
	owner->tmp_fd = -1;
}

enum perfmap_refusal perfmap_file_judge(const struct perfmap_owner *owner, const struct stat *st)
{
	int64_t written_ns = clock_timespec_ns(&st->st_mtim);

	if (!S_ISREG(st->st_mode))
		return PERFMAP_NO_FILE;
	if (st->st_uid && st->st_uid != owner->uid)
		return PERFMAP_OTHER_OWNER;
	if (written_ns < clock_sum_ns(owner->from_ns, -CLOCK_SLACK_NS))
		return PERFMAP_OLDER;
	if (written_ns > clock_sum_ns(owner->to_ns, CLOCK_SLACK_NS))
		return PERFMAP_LATER;
	return PERFMAP_ACCEPTED;
}

/* O_NONBLOCK: opening a pipe must not block. O_NOFOLLOW: a link may lead to a file that its creator cannot read. */
static int open_at(int directory, const struct perfmap_owner *owner, struct perfmap_found *found)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "perf-%d.map", found->number);
	fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	if (fd < 0) {
		found->refusal = errno == ENOENT ? PERFMAP_MISSING :
				 errno == ELOOP || errno == ENXIO ? PERFMAP_NO_FILE : PERFMAP_UNREADABLE;
		return -1;
	}
	found->refusal = fstat(fd, &found->st) ? PERFMAP_UNREADABLE : perfmap_file_judge(owner, &found->st);
	if (found->refusal == PERFMAP_ACCEPTED)
		return fd;
	close(fd);
	return -1;
}

int perfmap_file_open(const struct perfmap_owner *owner, struct perfmap_found *found)
{
	struct perfmap_found first = { .refusal = PERFMAP_MISSING };
	int tmp, fd = -1;

	if (owner->tmp_fd >= 0 && owner->number) {
		first.number = owner->number;
		fd = open_at(owner->tmp_fd, owner, &first);
	}
	*found = first;
	if (fd >= 0)
		return fd;
	/*
	 * The name by the pid in our own namespace: perf writes it, and so do agents that write maps for other
	 * processes.
	 */
	tmp = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	*found = (struct perfmap_found){ .number = owner->tgid, .refusal = PERFMAP_MISSING };
	if (tmp >= 0) {
		fd = open_at(tmp, owner, found);
		close(tmp);
	}
	if (fd < 0 && found->refusal == PERFMAP_MISSING)
		*found = first;
	return fd;
}

void perfmap_found_text(const struct perfmap_found *found, const struct perfmap_owner *owner, char *text, size_t size)
{
	char why[128];

	switch (found->refusal) {
	case PERFMAP_NO_FILE:
		snprintf(why, sizeof(why), "it is not a regular file");
		break;
	case PERFMAP_OTHER_OWNER:
		snprintf(why, sizeof(why), "it belongs to user %u, and the process to user %u", found->st.st_uid,
			 owner->uid);
		break;
	case PERFMAP_OLDER:
		snprintf(why, sizeof(why), "it is older than the process, so it may belong to another process");
		break;
	case PERFMAP_LATER:
		snprintf(why, sizeof(why), "it was written after the process had ended, so it may belong to another "
			 "process");
		break;
	case PERFMAP_TOO_LARGE:
		snprintf(why, sizeof(why), "it has %" PRIu64 " MiB, and the limit is %zu MiB",
			 (uint64_t)found->st.st_size >> 20, found->max_bytes >> 20);
		break;
	case PERFMAP_TOTAL_TOO_LARGE:
		snprintf(why, sizeof(why), "all maps together would take more than %zu MiB", found->max_bytes >> 20);
		break;
	default:
		snprintf(why, sizeof(why), "it cannot be read");
	}
	snprintf(text, size, "perf-%d.map: not read: %s", found->number, why);
}

size_t perfmap_max_bytes_of(const char *meminfo)
{
	const char *line = strstr(meminfo, "MemAvailable:");
	unsigned long long available = line ? strtoull(line + strlen("MemAvailable:"), NULL, 10) : 0;
	unsigned long long bytes = available < (MAX_MAX_BYTES >> 7) ? available << 7 : MAX_MAX_BYTES;

	return bytes < MIN_MAX_BYTES ? MIN_MAX_BYTES : (size_t)bytes;
}

size_t perfmap_max_bytes(void)
{
	struct proc_text text = { 0 };
	size_t bytes = perfmap_max_bytes_of(proc_read(&text, "meminfo") ? "" : text.text);

	proc_text_fini(&text);
	return bytes;
}
