// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls each function of a session in each state of a session, compares the result with the header, and prints TAP. The
 * first argument is a filter that the verifier refuses.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tprof.h"
#include "tprof_sandbox.h"

/* FAILED: the session could not be started. */
enum state { OPEN, FAILED, RUNNING, STOPPED, NR_STATES };

static const char *const names_of_states[] = { "opened", "not started for a failure", "running", "stopped" };
static int nr_told, nr_failed;

static void __attribute__((format(printf, 2, 3))) tell(bool good, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("%sok %d - ", good ? "" : "not ", ++nr_told);
	vprintf(format, args);
	putchar('\n');
	fflush(stdout);
	va_end(args);
	nr_failed += !good;
}

/* Wrappers that return 0 or -errno for each function -------------------------------------------------------- */

static int words(struct tprof_session *session)
{
	return tprof_session__error(session) && tprof_session__hint(session) ? 0 : -EFAULT;
}

static int add_no_filter(struct tprof_session *session)
{
	return tprof_session__add_filter(session, NULL);
}

static int add_nobody(struct tprof_session *session)
{
	return tprof_session__add_pid(session, 0x7ffffffe);
}

static int add_no_number(struct tprof_session *session)
{
	return tprof_session__add_pid(session, -1);
}

static int epoll_fd(struct tprof_session *session)
{
	return tprof_session__epoll_fd(session) < 0 ? -EBADF : 0;
}

static int targets_gone(struct tprof_session *session)
{
	return tprof_session__targets_gone(session) ? -EFAULT : 0;
}

static int wait_a_moment(struct tprof_session *session)
{
	return tprof_session__wait(session, 1);
}

static int snapshot(struct tprof_session *session)
{
	struct tprof_profile *profile = tprof_session__snapshot(session);
	int err = profile ? 0 : -errno;

	tprof_profile__free(profile);
	return err;
}

#define UNTOUCHED 0x5555555555555555

static int ledger(struct tprof_session *session)
{
	struct tprof_ledger counts = { .sz = sizeof(counts) };
	int err = tprof_session__ledger(session, &counts);

	/* An older caller whose struct ends after the fired samples: the library writes nothing beyond that. */
	memset(&counts, 0x55, sizeof(counts));
	counts.sz = offsetof(struct tprof_ledger, outcomes);
	if (!err && tprof_session__ledger(session, &counts))
		return -EFAULT;
	if (!err && (counts.sz != offsetof(struct tprof_ledger, outcomes) || counts.fired.samples == UNTOUCHED ||
		     counts.outcomes[0].samples != UNTOUCHED))
		return -EFAULT;
	counts.sz = 0;
	return !err && tprof_session__ledger(session, &counts) != -EINVAL ? -EFAULT : err;
}

static int info(struct tprof_session *session)
{
	struct tprof_info is = { .sz = sizeof(is) };
	int err = tprof_session__info(session, &is);

	if (err)
		return err;
	if (!is.engine || !is.event || !is.unit)
		return -EFAULT;
	/* An older caller whose struct ends before the event. */
	is = (struct tprof_info){ .sz = offsetof(struct tprof_info, event), .event = "untouched" };
	if (tprof_session__info(session, &is) || !is.engine || strcmp(is.event, "untouched"))
		return -EFAULT;
	is.sz = 0;
	return tprof_session__info(session, &is) == -EINVAL ? 0 : -EFAULT;
}

static int nothing(void *ctx, const struct tprof_sample *sample)
{
	(void)ctx;
	(void)sample;
	return 0;
}

static int read_samples(struct tprof_session *session)
{
	int nr = tprof_session__read_samples(session, nothing, NULL);

	return nr < 0 ? nr : 0;
}

static int pin_path(struct tprof_session *session)
{
	return tprof_session__pin_path(session) ? 0 : -ENOENT;
}

static int symbolize(struct tprof_session *session)
{
	struct tprof_symbol symbol;
	int err = tprof_session__symbolize(session, getpid(), 0, (uint64_t)(uintptr_t)symbolize, &symbol);

	return err ? err : symbol.name && symbol.object ? 0 : -EFAULT;
}

static int raw_begin(struct tprof_session *session)
{
	return tprof_session__raw_begin(session, STDERR_FILENO);
}

static int raw_end(struct tprof_session *session)
{
	return tprof_session__raw_end(session, NULL);
}

static int sandbox_with_name_alone(struct tprof_session *session)
{
	const struct tprof_sandbox_opts opts = { .sz = sizeof(opts), .name = "name" };

	return tprof_session__sandbox(session, &opts);
}

static int sandbox_with_no_number(struct tprof_session *session)
{
	const struct tprof_sandbox_opts opts = { .sz = sizeof(opts), .command = -1 };

	return tprof_session__sandbox(session, &opts);
}

/* The expected results by state. The session samples all processes; in the state OPEN it has no filter. */
static const struct call {
	const char *name;
	int (*fn)(struct tprof_session *session);
	int wanted[NR_STATES];
} calls[] = {
	{ "error, hint", words, { 0, 0, 0, 0 } },
	{ "add_filter NULL", add_no_filter, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "add_pid of nobody", add_nobody, { -ESRCH, -ESRCH, -EBUSY, -EBUSY } },
	{ "add_pid of what is no number", add_no_number, { -EINVAL, -EINVAL, -EBUSY, -EBUSY } },
	{ "start", tprof_session__start, { -EINVAL, -EBUSY, -EBUSY, -EBUSY } },
	{ "prepare", tprof_session__prepare, { -EINVAL, -EBUSY, -EBUSY, -EBUSY } },
	{ "publish", tprof_session__publish, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "sandbox with a name alone", sandbox_with_name_alone, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "sandbox with what is no number", sandbox_with_no_number, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "stop", tprof_session__stop, { 0, 0, 0, 0 } },
	{ "epoll_fd", epoll_fd, { -EBADF, 1, 0, 0 } },
	{ "dispatch", tprof_session__dispatch, { -EINVAL, -EINVAL, 0, 0 } },
	{ "targets_gone", targets_gone, { 0, 0, 0, 0 } },
	{ "wait", wait_a_moment, { -EINVAL, -EINVAL, 0, 0 } },
	{ "snapshot", snapshot, { -EINVAL, -EINVAL, 0, 0 } },
	{ "ledger", ledger, { -EINVAL, -EINVAL, 0, 0 } },
	{ "info", info, { 0, 0, 0, 0 } },
	{ "read_samples", read_samples, { -EINVAL, -EINVAL, 0, 0 } },
	{ "pin", tprof_session__pin, { -EBUSY, -EBUSY, 1, 1 } },
	{ "pin_path", pin_path, { -ENOENT, -ENOENT, 1, 1 } },
	{ "symbolize", symbolize, { 0, 0, 0, 0 } },
	{ "raw_begin", raw_begin, { -EINVAL, -EBUSY, -EBUSY, -EBUSY } },
	{ "raw_end", raw_end, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
};

#define NR_CALLS (sizeof(calls) / sizeof(*calls))

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
	prepare();
	confine();
	printf("1..%d\n", nr_told);
	return nr_failed ? 1 : 0;
}
