// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
#include "broker.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pin_directory.h"
#include "sandbox_calls.h"
#include "sandbox_rights.h"
#include "sideband_event.h"
#include "uapi/tprof_device.h"

/* The process name, as shown by ps(1). */
#define BROKER_COMM "tprof-broker"
/* Limit for requests: a ring grows at most twice. */
#define EVENTS_PER_CPU 8
/* Limit for the wait on a file system that does not respond; names are then missing. */
#define ANSWER_SECONDS 20

struct broker {
	pid_t pid;
	int fd;
	bool is_gone;
	const struct log *log;
};

/* An answer: a number, and a file descriptor in the control message. */
struct passing {
	int32_t result;
	struct iovec bytes;
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} beside;
	struct msghdr message;
};

static void passing_init(struct passing *passing)
{
	memset(passing, 0, sizeof(*passing));
	passing->bytes = (struct iovec){ &passing->result, sizeof(passing->result) };
	passing->message = (struct msghdr){
		.msg_iov = &passing->bytes, .msg_iovlen = 1,
		.msg_control = &passing->beside, .msg_controllen = sizeof(passing->beside),
	};
}

/* The broker process ------------------------------------------------------------------------------------- */

static int open_of(pid_t pid, const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_map_file(const struct broker_request *request)
{
	char name[48];

	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, request->start, request->end);
	return open_of(request->pid, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

static int open_tmp(pid_t pid)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int root = open_of(pid, "root", O_PATH | O_DIRECTORY), fd;

	if (root < 0)
		return root;
	fd = (int)syscall(SYS_openat2, root, "tmp", &how, sizeof(how));
	if (fd < 0)
		fd = -errno;
	close(root);
	return fd;
}

int broker_serve(const struct broker_request *request)
{
	const struct sideband_limits limits = {
		.nr_pages = (unsigned int)request->start, .no_lost_count = request->end != 0,
	};

	if (request->question == BROKER_SIDEBAND)
		return sideband_event_new((unsigned int)request->pid, &limits);
	if (request->pid <= 0)
		return -ESRCH;
	switch (request->question) {
	case BROKER_MAPS:
		return open_of(request->pid, "maps", O_RDONLY);
	case BROKER_MEMORY:
		return open_of(request->pid, "mem", O_RDONLY);
	case BROKER_MAP_FILE:
		return open_map_file(request);
	case BROKER_ROOT:
		return open_of(request->pid, "root", O_PATH | O_DIRECTORY);
	case BROKER_TMP:
		return open_tmp(request->pid);
	case BROKER_MOUNTS:
		return open_of(request->pid, "ns/mnt", O_PATH);
	default:
		return -EINVAL;
	}
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static size_t directory_bytes(const char *path)
{
	return (size_t)(last_part(path) - path);
}

/* Opens the directory of a file. AT_FDCWD: the file is in the current directory, or the open failed. */
static int open_directory(const char *path)
{
	char *directory = path ? strndup(path, directory_bytes(path)) : NULL;
	int fd = directory && directory[0] ? open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC) : AT_FDCWD;

	free(directory);
	return fd < 0 ? AT_FDCWD : fd;
}

/* Works only once. */
static int publish(struct broker_duties *duties, int directory)
{
	int err;

	if (!duties->temporary || !duties->name)
		return -EINVAL;
	/* Uses the directory that is already open: another one may have its path by now. */
	if (directory_bytes(duties->name) == directory_bytes(duties->temporary) &&
	    !strncmp(duties->name, duties->temporary, directory_bytes(duties->name)))
		err = renameat(directory, last_part(duties->temporary), directory, last_part(duties->name));
	else
		err = renameat(directory, last_part(duties->temporary), AT_FDCWD, duties->name);
	if (err)
		return -errno;
	duties->temporary = NULL;
	return 0;
}

/* Clocks have the limit that all sessions have. */
static int open_counter(const struct broker_duties *duties, const struct broker_request *request)
{
	const struct event *event = request->start < duties->nr_events ? duties->events[request->start] : NULL;
	struct perf_event_attr attr;

	if (!event || request->pid < 0 || !request->end || request->end > INT64_MAX)
		return -EINVAL;
	if (event_is_clock(event) && request->end < TPROF_MIN_TIMER_NS)
		return -EINVAL;
	event_attr_init(&attr, event, request->end);
	return event_open_cpu(&attr, request->pid);
}

static int carry_out(struct broker_duties *duties, const struct broker_request *request, int directory)
{
	switch (request->question) {
	case BROKER_PUBLISH:
		return publish(duties, directory);
	case BROKER_COUNTER:
		return open_counter(duties, request);
	default:
		return broker_serve(request);
	}
}

static bool answer(int fd, int result, bool is_descriptor)
{
	struct passing passing;
	struct cmsghdr *beside;
	ssize_t nr;

	passing_init(&passing);
	passing.result = is_descriptor && result > 0 ? 0 : result;
	if (is_descriptor && result >= 0) {
		beside = CMSG_FIRSTHDR(&passing.message);
		*beside = (struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
		memcpy(CMSG_DATA(beside), &result, sizeof(result));
	} else {
		passing.message.msg_control = NULL;
		passing.message.msg_controllen = 0;
	}
	nr = sendmsg(fd, &passing.message, MSG_NOSIGNAL);
	if (is_descriptor && result >= 0)
		close(result);
	return nr == sizeof(passing.result);
}

/* Runs until the other end is closed. A message of any other size ends it: tprof does not send one. */
static void serve_all(int fd, struct broker_duties *duties, int directory, long events_left)
{
	struct broker_request request;
	int result;

	while (recv(fd, &request, sizeof(request), MSG_TRUNC) == sizeof(request)) {
		bool is_file = request.question == BROKER_PUBLISH;

		/* Each event slows down all forks and mappings on its CPU. */
		if (request.question == BROKER_SIDEBAND && events_left-- <= 0)
			result = -EMFILE;
		else
			result = carry_out(duties, &request, directory);
		if (!answer(fd, result, !is_file))
			break;
	}
}

/* The broker must not keep pipes open: their readers wait for the last writer. */
static void close_others(int fd)
{
	if (fd > 0)
		syscall(SYS_close_range, 0, fd - 1, 0);
	syscall(SYS_close_range, fd + 1, ~0U, 0);
}

static void __attribute__((noreturn)) run(int fd, struct broker_duties duties)
{
	/* Before the seccomp filter, which permits no reads. */
	const long events = EVENTS_PER_CPU * sysconf(_SC_NPROCESSORS_CONF);
	sigset_t all;
	int directory, err;

	/* The broker must outlive the main process; terminal signals reach both. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, BROKER_COMM);
	close_others(fd);
	directory = open_directory(duties.temporary);
	err = sandbox_keep_rights(SANDBOX_BROKER | (duties.temporary ? SANDBOX_FILE : 0));
	if (!err && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = sandbox_limit_broker(fd);
	/* If the broker cannot drop its capabilities, it must not use them. */
	if (!err || err == -EOPNOTSUPP)
		serve_all(fd, &duties, directory, events);
	if (duties.temporary)
		unlinkat(directory, directory == AT_FDCWD ? duties.temporary : last_part(duties.temporary), 0);
	if (duties.pins)
		pin_remove_session(duties.pins);
	_exit(0);
}

/* The main process --------------------------------------------------------------------------------------- */

struct broker *broker_new(const struct broker_duties *duties, const struct log *log)
{
	const struct timeval patience = { .tv_sec = ANSWER_SECONDS };
	struct broker *broker = calloc(1, sizeof(*broker));
	int ends[2], err;

	if (!broker)
		return NULL;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		free(broker);
		return NULL;
	}
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	broker->log = log;
	broker->fd = ends[0];
	broker->pid = fork();
	if (!broker->pid)
		run(ends[1], *duties);
	err = errno;
	close(ends[1]);
	if (broker->pid > 0)
		return broker;
	close(broker->fd);
	free(broker);
	errno = err;
	return NULL;
}

void broker_free(struct broker *broker)
{
	if (!broker)
		return;
	close(broker->fd);
	while (waitpid(broker->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(broker);
}

int broker_fd(const struct broker *broker)
{
	return broker->fd;
}

static int gone(struct broker *broker)
{
	if (!broker->is_gone)
		log_warn(broker->log, "the broker process, which opens files for tprof in its sandbox, has exited or "
			 "does not answer: names will be missing");
	broker->is_gone = true;
	return -EPIPE;
}

int broker_ask(struct broker *broker, const struct broker_request *request)
{
	struct passing passing;
	struct cmsghdr *beside;
	ssize_t nr;
	int fd;

	if (broker->is_gone || send(broker->fd, request, sizeof(*request), MSG_NOSIGNAL) != sizeof(*request))
		return gone(broker);
	passing_init(&passing);
	do
		nr = recvmsg(broker->fd, &passing.message, MSG_CMSG_CLOEXEC);
	while (nr < 0 && errno == EINTR);
	if (nr != sizeof(passing.result))
		return nr < 0 && errno == EMFILE ? -EMFILE : gone(broker);
	beside = CMSG_FIRSTHDR(&passing.message);
	if (!beside || beside->cmsg_type != SCM_RIGHTS)
		return passing.result < 0 || request->question == BROKER_PUBLISH ? passing.result : -EMFILE;
	memcpy(&fd, CMSG_DATA(beside), sizeof(fd));
	return fd;
}
