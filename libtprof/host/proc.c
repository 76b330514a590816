// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Process information from /proc. The parser of maps is written by hand: session start reads some ten thousand lines on
 * a busy machine, and sscanf() would take most of that time.
 */
#include "proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/array.h"

/* Larger than most maps files, so that few reads are needed. */
#define MIN_CAPACITY (32 * 1024)
/* A maps file has at most vm.max_map_count lines; this limit is far above its default size. */
#define MAX_CAPACITY (64u * 1024 * 1024)

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Parses hexadecimal digits and the character @follows. Returns the position after it, or NULL. */
static char *parse_hex(char *at, char follows, uint64_t *value)
{
	char *first = at;
	int digit;

	for (*value = 0; (digit = hex_digit(*at)) >= 0; at++)
		*value = *value << 4 | (unsigned int)digit;
	if (at == first || at - first > 16 || *at != follows)
		return NULL;
	return at + 1;
}

static char *parse_decimal(char *at, uint64_t *value)
{
	char *first = at;

	for (*value = 0; isdigit((unsigned char)*at); at++)
		*value = *value * 10 + (unsigned int)(*at - '0');
	return at == first ? NULL : at;
}

/* The kernel escapes only line feeds in paths, as \012. */
static void decode_path(char *path)
{
	char *from = strstr(path, "\\012");
	char *to = from;

	if (!from)
		return;
	while (*from) {
		if (!strncmp(from, "\\012", 4)) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

/* start-end perms offset major:minor inode   path */
static int parse_map_line(char *line, struct proc_map *map)
{
	uint64_t maj, min;
	char *at = line;

	at = parse_hex(at, '-', &map->start);
	at = at ? parse_hex(at, ' ', &map->end) : NULL;
	if (!at || strnlen(at, 5) < 5 || at[4] != ' ' || map->start >= map->end)
		return -EINVAL;
	map->executable = at[2] == 'x';
	at = parse_hex(at + 5, ' ', &map->pgoff);
	at = at ? parse_hex(at, ':', &maj) : NULL;
	at = at ? parse_hex(at, ' ', &min) : NULL;
	at = at ? parse_decimal(at, &map->ino) : NULL;
	if (!at || maj > UINT32_MAX || min > UINT32_MAX)
		return -EINVAL;
	map->maj = (uint32_t)maj;
	map->min = (uint32_t)min;
	/* The padding before the path: paths begin with '/' or '['. */
	at += strspn(at, " ");
	decode_path(at);
	map->path = at;
	return 1;
}

int proc_parse_map(char **at, struct proc_map *map)
{
	char *line = *at, *end;

	if (!*line)
		return 0;
	end = strchrnul(line, '\n');
	*at = *end ? end + 1 : end;
	*end = '\0';
	return parse_map_line(line, map);
}

int proc_parse_stat(const char *text, struct proc_stat *stat)
{
	/* No later field can contain a parenthesis. */
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	char name[PROC_COMM_LEN];
	unsigned long long start;
	size_t size;

	if (!open || !close || close < open)
		return -EINVAL;
	size = (size_t)(close - open) - 1;
	if (size >= sizeof(name))
		size = sizeof(name) - 1;
	memcpy(name, open + 1, size);
	name[size] = '\0';
	proc_parse_comm(name, stat->comm);
	if (sscanf(close + 1, " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %u %*d %llu",
		   &stat->state, &stat->ppid, &stat->flags, &stat->nr_threads, &start) != 5)
		return -EINVAL;
	stat->start_time = start;
	return 0;
}

bool proc_stat_is_zombie(const struct proc_stat *stat)
{
	return stat->state == 'Z' || stat->state == 'X';
}

bool proc_stat_is_dead(const struct proc_stat *stat)
{
	/* A thread group leader that exits before its other threads is a zombie too. */
	return proc_stat_is_zombie(stat) && stat->nr_threads <= 1;
}

static void parse_status_line(const char *line, struct proc_status *status)
{
	int last;

	if (sscanf(line, "Tgid: %d", &status->tgid) == 1 || sscanf(line, "Pid: %d", &status->pid) == 1 ||
	    sscanf(line, "PPid: %d", &status->ppid) == 1 || sscanf(line, "Uid: %*u %u", &status->euid) == 1 ||
	    sscanf(line, "Threads: %u", &status->nr_threads) == 1)
		return;
	/* The values are ordered from the reader's pid namespace to the innermost one. */
	if (!strncmp(line, "NStgid:", 7) || !strncmp(line, "NSpid:", 6)) {
		const char *number = line + strcspn(line, "\n");

		while (number > line && !isspace((unsigned char)number[-1]))
			number--;
		last = atoi(number);
		*(line[2] == 't' ? &status->ns_tgid : &status->ns_pid) = last;
	}
}

int proc_parse_status(const char *text, struct proc_status *status)
{
	memset(status, 0, sizeof(*status));
	/* The kernel escapes line feeds in the name here, so a name cannot forge another line. */
	while (*text) {
		parse_status_line(text, status);
		text = strchrnul(text, '\n');
		text += *text == '\n';
	}
	if (status->tgid <= 0 || status->pid <= 0)
		return -EINVAL;
	if (!status->ns_tgid)
		status->ns_tgid = status->tgid;
	if (!status->ns_pid)
		status->ns_pid = status->pid;
	return 0;
}

void proc_parse_comm(const char *text, char comm[PROC_COMM_LEN])
{
	size_t size = strnlen(text, PROC_COMM_LEN - 1);

	memcpy(comm, text, size);
	comm[size] = '\0';
	if (size && comm[size - 1] == '\n')
		comm[size - 1] = '\0';
	/* Rescuer threads are always called kworker/R-queue. */
	if (!strncmp(comm, "kworker/", 8) && comm[8] != 'R')
		comm[8 + strcspn(comm + 8, "-+")] = '\0';
}

void proc_text_fini(struct proc_text *text)
{
	free(text->text);
	*text = (struct proc_text){ 0 };
}

static int text_grow(struct proc_text *text)
{
	size_t wanted = text->capacity ? text->capacity + 1 : MIN_CAPACITY;
	char *grown;

	if (wanted > MAX_CAPACITY)
		return -ENOMEM;
	grown = array_reserve(text->text, wanted, &text->capacity, 1);
	if (!grown)
		return -ENOMEM;
	text->text = grown;
	return 0;
}

int proc_text_read(struct proc_text *text, int fd)
{
	for (text->size = 0;;) {
		ssize_t nr;
		int err;

		if (text->capacity - text->size < 2) {
			err = text_grow(text);
			if (err)
				return err;
		}
		nr = read(fd, text->text + text->size, text->capacity - text->size - 1);
		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			return -errno;
		text->size += (size_t)nr;
		text->text[text->size] = '\0';
		if (!nr)
			return 0;
	}
}

int proc_read(struct proc_text *text, const char *name, ...)
{
	char path[256] = "/proc/";
	va_list args;
	int fd, err;

	va_start(args, name);
	vsnprintf(path + 6, sizeof(path) - 6, name, args);
	va_end(args);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = proc_text_read(text, fd);
	close(fd);
	return err;
}

int proc_each_process(int (*fn)(void *ctx, pid_t tgid), void *ctx)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int result = 0;

	if (!dir)
		return -errno;
	while (!result && (entry = readdir(dir))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			result = fn(ctx, (pid_t)atoi(entry->d_name));
	}
	closedir(dir);
	return result;
}

pid_t proc_parse_last(const char *loadavg)
{
	const char *last = strrchr(loadavg, ' ');

	return last ? (pid_t)strtol(last, NULL, 10) : 0;
}

size_t proc_oldest(const pid_t *tgids, size_t nr, pid_t last)
{
	size_t begin = 0, end = nr;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (tgids[middle] > last)
			end = middle;
		else
			begin = middle + 1;
	}
	return begin < nr ? begin : 0;
}

int proc_require(struct tprof_error *error)
{
	struct statfs fs;

	if (!statfs("/proc", &fs) && fs.f_type == PROC_SUPER_MAGIC)
		return 0;
	error_set(error, ENOENT, "/proc is not mounted: processes cannot be found or named");
	error_hint(error, "mount -t proc proc /proc");
	return -ENOENT;
}
