// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The sandbox of a session: the broker, then the limits of this process, in an order in which each step still permits
 * the next one.
 */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sized.h"
#include "elf/debug_server.h"
#include "host/proc.h"
#include "process/sideband_rings.h"
#include "rights/sandbox_calls.h"
#include "rights/sandbox_files.h"
#include "rights/sandbox_rights.h"
#include "session.h"
#include "tprof_sandbox.h"

static bool is_in_group(gid_t gid)
{
	gid_t groups[256];
	int nr = getgroups(sizeof(groups) / sizeof(groups[0]), groups);

	for (int i = 0; i < nr; i++)
		if (groups[i] == gid)
			return true;
	return getegid() == gid;
}

/*
 * True if a mountinfo line of a mount at /proc hides processes. Members of the gid= group see all, except with
 * hidepid=ptraceable.
 */
static bool hides(const char *line)
{
	const char *options = strstr(line, " - proc "), *group;

	if (!options || !strstr(options, "hidepid="))
		return false;
	group = strstr(options, "gid=");
	return strstr(options, "hidepid=ptraceable") || strstr(options, "hidepid=4") ||
	       !is_in_group(group ? (gid_t)strtoul(group + 4, NULL, 10) : 0);
}

bool sandbox_is_proc_hiding(void)
{
	struct proc_text text = { 0 };
	bool is_hiding = false;
	char *lines, *line;

	if (!proc_read(&text, "self/mountinfo") && text.size) {
		lines = text.text;
		/* The last mount on /proc is the visible one. */
		while ((line = strsep(&lines, "\n"))) {
			int end = 0;

			if (!sscanf(line, "%*u %*u %*s %*s /proc %n", &end) && end)
				is_hiding = hides(line);
		}
	}
	proc_text_fini(&text);
	return is_hiding;
}

/* Landlock ABI that restricts truncation; before, opening a file could truncate it. */
#define LANDLOCK_SEES_TRUNCATION 3

/* A joined thread stays visible for a moment. */
#define THREAD_TRIES 200
#define THREAD_WAIT_NS 1000000

/* The link count of a directory in /proc is its number of entries: ".", ".." and one for each thread. */
static bool has_other_threads(void)
{
	const struct timespec wait = { .tv_nsec = THREAD_WAIT_NS };
	struct stat st;

	for (int tries = 0; tries < THREAD_TRIES; tries++) {
		if (stat("/proc/self/task", &st) || st.st_nlink <= 3)
			return false;
		nanosleep(&wait, NULL);
	}
	return true;
}

/* More than any client needs; the cache of downloaded debug files may be added. */
#define MAX_WRITABLE 63

static int check_directory(const char *directory, struct tprof_error *error)
{
	int fd = directory ? open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	int err = directory ? errno : EINVAL;

	if (fd < 0) {
		error_set(error, err, "sandbox: %s: %s", directory ? directory : "writable",
			  directory ? strerror(err) : "a directory is NULL");
		error_hint(error, "give directories that exist, below which the process may write");
		return -err;
	}
	close(fd);
	return 0;
}

static int check_directories(const struct tprof_sandbox_opts *opts, struct tprof_error *error)
{
	int err = 0;

	if (opts->nr_writable > MAX_WRITABLE)
		return error_set(error, EINVAL, "sandbox: %zu directories are too many, the maximum is %d",
				 opts->nr_writable, MAX_WRITABLE);
	if (opts->nr_writable && !opts->writable)
		return error_set(error, EINVAL, "sandbox: writable is NULL, but nr_writable is %zu",
				 opts->nr_writable);
	for (size_t i = 0; i < opts->nr_writable && !err; i++)
		err = check_directory(opts->writable[i], error);
	return err;
}

static int check(struct tprof_session *session, const struct tprof_sandbox_opts *opts)
{
	struct tprof_error *error = &session->error;
	int err = session_check_process(session);

	if (err)
		return err;
	if (session->broker)
		return error_set(error, EBUSY, "sandbox: the session is already in a sandbox");
	if (opts->name && !opts->temporary)
		return error_set(error, EINVAL, "sandbox: %s: no temporary file is given to rename to it", opts->name);
	if (opts->command < 0)
		return error_set(error, EINVAL, "sandbox: %d is not a process id", opts->command);
	err = check_directories(opts, error);
	if (err)
		return err;
	if (has_other_threads()) {
		error_set(error, EBUSY, "sandbox: the process has other threads, which would keep their privileges");
		error_hint(error, "enter the sandbox before starting threads");
		return -EBUSY;
	}
	return session->state == SESSION_OPEN ? tprof_session__prepare(session) : 0;
}

static int make_broker(struct tprof_session *session, const struct tprof_sandbox_opts *opts)
{
	const struct event *events[TPROF_EVENTS_MAX];
	struct broker_duties duties = {
		.temporary = opts->temporary, .name = opts->name, .pins = session->pin_path,
	};

	if (session->ops->use_broker) {
		duties.events = events;
		duties.nr_events = session->sampling.nr_events;
		for (size_t e = 0; e < duties.nr_events; e++)
			events[e] = &session->sampling.events[e].event;
	}
	session->broker = broker_new(&duties, &session->log);
	if (!session->broker)
		return error_set(&session->error, errno, "sandbox: the broker process cannot be started: %s",
				 strerror(errno));
	dsos_use_broker(session->dsos, session->broker);
	symbolizer_use_broker(session->symbolizer, session->broker);
	sideband_use_broker(session->sideband, session->broker);
	if (session->ops->use_broker)
		session->ops->use_broker(session->engine, session->broker);
	return 0;
}

/* The configuration of all limits. */
struct limits {
	struct sandbox_files files;
	struct sandbox_calls calls;
	unsigned int tasks;
	const char *writable[MAX_WRITABLE + 1];
	char cache[4096];
};

/* Fills in the limits. The cache of downloaded debug files is writable too. */
static void plan(struct tprof_session *session, const struct tprof_sandbox_opts *opts, struct limits *limits)
{
	bool network = opts->network || session->debug_server;
	size_t nr = opts->nr_writable;

	if (nr)
		memcpy(limits->writable, opts->writable, nr * sizeof(limits->writable[0]));
	if (session->debug_server && debug_server_cache(limits->cache, sizeof(limits->cache)))
		limits->writable[nr++] = limits->cache;
	limits->files = (struct sandbox_files){
		.writable = limits->writable, .nr_writable = nr, .network = network, .signals = opts->command,
	};
	limits->calls = (struct sandbox_calls){
		.broker_fd = broker_fd(session->broker), .command = opts->command, .writes = nr, .network = network,
		.attaches = session->ops->use_broker,
	};
	limits->tasks = SANDBOX_NAMING | (opts->command ? SANDBOX_COMMAND : 0) |
			(session->ops == &engine_kmod ? SANDBOX_MODULE : 0);
}

static int failed(struct tprof_session *session, const char *what, int err)
{
	return error_set(&session->error, -err, "sandbox: %s: %s", what, strerror(-err));
}

/*
 * Sets the limit of locked memory to what the side-band rings need. Without the capability to raise it, rings are
 * smaller.
 */
static void allow_rings(void)
{
	const rlim_t bytes = 2 * (rlim_t)SIDEBAND_ALL_PAGES * (rlim_t)sysconf(_SC_PAGESIZE);
	const struct rlimit limit = { .rlim_cur = bytes, .rlim_max = bytes };

	setrlimit(RLIMIT_MEMLOCK, &limit);
}

/* Applies the limits. Those that the kernel lacks are skipped and reported. */
static int enter(struct tprof_session *session, struct limits *limits)
{
	int err = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
	bool hides = sandbox_is_proc_hiding(), has_filters = true, has_landlock;
	char rights[256];

	if (err)
		return failed(session, "no_new_privs", err);
	if (hides)
		limits->tasks |= SANDBOX_HIDDEN;
	err = hides ? -EOPNOTSUPP : sandbox_limit_files(&limits->files);
	has_landlock = !err;
	limits->calls.opens_as_told = has_landlock && sandbox_landlock_version() >= LANDLOCK_SEES_TRUNCATION;
	if (err && err != -EOPNOTSUPP)
		return failed(session, "Landlock", err);
	allow_rings();
	err = sandbox_keep_rights(limits->tasks);
	if (err)
		return failed(session, "capabilities", err);
	err = sandbox_limit_calls(&limits->calls);
	if (err == -EOPNOTSUPP) {
		tprof_session__warn(session, "the kernel has no seccomp filters: the sandbox refuses no system calls");
		has_filters = false;
	} else if (err) {
		return failed(session, "seccomp", err);
	}
	sandbox_rights_text(limits->tasks, rights, sizeof(rights));
	log_info(&session->log, "sandbox: %s, %s; remaining capabilities: %s",
		 has_filters ? "seccomp" : "no seccomp", has_landlock ? "Landlock" : "no Landlock",
		 rights);
	return 0;
}

int tprof_session__sandbox(struct tprof_session *session, const struct tprof_sandbox_opts *opts)
{
	const struct tprof_sandbox_opts defaults = { .sz = sizeof(defaults) };
	struct tprof_sandbox_opts known = defaults;
	struct limits limits = { 0 };
	int err;

	err = opts ? sized_error(&session->error, sized_take(&known, sizeof(known), opts), "sandbox options") : 0;
	if (!err)
		err = check(session, &known);
	if (!err)
		err = make_broker(session, &known);
	if (err)
		return err;
	plan(session, &known, &limits);
	return enter(session, &limits);
}

int tprof_session__publish(struct tprof_session *session)
{
	const struct broker_request request = { .question = BROKER_PUBLISH };
	int err = session->broker ? broker_ask(session->broker, &request) : -EINVAL;

	/* EPIPE would be taken for that of a closed output pipe, so ECHILD takes its place. */
	if (err == -EPIPE)
		return error_set(&session->error, ECHILD,
				 "the temporary file cannot be renamed: the broker process has exited");
	return err ? error_set(&session->error, -err, "the temporary file cannot be renamed: %s", strerror(-err)) : 0;
}
