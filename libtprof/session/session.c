// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The life of a session: open, prepare, dispatch, close. */
#include "session.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/libbpf_log.h"
#include "base/sized.h"
#include "filter/filter.h"
#include "handover.h"
#include "host/proc.h"

/* The time between two looks for CPUs that came online; ticks of the timer may come more often. */
#define FOLLOW_NS 900000000ULL

static int no_memory(struct tprof_error *error)
{
	return error_set(error, ENOMEM, "session: not enough memory");
}

int session_create_objects(struct tprof_session *session, const struct tprof_session_opts *known,
			   struct tprof_error *error)
{
	session->dsos = dsos_new(&session->log);
	session->aspaces = session->dsos ? aspaces_new(session->dsos, &session->log) : NULL;
	session->symbolizer = session->aspaces ? symbolizer_new(session->aspaces, &session->log) : NULL;
	if (session->symbolizer && (known->lines || known->inlines)) {
		dsos_want_lines(session->dsos);
		symbolizer_want(session->symbolizer, known->lines, known->inlines);
	}
	session->collector.aspaces = session->aspaces;
	session->collector.symbolizer = session->symbolizer;
	session->collector.cgroups = cgroups_new();
	session->collector.stacks = stacks_new();
	session->copies = copies_new();
	if (!session->symbolizer || !session->collector.cgroups || !session->collector.stacks || !session->copies)
		return no_memory(error);
	if (!known->debuginfod_ms)
		return 0;
	session->debug_server = debug_server_new(known->debuginfod_ms, &session->log, error);
	dsos_ask(session->dsos, session->debug_server);
	return session->debug_server ? 0 : -errno;
}

/* libbpf caches the number of possible CPUs, so later calls cannot fail. */
static int count_cpus(struct tprof_error *error)
{
	struct libbpf_log said;
	int nr;

	libbpf_log_begin(&said, NULL);
	nr = libbpf_num_possible_cpus();
	libbpf_log_end(&said);
	if (nr > 0)
		return 0;
	error_set(error, -nr, "the CPUs of this machine cannot be counted: %s", strerror(-nr));
	error_hint_files(error, -nr);
	return nr;
}

struct tprof_session *session_new(const struct tprof_session_opts *known, struct tprof_error *error)
{
	struct tprof_session *session = calloc(1, sizeof(*session));
	int err;

	if (!session) {
		errno = -no_memory(error);
		return NULL;
	}
	session->words = calloc(1, sizeof(*session->words));
	session->epoll_fd = session->timer_fd = -1;
	session->log = (struct log){ .fn = known->log, .ctx = known->log_ctx };
	session->collector.rows = known->tables;
	err = session->words ? proc_require(error) : no_memory(error);
	if (!err)
		err = count_cpus(error);
	if (!err)
		return session;
	tprof_session__close(session);
	errno = -err;
	return NULL;
}

struct tprof_session *tprof_session__open(const struct tprof_session_opts *opts, struct tprof_error *error)
{
	const struct tprof_session_opts defaults = { .sz = sizeof(defaults) };
	struct tprof_session_opts known = defaults;
	struct tprof_session *session;
	int err;

	err = opts ? sized_error(error, sized_take(&known, sizeof(known), opts), "session options") : 0;
	if (err) {
		errno = -err;
		return NULL;
	}
	session = session_new(&known, error);
	if (!session)
		return NULL;
	err = session_configure(session, &known, error);
	if (!err)
		err = session_create_objects(session, &known, error);
	if (!err)
		return session;
	tprof_session__close(session);
	errno = -err;
	return NULL;
}

static void free_filters(struct filter_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		tprof_filter__free(list->all[i]);
	free(list->all);
}

void tprof_session__close(struct tprof_session *session)
{
	/* A copy shares the events, the pins and the broker with the session of the parent. */
	if (!session || session_check_process(session))
		return;
	/* Others may continue it. */
	if (!session->handover)
		tprof_session__stop(session);
	pin_remove(session);
	/* Freed before the objects that it inherited by fork: its copies keep them open. */
	broker_free(session->broker);
	if (session->ops && session->engine)
		session->ops->close(session->engine);
	sideband_close(session->sideband);
	program_barrier_fini(&session->barrier);
	copies_free(session->copies);
	free_filters(&session->filters);
	free_filters(&session->spares);
	collector_fini(&session->collector);
	cgroups_free(session->collector.cgroups);
	symbolizer_free(session->symbolizer);
	aspaces_free(session->aspaces);
	dsos_free(session->dsos);
	debug_server_free(session->debug_server);
	scope_release(session);
	cpus_release(&session->sampling.cpus);
	if (session->timer_fd >= 0)
		close(session->timer_fd);
	if (session->epoll_fd >= 0)
		close(session->epoll_fd);
	handover_free(session);
	free(session->words);
	free(session);
}

const char *tprof_session__error(const struct tprof_session *session)
{
	return session->error.text;
}

const char *tprof_session__hint(const struct tprof_session *session)
{
	return session->error.hint;
}

static int add_to_epoll(const struct tprof_session *session, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(session->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/*
 * One-shot, because dispatching does not read the samples: those present must not wake the client again before it has
 * read them.
 */
int session_watch_samples(const struct tprof_session *session, int operation)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT };

	return epoll_ctl(session->epoll_fd, operation, session->ops->samples_fd(session->engine), &event) ? -errno : 0;
}

/*
 * Fetches one-shot and edge-triggered events (kept samples, copies). They keep the session's file descriptor readable
 * until epoll_wait() returns them, and a client that polls this descriptor never calls epoll_wait() on it.
 */
static void take_note(const struct tprof_session *session)
{
	struct epoll_event events[32];

	epoll_wait(session->epoll_fd, events, sizeof(events) / sizeof(events[0]), 0);
}

int session_set_timer(struct tprof_session *session)
{
	unsigned int interval_ms = session_collect_interval_ms(session);
	unsigned int tick_ms = interval_ms < 1000 ? interval_ms : 1000;
	unsigned int first_ms = session->adapt_ms && session->adapt_ms < tick_ms ? session->adapt_ms : tick_ms;
	const struct itimerspec when = {
		.it_interval = { tick_ms / 1000, tick_ms % 1000 * 1000000 },
		.it_value = { first_ms / 1000, first_ms % 1000 * 1000000 },
	};

	session->collect_interval_ns = interval_ms * 1000000ULL;
	return timerfd_settime(session->timer_fd, 0, &when, NULL) ? -errno : 0;
}

static int make_loop(struct tprof_session *session)
{
	int err;

	session->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	session->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (session->epoll_fd < 0 || session->timer_fd < 0 || session_set_timer(session))
		return error_set(&session->error, errno, "session: %s", strerror(errno));
	err = add_to_epoll(session, session->timer_fd);
	if (!err)
		err = sideband_epoll_add(session->sideband, session->epoll_fd);
	if (!err)
		err = session_watch_samples(session, EPOLL_CTL_ADD);
	if (!err)
		err = copies_epoll_add(session->copies, session->epoll_fd);
	targets_reap(&session->targets, session->epoll_fd);
	return err ? error_set(&session->error, -err, "session: %s", strerror(-err)) : 0;
}

static void note_program(void *ctx, const char *name, uint64_t start, uint64_t length, bool gone)
{
	const struct tprof_session *session = ctx;

	symbolizer_program(session->symbolizer, name, start, length, gone);
}

static int prepare(struct tprof_session *session)
{
	int err = 0;

	session_name_events(session);
	session_choose_entries(session);
	for (size_t i = 0; i < session->filters.nr && !err; i++)
		err = session_check_events(session, session->filters.all[i],
					   session->filters.all[i]->place.makes_entries);
	if (!err)
		err = session_load_filters(session);
	if (!err)
		err = session_open_sideband(session);
	/*
	 * After the side-band is open: a process that is forked while the engine looks for descendants is reported by
	 * events.
	 */
	if (!err)
		err = scope_load(session);
	return err ? err : session_attach_readers(session);
}

int session_open_sideband(struct tprof_session *session)
{
	struct sideband_listener listener = scope_listener(session);

	listener.program = note_program;
	if (session->sampling.object.pidns_ino) {
		log_warn(&session->log, "tprof runs in a pid namespace of its own: process ids are those of the "
			 "initial namespace, and functions have no names (containers: --pid=host)");
		aspaces_blind(session->aspaces);
	}
	session->sideband = sideband_open(session->aspaces, &listener, &session->log, &session->error);
	return session->sideband ? 0 : errno ? -errno : -EPERM;
}

int session_attach_readers(struct tprof_session *session)
{
	int err = program_barrier_prepare(&session->barrier);
	struct tprof_profile *profile;

	if (err)
		return error_set(&session->error, -err, "a BPF map cannot be created: %s", strerror(-err));
	symbolizer_prepare(session->symbolizer);
	profile = session_new_profile(session);
	if (!profile)
		return no_memory(&session->error);
	session_set_profile(session, profile);
	return make_loop(session);
}

int tprof_session__prepare(struct tprof_session *session)
{
	int err = session_check_process(session);

	if (err)
		return err;
	if (session->state != SESSION_OPEN || session->engine)
		return error_set(&session->error, EBUSY, "session: has been %s already",
				 session->state < SESSION_RUNNING ? "prepared" : "started");
	if (!session->filters.nr) {
		error_set(&session->error, EINVAL, "session: has no filter to run");
		error_hint(&session->error, "tprof_filter__open(\"top\", ...)");
		return -EINVAL;
	}
	session->owner = getpid();
	err = prepare(session);
	if (err)
		return err;
	session_note_neighbours(session);
	session->state = SESSION_PREPARED;
	return 0;
}

int tprof_session__epoll_fd(const struct tprof_session *session)
{
	return session->epoll_fd;
}

int tprof_session__dispatch(struct tprof_session *session)
{
	uint64_t ticks;
	int err;

	err = session_check_started(session, "session:");
	if (err)
		return err;
	/* First, so that later events are reported again. */
	take_note(session);
	err = sideband_drain(session->sideband);
	if (err < 0)
		return error_set(&session->error, -err, "side-band events cannot be read: %s", strerror(-err));
	targets_reap(&session->targets, session->epoll_fd);
	if (copies_are_many(session->copies) && session->state == SESSION_RUNNING) {
		err = session_collect(session);
		if (err)
			return err;
	}
	if (read(session->timer_fd, &ticks, sizeof(ticks)) != sizeof(ticks) || session->state != SESSION_RUNNING)
		return 0;
	if (clock_own_ns() - session->followed_ns >= FOLLOW_NS) {
		session->followed_ns = clock_own_ns();
		session_follow_cpus(session);
	}
	symbolizer_look(session->symbolizer);
	/* The next tick would be too late. */
	if (session->collected_ns + session->collect_interval_ns < clock_own_ns() + 1000000000ULL)
		err = session_collect(session);
	return err < 0 ? err : session_adapt_periods(session);
}

int tprof_session__wait(struct tprof_session *session, int timeout_ms)
{
	uint64_t end_ns = clock_own_ns() + (uint64_t)timeout_ms * 1000000ULL;
	struct epoll_event event;
	int err = session_check_started(session, "session:");

	if (err)
		return err;
	if (timeout_ms < 0) {
		error_set(&session->error, EINVAL, "session: cannot wait for %d ms", timeout_ms);
		error_hint(&session->error, "call it in a loop to wait without an end");
		return -EINVAL;
	}
	for (;;) {
		uint64_t now_ns = clock_own_ns();
		int ready;

		if (now_ns >= end_ns)
			return 0;
		ready = epoll_wait(session->epoll_fd, &event, 1, (int)((end_ns - now_ns + 999999) / 1000000));
		if (ready < 0)
			return error_set(&session->error, errno, "session: waiting failed: %s", strerror(errno));
		err = ready ? tprof_session__dispatch(session) : 0;
		if (err)
			return err;
	}
}

int tprof_session__info(const struct tprof_session *session, struct tprof_info *info)
{
	const struct sampling *sampling = &session->sampling;
	const struct sampled_event *first = &sampling->events[0];
	const struct tprof_info known = {
		.engine = session->ops->name,
		.event = first->event.name,
		.unit = first->event.unit,
		.fallback = sampling->fallback[0] ? sampling->fallback : NULL,
		.rate_hz = first->rate_hz,
		.period = session->engine ? session->ops->period(session->engine, 0) : first->period,
		.nr_cpus = (unsigned int)sampling->cpus.nr,
		.nr_online = sampling->cpus.nr_online,
		.warnings = session_warnings(session),
	};

	return sized_give(info, &known, sizeof(known));
}

int tprof_session__symbolize(struct tprof_session *session, pid_t tgid, uint32_t exec_id, uint64_t ip,
			     struct tprof_symbol *symbol)
{
	return symbolizer_resolve(session->symbolizer, tgid, exec_id, ip, symbol);
}
