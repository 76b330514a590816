// SPDX-License-Identifier: GPL-2.0-only
/*
 * change_filter_refused ENGINE [TWO TASKS]: filters that cannot be replaced, or not by these ones, and why: the session
 * goes on. The object TWO has two filters, TASKS one that does not tell events apart. Prints TAP.
 */
#include <bpf/bpf.h>
#include <fcntl.h>

#include "changes.h"

static struct sum sum;
static const char *engine;

static struct tprof_filter *opened(const char *name)
{
	struct tprof_error error;
	struct tprof_filter *filter = tprof_filter__open(name, &error);

	if (!filter)
		bail(name, error.text);
	return filter;
}

/* A session of clocks, not prepared. */
static struct tprof_session *session_of(const char *first, const char *second, size_t nr_events)
{
	const struct tprof_event_opts events[] = {
		{ .sz = sizeof(*events), .event = "cpu-clock", .rate_hz = 997 },
		{ .sz = sizeof(*events), .event = "task-clock", .rate_hz = 997 },
	};
	TPROF_OPTS(tprof_session_opts, opts, .engine = engine, .events = events, .nr_events = nr_events);
	struct tprof_session *session = tprof_session__open(&opts, NULL);

	if (!session || tprof_session__add_filter(session, opened(first)) ||
	    (second && tprof_session__add_filter(session, opened(second))))
		bail(first, "no session");
	return session;
}

static struct tprof_session *prepared(const char *first, const char *second)
{
	struct tprof_session *session = session_of(first, second, 1);

	if (tprof_session__prepare(session))
		bail("prepare", tprof_session__error(session));
	return session;
}

static struct tprof_filter *loaded(struct tprof_session *session, const char *name)
{
	struct tprof_filter *filter = opened(name);

	if (tprof_session__load_filter(session, filter))
		bail(name, tprof_session__error(session));
	return filter;
}

/* The call returned @err: the sentence has the text. */
static void refused(struct tprof_session *session, int err, int wanted, const char *text)
{
	const char *said = tprof_session__error(session);

	tell(err == wanted && strstr(said, text), "%s (%s, wanted %s: ... %s ...)", said, strerror(-err),
	     strerror(-wanted), text);
}

static int replace_first(struct tprof_session *session, struct tprof_filter *with)
{
	return tprof_session__replace_filter(session, tprof_session__filter(session, 0), with);
}

/* The session samples, with the first filter. */
static void goes_on(struct tprof_session *session, const char *name, const char *what)
{
	int err = tprof_session__start(session);

	memset(&sum, 0, sizeof(sum));
	tell(!err && !strcmp(tprof_filter__name(tprof_session__filter(session, 0)), name), "%s: %s is called", what,
	     err ? tprof_session__error(session) : name);
	tprof_session__wait(session, 100);
	tell(!tprof_session__stop(session), "%s: stop", what);
	take(session, &sum, what);
	closes(session, &sum, what);
	tprof_session__close(session);
}

static void before_the_start(void)
{
	struct tprof_session *session = session_of("top", NULL, 1);

	refused(session, replace_first(session, opened("stacks")), -EINVAL, "is not prepared");
	refused(session, tprof_session__load_filter(session, opened("stacks")), -EINVAL, "is not prepared");
	goes_on(session, "top", "not prepared");
}

static void filters_of_others(void)
{
	struct tprof_session *session = prepared("top", "comm"), *other = prepared("top", NULL);
	struct tprof_filter *spare = loaded(session, "stacks"), *cpu = loaded(session, "cpu"), *checked = opened("top");
	struct tprof_check check = { .sz = sizeof(check) };
	struct tprof_filter *second = tprof_session__filter(session, 1);

	refused(session, tprof_session__replace_filter(session, spare, cpu), -ENOENT, "is not called by the session");
	refused(session, replace_first(session, second), -EBUSY, "belongs to a session already, which calls it");
	refused(session, replace_first(session, tprof_session__filter(other, 0)), -EBUSY, "belongs to a session");
	refused(session, tprof_session__load_filter(session, second), -EBUSY, "belongs to a session already");
	tprof_filter__check(checked, engine, &check);
	refused(session, replace_first(session, checked), -EBUSY, "has been checked");
	tell(!replace_first(session, spare), "%s", "a filter of its own is taken");
	tell(!replace_first(session, cpu), "%s", "another one, too");
	refused(session, tprof_session__replace_filter(session, second, spare), -EINVAL, "instead of another filter");
	tell(!replace_first(session, spare), "%s", "it can come back to its place");
	tell(!tprof_session__start(session) && tprof_session__filter(session, 0) == spare, "%s", "and is called");
	tprof_session__close(session);
	tprof_session__close(other);
}

static void other_kinds(const char *two, const char *tasks)
{
	struct tprof_session *session = prepared("top", NULL);

	refused(session, replace_first(session, opened("pass")), -EINVAL, "has no table, and cannot replace top");
	if (two)
		refused(session, replace_first(session, opened(two)), -EINVAL, "its object has 2 filters");
	goes_on(session, "top", "other kinds");
	session = prepared("pass", NULL);
	refused(session, replace_first(session, opened("top")), -EINVAL, "has a table, and cannot replace pass");
	tell(!replace_first(session, opened("pass")), "%s", "by one of its kind");
	tell(!tprof_session__start(session), "%s", "it starts");
	tprof_session__close(session);
	session = session_of("top", NULL, 2);
	if (tprof_session__prepare(session))
		bail("two events", tprof_session__error(session));
	if (tasks)
		refused(session, replace_first(session, opened(tasks)), -EINVAL, "does not tell apart the 2 events");
	tell(!replace_first(session, opened("stacks")), "%s", "by one that does");
	goes_on(session, "stacks", "two events");
}

/* The module keeps the state of the threads that wait; for the perf engine, it is in maps of the filter. */
static void waits(void)
{
	TPROF_OPTS(tprof_session_opts, opts, .engine = engine, .event = "off-cpu");
	struct tprof_session *session = tprof_session__open(&opts, NULL);

	if (!session || tprof_session__add_filter(session, opened("top")) || tprof_session__prepare(session))
		bail("waits", "no session");
	if (!strcmp(engine, "kmod")) {
		tell(!replace_first(session, opened("stacks")), "%s", "waits: the new filter takes them over");
		goes_on(session, "stacks", "waits");
		return;
	}
	refused(session, replace_first(session, opened("stacks")), -EOPNOTSUPP, "cannot take over the waits");
	refused(session, tprof_session__load_filter(session, opened("stacks")), -EOPNOTSUPP, "take over the waits");
	goes_on(session, "top", "waits");
}

static void recording(void)
{
	struct tprof_session *session = session_of("raw", NULL, 1);
	int null = open("/dev/null", O_WRONLY);

	tell(!tprof_session__raw_begin(session, null) && !tprof_session__start(session), "%s", "a raw recording");
	refused(session, replace_first(session, opened("raw")), -EBUSY, "writes a raw recording");
	tprof_session__close(session);
	close(null);
}

/* Limits this process, so it is the last one. */
static void in_the_sandbox(void)
{
	struct tprof_session *session = prepared("top", NULL);
	struct tprof_filter *spare = loaded(session, "comm");

	tell(!tprof_session__sandbox(session, NULL), "%s", "the sandbox");
	refused(session, replace_first(session, opened("stacks")), -EPERM, "is in a sandbox and cannot load it");
	tell(!replace_first(session, spare), "%s", "a loaded one is taken there");
	goes_on(session, "comm", "the sandbox");
}

/* A seal forbids it (kmod); a link that another process holds does not prevent it (perf). */
static void sealed(void)
{
	struct tprof_session *session = prepared("top", NULL);
	struct tprof_filter *spare = loaded(session, "comm");

	tell(!tprof_session__seal(session), "%s", "sealed");
	refused(session, replace_first(session, spare), -EPERM, "the session is sealed");
	goes_on(session, "top", "sealed");
}

static void held(void)
{
	struct tprof_session *session = prepared("top", NULL);
	struct tprof_filter *spare = loaded(session, "stacks");
	int fds[1024], nr = 0, err;

	tell(!tprof_session__start(session), "%s", "held: it starts");
	for (__u32 id = 0; nr < 1024 && !bpf_link_get_next_id(id, &id);) {
		fds[nr] = bpf_link_get_fd_by_id(id);
		nr += fds[nr] >= 0;
	}
	memset(&sum, 0, sizeof(sum));
	take(session, &sum, "held");
	err = replace_first(session, spare);
	tell(!err && nr > 0, "%d links are held: %s", nr, err ? tprof_session__error(session) : "replaced");
	tprof_session__wait(session, 100);
	while (nr)
		close(fds[--nr]);
	take(session, &sum, "held");
	tell(!sum.ledger.lost[TPROF_LOST_THROTTLED].samples, "%s", "no event is stopped");
	tell(!tprof_session__stop(session), "%s", "held: stop");
	take(session, &sum, "held");
	closes(session, &sum, "held");
	tprof_session__close(session);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		bail("arguments", "ENGINE [TWO TASKS]");
	engine = argv[1];
	before_the_start();
	filters_of_others();
	other_kinds(argc > 3 ? argv[2] : NULL, argc > 3 ? argv[3] : NULL);
	recording();
	if (!strcmp(engine, "kmod"))
		sealed();
	else
		held();
	waits();
	in_the_sandbox();
	printf("1..%d\n", nr_told);
	return nr_failed > 0;
}
