// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Lists the sessions of all users on this machine.
 *
 * There is no registry, so sessions are found by their BPF objects: every filter object has a map called tprof_ledger;
 * the programs that use the map have the filter's name, and the process that has it open is the owner. Pins show
 * sessions that were killed.
 */
#include <bpf/bpf.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "host/probe.h"
#include "host/proc.h"
#include "rights/pin_directory.h"
#include "tprof.h"
#include "tprof/object.h"

/* More maps than any filter has. */
#define MAX_PROGRAM_MAPS 64

/* A map called tprof_ledger, and what is known about it. */
struct found {
	uint32_t id;
	char filter[TPROF_NAME_MAX + 1];
	const char *engine;
	pid_t pid;			/* -1: no process has it open */
	char comm[PROC_COMM_LEN];
	char pin[NAME_MAX + 1];
	bool stale;
};

struct survey {
	struct found *found;
	size_t nr, capacity;
};

static struct found *survey_find(const struct survey *survey, uint32_t id)
{
	size_t i;

	for (i = 0; i < survey->nr; i++)
		if (survey->found[i].id == id)
			return &survey->found[i];
	return NULL;
}

static int add_map(struct survey *survey, uint32_t id)
{
	struct found *more = array_grow(survey->found, survey->nr, &survey->capacity, sizeof(*more));

	if (!more)
		return -ENOMEM;
	survey->found = more;
	more[survey->nr++] = (struct found){ .id = id, .engine = "", .pid = -1 };
	return 0;
}

static int find_ledgers(struct survey *survey)
{
	uint32_t id = 0;
	int err;

	while (!(err = bpf_map_get_next_id(id, &id))) {
		struct bpf_map_info info = { 0 };
		uint32_t size = sizeof(info);
		int fd = bpf_map_get_fd_by_id(id);

		/* The map has been removed since. */
		if (fd == -ENOENT)
			continue;
		if (fd < 0)
			return fd;
		err = bpf_map_get_info_by_fd(fd, &info, &size);
		close(fd);
		if (!err && !strcmp(info.name, TPROF_LEDGER_NAME))
			err = add_map(survey, id);
		if (err)
			return err;
	}
	return err == -ENOENT ? 0 : err;
}

/* Splits "top_perf" into "top" and its engine; false for programs that do not belong to a filter. */
static bool split_program_name(char *name, const char **engine)
{
	size_t len = strlen(name), suffix = strlen(TPROF_PERF_SUFFIX);

	if (len <= suffix)
		return false;
	if (!strcmp(name + len - suffix, TPROF_PERF_SUFFIX))
		*engine = "perf";
	else if (!strcmp(name + len - suffix, TPROF_KMOD_SUFFIX))
		*engine = "kmod";
	else
		return false;
	name[len - suffix] = '\0';
	return true;
}

static void look_at_program(struct survey *survey, int fd)
{
	uint32_t maps[MAX_PROGRAM_MAPS];
	struct bpf_prog_info info = { .map_ids = (uintptr_t)maps, .nr_map_ids = MAX_PROGRAM_MAPS };
	uint32_t i, size = sizeof(info);
	struct found *found;
	const char *engine;

	if (bpf_prog_get_info_by_fd(fd, &info, &size) || !split_program_name(info.name, &engine))
		return;
	for (i = 0; i < info.nr_map_ids && i < MAX_PROGRAM_MAPS; i++) {
		found = survey_find(survey, maps[i]);
		if (found) {
			snprintf(found->filter, sizeof(found->filter), "%s", info.name);
			found->engine = engine;
		}
	}
}

static void find_filters(struct survey *survey)
{
	uint32_t id = 0;
	int fd;

	while (!bpf_prog_get_next_id(id, &id)) {
		fd = bpf_prog_get_fd_by_id(id);
		if (fd < 0)
			continue;
		look_at_program(survey, fd);
		close(fd);
	}
}

/* True if the file descriptor is a BPF map. Reading the link is cheaper than reading the fdinfo of every socket. */
static bool is_map(pid_t pid, const char *fd)
{
	char path[64], target[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/fd/%.16s", pid, fd);
	len = readlink(path, target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = '\0';
	return strstr(target, "bpf-map") != NULL;
}

static void own(struct found *found, pid_t pid, struct proc_text *text)
{
	found->pid = pid;
	if (!proc_read(text, "%d/comm", pid))
		proc_parse_comm(text->text, found->comm);
	utf8_clean(found->comm);
}

static int look_at_process(void *ctx, pid_t pid)
{
	struct survey *survey = ctx;
	struct proc_text text = { 0 };
	struct dirent *entry;
	struct found *found;
	char path[32], *at;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]) || !is_map(pid, entry->d_name))
			continue;
		if (proc_read(&text, "%d/fdinfo/%s", pid, entry->d_name))
			continue;
		at = strstr(text.text, "map_id:");
		found = at ? survey_find(survey, strtoul(at + strlen("map_id:"), NULL, 10)) : NULL;
		if (found && found->pid < 0)
			own(found, pid, &text);
	}
	closedir(dir);
	proc_text_fini(&text);
	return 0;
}

static uint32_t pinned_map_id(const char *path)
{
	struct bpf_map_info info = { 0 };
	uint32_t size = sizeof(info);
	int fd = bpf_obj_get(path);

	if (fd < 0)
		return 0;
	if (bpf_map_get_info_by_fd(fd, &info, &size))
		info.id = 0;
	close(fd);
	return info.id;
}

/*
 * ".../SESSION/FILTER/tprof_ledger": takes the filter's name from the path, for a session that has no program any more.
 */
static void name_by_path(struct found *found, char *path)
{
	char *filter;

	*strrchr(path, '/') = '\0';
	filter = strrchr(path, '/') + 1;
	if (!found->filter[0])
		snprintf(found->filter, sizeof(found->filter), "%.*s", TPROF_NAME_MAX, filter);
}

/* Sets the session's name in each ledger that it pinned. Returns true if there is one. */
static bool mark_pinned(struct survey *survey, const char *name, bool stale)
{
	char pattern[sizeof(PIN_ROOT) + NAME_MAX + 32];
	struct found *found;
	bool any = false;
	glob_t paths;
	size_t i;

	snprintf(pattern, sizeof(pattern), PIN_ROOT "/%s/*/" TPROF_LEDGER_NAME, name);
	if (glob(pattern, GLOB_NOSORT, NULL, &paths))
		return false;
	for (i = 0; i < paths.gl_pathc; i++) {
		found = survey_find(survey, pinned_map_id(paths.gl_pathv[i]));
		if (!found)
			continue;
		snprintf(found->pin, sizeof(found->pin), "%s", name);
		utf8_clean(found->pin);
		found->stale = stale;
		name_by_path(found, paths.gl_pathv[i]);
		any = true;
	}
	globfree(&paths);
	return any;
}

static int report_session(const struct found *found, int (*fn)(void *ctx, const struct tprof_running *running),
			  void *ctx)
{
	const struct tprof_running running = {
		.name = found->pin[0] ? found->pin : NULL,
		.filter = found->filter,
		.engine = found->engine,
		.pid = found->pid,
		.comm = found->comm,
		.stale = found->stale,
		.map_id = found->id,
	};

	/* A map without owner, pin and program is about to be freed by the kernel. */
	if (found->pid < 0 && !found->pin[0] && !found->filter[0])
		return 0;
	return fn(ctx, &running);
}

/* Goes through the pins. A stale pin without a map is reported at once. */
static int look_at_pins(struct survey *survey, int (*fn)(void *ctx, const struct tprof_running *running), void *ctx)
{
	DIR *dir = opendir(PIN_ROOT);
	struct dirent *entry;
	int stop = 0;

	while (dir && !stop && (entry = readdir(dir))) {
		struct found pins = { .engine = "", .pid = -1 };
		pid_t pid;

		pins.stale = pin_is_stale(entry->d_name, &pid);
		snprintf(pins.pin, sizeof(pins.pin), "%s", entry->d_name);
		if (!mark_pinned(survey, pins.pin, pins.stale) && pins.stale)
			stop = report_session(&pins, fn, ctx);
	}
	if (dir)
		closedir(dir);
	return stop;
}

/* Listing all maps needs more capabilities than creating some, and the kernel may have no bpf(). */
static int explain_failure(int err, struct tprof_error *error)
{
	struct finding bpf = { 0 };

	probe_bpf(&bpf);
	if (err == -EPERM && (bpf.ok || !probe_is_privileged())) {
		error_set(error, EPERM, "sessions: listing the maps of other programs needs CAP_SYS_ADMIN");
		error_hint(error, "run it as root");
		return -EPERM;
	}
	if (bpf.ok)
		return error_set(error, -err, "sessions: the kernel's maps cannot be listed: %s", strerror(-err));
	error_set(error, bpf.err, "sessions: %s", bpf.text);
	finding_advise(&bpf, error);
	return -bpf.err;
}

int tprof_running__each(int (*fn)(void *ctx, const struct tprof_running *running), void *ctx,
			struct tprof_error *error)
{
	struct survey survey = { 0 };
	size_t i;
	int err;

	err = find_ledgers(&survey);
	if (err) {
		free(survey.found);
		return explain_failure(err, error);
	}
	find_filters(&survey);
	proc_each_process(look_at_process, &survey);
	err = look_at_pins(&survey, fn, ctx);
	for (i = 0; i < survey.nr && !err; i++)
		err = report_session(&survey.found[i], fn, ctx);
	free(survey.found);
	return err;
}
