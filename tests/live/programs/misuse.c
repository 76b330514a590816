// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls each function of a session in each state of a session, compares the result with the header, and prints TAP. The
 * first argument is a filter that the verifier refuses.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "misuse_calls.h"
#include "tap.h"
#include "tprof.h"
#include "tprof_sandbox.h"

static void use(struct tprof_session *session, enum state state, const char *why)
{
	for (size_t i = 0; i < NR_CALLS; i++) {
		int wanted = calls[i].wanted[state], got;

		/* These would end the tested state, or depend on the machine. */
		if (wanted > 0 || (state == RUNNING && calls[i].fn == tprof_session__stop))
			continue;
		got = calls[i].fn(session);
		tell(got == wanted && (!got || calls[i].fn == epoll_fd || calls[i].fn == pin_path ||
				       tprof_session__error(session)[0]),
		     "%s%s: %s: %s", names_of_states[state], why, calls[i].name, strerror(-got));
	}
}

/* @pid: 0 for all processes */
static struct tprof_session *open_on(const char *name, pid_t pid)
{
	TPROF_OPTS(tprof_session_opts, opts, .engine = "perf", .event = "cpu-clock", .pids = &pid, .nr_pids = !!pid);
	struct tprof_session *session = tprof_session__open(&opts, NULL);
	struct tprof_filter *filter = name ? tprof_filter__open(name, NULL) : NULL;

	if (!session || (name && (!filter || tprof_session__add_filter(session, filter)))) {
		puts("Bail out! no session");
		_exit(1);
	}
	return session;
}

static struct tprof_session *open_with(const char *name)
{
	return open_on(name, 0);
}

#define MANY_FILES 1024

static void limit_files(int nr)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = (rlim_t)nr;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Calls a function with only @left free descriptors; open descriptors keep their numbers. */
static int call_with(int (*fn)(struct tprof_session *session), struct tprof_session *session, int left)
{
	int taken[MANY_FILES], nr = 0, end = MANY_FILES, err;

	while (fcntl(end - 1, F_GETFD) < 0)
		end--;
	limit_files(end);
	while (nr < MANY_FILES && (taken[nr] = dup(STDIN_FILENO)) >= 0)
		nr++;
	limit_files(end + left);
	err = fn(session);
	limit_files(MANY_FILES);
	while (nr)
		close(taken[--nr]);
	return err;
}

/* Starts sessions with more and more free descriptors, so that each open() fails once, until a start succeeds. */
static void fail_for_files(void)
{
	int err = -EMFILE, nr;

	for (nr = 0; err && nr < MANY_FILES / 2; nr++) {
		struct tprof_session *session = open_with("top");
		char why[64];

		err = call_with(tprof_session__start, session, nr);
		snprintf(why, sizeof(why), " (descriptors: %d)", nr);
		tell(!err || err == -EMFILE, "start%s: %s", why, err ? tprof_session__error(session) : "runs");
		if (err)
			use(session, FAILED, why);
		tprof_session__close(session);
	}
	tell(!err && nr > 10, "start with one descriptor more each time: %d failures, then it runs", nr - 1);
}

static int add_parent(struct tprof_session *session)
{
	return tprof_session__add_pid(session, getppid());
}

/* Adding a process needs one free descriptor, to read its data in /proc; without one it is refused. */
static void add_for_files(void)
{
	struct tprof_session *session = open_on("top", getpid());
	int err = tprof_session__start(session);

	tell(!err, "start on one process: %s", tprof_session__error(session));
	tell(call_with(add_parent, session, 0) == -EMFILE, "running: add_pid (descriptors: 0)");
	tell(tprof_session__hint(session)[0], "running: add_pid (descriptors: 0): what to do");
	tell(!call_with(add_parent, session, 1), "running: add_pid (descriptors: 1): %s",
	     tprof_session__error(session));
	tprof_session__close(session);
}

static void fail_for(const char *name)
{
	struct tprof_session *session = open_with(name);
	int err = tprof_session__start(session);

	tell(err == -EINVAL, "start with a filter that is refused: %s", strerror(-err));
	use(session, FAILED, " (refused)");
	tprof_session__close(session);
}

/* The filter belongs to the session, but can still be queried. */
static void use_filter(struct tprof_filter *filter)
{
	struct tprof_table_info table = { .sz = sizeof(table) };
	struct tprof_param_info param = { .sz = sizeof(param) };
	struct tprof_check check = { .sz = sizeof(check) };

	tell(tprof_filter__set(filter, "idle", "1") == -EBUSY, "loaded: set");
	tell(tprof_filter__set_table_entries(filter, NULL, 10) == -EBUSY, "loaded: set_table_entries");
	tell(tprof_filter__set_stack_frames(filter, 10) == -EBUSY, "loaded: set_stack_frames");
	tell(tprof_filter__check(filter, "perf", &check) < 0, "loaded: check");
	tell(tprof_filter__nr_tables(filter) == 1 && !tprof_filter__table(filter, 0, &table), "loaded: table");
	tell(tprof_filter__table(filter, 1, &table) == -ENOENT, "loaded: table that is none");
	for (size_t i = 0; i < tprof_filter__nr_params(filter); i++)
		tell(!tprof_filter__param(filter, i, &param) && param.value, "loaded: parameter %zu", i);
	tell(tprof_filter__param(filter, tprof_filter__nr_params(filter), &param) == -ENOENT,
	     "loaded: parameter that is none");
	tell(tprof_filter__name(filter) && tprof_filter__path(filter) && tprof_filter__error(filter) &&
	     tprof_filter__hint(filter) && tprof_filter__about(filter), "loaded: words");
}

static void run(void)
{
	struct tprof_session *session = open_with(NULL);
	struct tprof_filter *filter = tprof_filter__open("top", NULL);

	use(session, OPEN, "");
	tprof_session__add_filter(session, filter);
	tell(!tprof_session__start(session), "start after all that: %s", tprof_session__error(session));
	use(session, RUNNING, "");
	use_filter(filter);
	tell(tprof_session__add_filter(session, tprof_filter__open("top", NULL)) == -EBUSY, "running: add_filter");
	tell(!tprof_session__stop(session), "stop");
	use(session, STOPPED, "");
	tell(tprof_session__add_filter(session, tprof_filter__open("top", NULL)) == -EBUSY, "stopped: add_filter");
	tprof_session__close(session);
}

static void warn(void)
{
	struct tprof_session *session = open_with(NULL);
	struct tprof_info is = { .sz = sizeof(is) };

	tprof_session__warn(session, "");
	tell(!tprof_session__info(session, &is) && !is.warnings, "warn: an empty sentence is none");
	tprof_session__warn(session, "one\n\033[31m");
	tprof_session__warn(session, "");
	tprof_session__warn(session, "two\377");
	tell(!tprof_session__info(session, &is) && is.warnings && !strcmp(is.warnings, "one??[31m; two?"),
	     "warn: no control characters: %s", is.warnings ? is.warnings : "none");
	tprof_session__close(session);
}

static void prepare(void)
{
	struct tprof_session *session = open_with("top");
	struct tprof_info is = { .sz = sizeof(is) };

	tell(!tprof_session__prepare(session), "prepare: %s", tprof_session__error(session));
	tell(tprof_session__prepare(session) == -EBUSY, "prepared: prepare");
	tell(tprof_session__dispatch(session) == -EINVAL, "prepared: dispatch");
	tell(snapshot(session) == -EINVAL, "prepared: snapshot");
	tell(ledger(session) == -EINVAL, "prepared: ledger");
	tell(!tprof_session__stop(session), "prepared: stop");
	tell(!tprof_session__start(session), "prepared: start");
	tprof_session__warn(session, "look");
	tell(!tprof_session__info(session, &is) && is.warnings && strstr(is.warnings, "look"), "warn: is in the info");
	tprof_session__close(session);
}

static void *idle(void *until)
{
	pthread_mutex_lock(until);
	return NULL;
}

static int sandbox_beside_a_thread(struct tprof_session *session)
{
	pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread;
	int err;

	pthread_mutex_lock(&held);
	if (pthread_create(&thread, NULL, idle, &held))
		return 0;
	err = tprof_session__sandbox(session, NULL);
	pthread_mutex_unlock(&held);
	pthread_join(thread, NULL);
	return err;
}

/* Must be the last test: a confined process cannot regain its privileges. */
static void confine(void)
{
	struct tprof_session *session = open_with("top"), *other = open_with("top");
	int fd;

	tell(sandbox_beside_a_thread(session) == -EBUSY, "sandbox beside a thread: %s", tprof_session__error(session));
	tell(!tprof_session__sandbox(session, NULL), "sandbox: %s", tprof_session__error(session));
	tell(tprof_session__sandbox(session, NULL) == -EBUSY, "in a sandbox: sandbox");
	tell(tprof_session__publish(session) == -EINVAL, "in a sandbox: publish, without a file");
	tell(tprof_session__pin(session) == -EBUSY, "in a sandbox: pin");
	tell(tprof_session__start(other) < 0, "in a sandbox: another session");
	tell(!tprof_session__start(session), "in a sandbox: start: %s", tprof_session__error(session));
	tell(!wait_a_moment(session) && !snapshot(session) && !ledger(session), "in a sandbox: snapshot");
	tell(!symbolize(session), "in a sandbox: symbolize");
	fd = open("/tmp", O_TMPFILE | O_WRONLY, 0600);
	tell(fd < 0 && (errno == EPERM || errno == EACCES), "in a sandbox: a file to write");
	tprof_session__close(session);
	tprof_session__close(other);
}

static void without_session(void)
{
	TPROF_OPTS(tprof_session_opts, opts, .engine = "none");
	struct tprof_session *session = tprof_session__open(NULL, NULL);

	tell(session, "open with NULL and NULL");
	tprof_session__close(session);
	tell(!tprof_session__open(&opts, NULL) && errno == EINVAL, "open without an engine");
	tell(!tprof_filter__open("none", NULL) && errno == ENOENT, "filter without a file");
	tell(tprof_module__each("none", NULL, NULL, NULL) == -EINVAL, "no such list of the module");
	tell(!tprof_outcome__name(99) && !tprof_lost_reason__name(99) && !tprof_lost_reason__text(99) &&
	     !tprof_counting__name(99), "names of what there is not");
	tell(tprof_mode__name(99), "name of a mode that there is not");
	tprof_session__close(NULL);
	tprof_filter__free(NULL);
	tprof_profile__free(NULL);
	tell(true, "close and free NULL");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	without_session();
	run();
	fail_for(argv[1]);
	fail_for_files();
	add_for_files();
	warn();
	prepare();
	confine();
	printf("1..%d\n", nr_told);
	return nr_failed ? 1 : 0;
}
