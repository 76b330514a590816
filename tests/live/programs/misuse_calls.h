/* SPDX-License-Identifier: GPL-2.0-only */
/* The calls of misuse.c: each function of a session, with the result that its header promises in each state. */
#ifndef TPROF_MISUSE_CALLS_H
#define TPROF_MISUSE_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "tprof.h"
#include "tprof_sandbox.h"

/* FAILED: the session could not be started. */
enum state { OPEN, FAILED, RUNNING, STOPPED, NR_STATES };

static const char *const names_of_states[] = { "opened", "not started for a failure", "running", "stopped" };

/* Wrappers that return 0 or -errno for each function -------------------------------------------------------- */

static int words(struct tprof_session *session)
{
	return tprof_session__error(session) && tprof_session__hint(session) ? 0 : -EFAULT;
}

static int add_no_filter(struct tprof_session *session)
{
	return tprof_session__add_filter(session, NULL);
}

static int load_no_filter(struct tprof_session *session)
{
	return tprof_session__load_filter(session, NULL);
}

static int replace_by_no_filter(struct tprof_session *session)
{
	return tprof_session__replace_filter(session, tprof_session__filter(session, 0), NULL);
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

static int wait_for_less_than_nothing(struct tprof_session *session)
{
	int err = tprof_session__wait(session, -1);

	/* Milliseconds that overflow when they are converted to nanoseconds. */
	return tprof_session__wait(session, INT_MIN) == err ? err : -EFAULT;
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

static int sandbox_below(struct tprof_session *session, const char *const *directories, size_t nr)
{
	const struct tprof_sandbox_opts opts = { .sz = sizeof(opts), .writable = directories, .nr_writable = nr };

	return tprof_session__sandbox(session, &opts);
}

static int sandbox_with_lost_lists(struct tprof_session *session)
{
	static const char *const lost[64];
	int err = sandbox_below(session, NULL, 1);

	return sandbox_below(session, lost, 1) == err && sandbox_below(session, lost, 64) == err ? err : -EFAULT;
}

static int sandbox_with_no_directory(struct tprof_session *session)
{
	static const char *const nowhere[] = { "/tmp", "/nowhere" };
	int err = sandbox_below(session, nowhere, 2);

	return strstr(tprof_session__error(session), "/nowhere") ? err : -EFAULT;
}

static int remove_nobody(struct tprof_session *session)
{
	return tprof_session__remove_pid(session, 1 << 30);
}

static int remove_no_thread(struct tprof_session *session)
{
	return tprof_session__remove_tid(session, 1 << 30);
}

static int remove_no_cgroup(struct tprof_session *session)
{
	return tprof_session__remove_cgroup(session, "nowhere");
}

static int add_no_thread(struct tprof_session *session)
{
	return tprof_session__add_tid(session, 1 << 30);
}

static int clear(struct tprof_session *session)
{
	return tprof_session__clear(session, NULL);
}

static int clear_without_size(struct tprof_session *session)
{
	struct tprof_ledger ledger = { 0 };

	return tprof_session__clear(session, &ledger);
}

static int filter_state(struct tprof_session *session)
{
	struct tprof_filter_state state = { .sz = sizeof(state) };

	return tprof_session__filter_state(session, 0, &state);
}

static int set_no_rate(struct tprof_session *session)
{
	return tprof_session__set_rate(session, 0, 0);
}

static int set_high_rate(struct tprof_session *session)
{
	return tprof_session__set_rate(session, 0, TPROF_RATE_HZ_MAX + 1);
}

static int set_rate_of_no_event(struct tprof_session *session)
{
	return tprof_session__set_rate(session, 1, 99);
}

static int set_no_period(struct tprof_session *session)
{
	return tprof_session__set_period(session, 0, 0);
}

static int set_short_period(struct tprof_session *session)
{
	return tprof_session__set_period(session, 0, 9999);
}

static int set_long_period(struct tprof_session *session)
{
	return tprof_session__set_period(session, 0, UINT64_MAX);
}

/* The expected results by state. The session samples all processes; in the state OPEN it has no filter. */
static const struct call {
	const char *name;
	int (*fn)(struct tprof_session *session);
	int wanted[NR_STATES];
} calls[] = {
	{ "error, hint", words, { 0, 0, 0, 0 } },
	{ "add_filter NULL", add_no_filter, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "load_filter NULL", load_no_filter, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "replace_filter by NULL", replace_by_no_filter, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "add_pid of nobody", add_nobody, { -ESRCH, -ESRCH, -EBUSY, -EBUSY } },
	{ "add_pid of what is no number", add_no_number, { -EINVAL, -EINVAL, -EBUSY, -EBUSY } },
	{ "start", tprof_session__start, { -EINVAL, -EBUSY, -EBUSY, 1 } },
	{ "prepare", tprof_session__prepare, { -EINVAL, -EBUSY, -EBUSY, -EBUSY } },
	{ "publish", tprof_session__publish, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "sandbox with a name alone", sandbox_with_name_alone, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "sandbox with what is no number", sandbox_with_no_number, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "sandbox with lost lists", sandbox_with_lost_lists, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "sandbox with no directory", sandbox_with_no_directory, { -ENOENT, -ENOENT, -ENOENT, -ENOENT } },
	{ "stop", tprof_session__stop, { 0, 0, 0, 0 } },
	{ "remove_pid of nobody", remove_nobody, { -ENOENT, -ENOENT, -ENOENT, -ENOENT } },
	{ "remove_tid of nobody", remove_no_thread, { -ENOENT, -ENOENT, -ENOENT, -ENOENT } },
	{ "remove_cgroup of none", remove_no_cgroup, { -ENOENT, -ENOENT, -ENOENT, -ENOENT } },
	{ "add_tid of nobody", add_no_thread, { -ESRCH, -ESRCH, -EBUSY, -EBUSY } },
	{ "flush", tprof_session__flush, { -EINVAL, -EINVAL, 0, 0 } },
	{ "clear", clear, { -EINVAL, -EINVAL, 0, 0 } },
	{ "clear without a size", clear_without_size, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "filter_state", filter_state, { -EINVAL, 1, -EOPNOTSUPP, -EOPNOTSUPP } },
	{ "pause", tprof_session__pause, { -EINVAL, -EINVAL, 1, -EBUSY } },
	{ "resume", tprof_session__resume, { -EINVAL, -EINVAL, 0, -EBUSY } },
	{ "set_rate 0", set_no_rate, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "set_rate too high", set_high_rate, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "set_rate of no event", set_rate_of_no_event, { -ENOENT, -ENOENT, -ENOENT, -ENOENT } },
	{ "set_period 0", set_no_period, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "set_period too short", set_short_period, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "set_period too long", set_long_period, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
	{ "epoll_fd", epoll_fd, { -EBADF, 1, 0, 0 } },
	{ "dispatch", tprof_session__dispatch, { -EINVAL, -EINVAL, 0, 0 } },
	{ "targets_gone", targets_gone, { 0, 0, 0, 0 } },
	{ "seal", tprof_session__seal, { -EINVAL, 1, -EOPNOTSUPP, -EOPNOTSUPP } },
	{ "enable_filters", tprof_session__enable_filters, { -EINVAL, 1, 0, 0 } },
	{ "wait", wait_a_moment, { -EINVAL, -EINVAL, 0, 0 } },
	{ "wait for less than nothing", wait_for_less_than_nothing, { -EINVAL, -EINVAL, -EINVAL, -EINVAL } },
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

#endif
