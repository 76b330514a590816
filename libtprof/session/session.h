/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A session: one engine, its filters, and everything needed to symbolize what they count.
 *
 *	OPEN --prepare--> PREPARED --start--> RUNNING --stop--> STOPPED --start--> RUNNING
 *	RUNNING --pause--> PAUSED --resume--> RUNNING		PAUSED --stop--> STOPPED
 *
 * session.c makes the first transition, session_run.c all others. session_filters.c has the filters. session_collect()
 * drains the tables and symbolizes their content: at each snapshot, and by a timer before they can fill up.
 */
#ifndef TPROF_SESSION_H
#define TPROF_SESSION_H

#include "collect.h"
#include "engine/engine.h"
#include "filter/program_barrier.h"
#include "host/targets.h"
#include "process/sideband.h"
#include "stack/copies.h"

/* Sentences separated by "; ". */
struct session_words {
	char said[1024];			/* warnings of the client and the session itself */
	char all[8192];				/* the former and the warnings on names, as of the last request */
};

enum session_state {
	SESSION_OPEN,
	SESSION_PREPARED,
	SESSION_RUNNING,
	SESSION_PAUSED,
	SESSION_STOPPED,
};

struct filter_list {
	struct tprof_filter **all;
	size_t nr, capacity;
};

struct tprof_session {
	struct debug_server *debug_server;	/* NULL: no debug server is used */
	struct broker *broker;			/* NULL: not in a sandbox */
	struct session_words *words;
	struct tprof_error error;
	struct log log;
	enum session_state state;
	pid_t owner;				/* the process that prepared it; 0: not prepared */
	struct sampling sampling;
	const struct engine_ops *ops;
	struct engine *engine;
	struct filter_list filters;		/* called for each sample, in this order */
	struct filter_list spares;		/* loaded; see session_filters.c */
	struct targets targets;			/* passed to the engine at the start */
	struct dsos *dsos;
	struct aspaces *aspaces;
	struct symbolizer *symbolizer;
	struct sideband *sideband;
	struct collector collector;
	struct copies *copies;
	struct program_barrier barrier;
	bool stream_taken;			/* the client reads the kept samples itself */
	int epoll_fd, timer_fd;
	uint64_t started_ns, stopped_ns, snapshot_ns, settled_ns;	/* clock_now_ns() */
	uint64_t adapting_ns;		/* clock_own_ns() when periods were last adapted */
	uint64_t adapted_ns[TPROF_EVENTS_MAX];	/* the same for each event */
	unsigned int adapt_ms;		/* time until the next adaptation */
	double first_samples[TPROF_EVENTS_MAX];	/* on the busiest CPU, while the periods are adapted more often */
	uint64_t halted_ns;			/* since the last snapshot: paused or stopped, up to the last start */
	uint64_t settled_halted_ns;		/* halted_ns at settled_ns */
	uint64_t unreported;			/* samples that former users have read, and not reported */
	uint64_t collected_ns;			/* clock_own_ns() */
	uint64_t collect_interval_ns;		/* maximum between two drains */
	uint64_t sideband_lost[2];		/* at the last two readings of the tables, the latest first */
	bool unread;				/* generations were swapped and not yet read completely */
	struct tprof_ledger settled;		/* the ledger at the last swap, which was at settled_ns */
	struct tprof_ledger settled_events[TPROF_EVENTS_MAX];	/* the same for each event */
	struct tprof_ledger cleared;		/* the ledger at the last tprof_session__clear() */
	struct tprof_ledger reported;		/* the ledger of the last snapshot */
	struct tprof_ledger reported_events[TPROF_EVENTS_MAX];	/* the same for each event */
	struct tprof_ledger watched;		/* the ledger at the last check of session_watch_missed() */
	char neighbours[256];			/* other BPF programs that ran while samples were missed; or empty */
	char first_neighbours[256];	/* other BPF programs that ran at the start; or empty */
	bool neighbours_unseen;			/* the list of BPF programs cannot be read */
	bool warned_missed;
	bool warned_cpus;
	uint64_t followed_ns;			/* clock_own_ns(): when session_follow_cpus() was last called */
	uint32_t warned_factor;		/* the largest that was logged */
	uint64_t counted_kept;			/* samples counted in profiles because the client did not read them */
	char *pin_path;
	struct handover_mapped *handover;	/* NULL: no other process can have it */
};

/*
 * session.c: a session without events. The options are checked by the caller. NULL and errno, with a sentence. Frees
 * nothing that the caller must free after an error: tprof_session__close() does.
 */
struct tprof_session *session_new(const struct tprof_session_opts *known, struct tprof_error *error);
/* Creates the objects that symbolize. They do not involve the kernel yet. 0 or -errno, with a sentence. */
int session_create_objects(struct tprof_session *session, const struct tprof_session_opts *known,
			   struct tprof_error *error);
/* The side-band, and what reads the filters that are attached. 0 or -errno, with a sentence. */
int session_open_sideband(struct tprof_session *session);
int session_attach_readers(struct tprof_session *session);

/*
 * session_check.c: 0, or -EBUSY with a sentence. A prepared session belongs to one process: a child that inherits it by
 * fork shares its events, but not the memory that the kernel fills.
 */
int session_check_process(struct tprof_session *session);
/* Also -EINVAL if the session has not been started; the sentence begins with @who. */
int session_check_started(struct tprof_session *session, const char *who);
/* -EBUSY: the session has a descriptor for other processes, so @what cannot change. */
int session_check_fixed(struct tprof_session *session, const char *what);
/* -EBUSY: the session cannot take this filter, or the filter has been loaded. */
int session_check_filter(struct tprof_session *session, const struct tprof_filter *filter);
int session_check_loaded(struct tprof_session *session, const struct tprof_filter *filter);

/* session_filters.c: opens the engine, and loads and attaches the filters. 0 or -errno with a sentence. */
int session_load_filters(struct tprof_session *session);
/* Adds a filter that is attached already: instead of loading it. It is freed after an error. */
int session_adopt_filter(struct tprof_session *session, struct tprof_filter *filter);
/* Chooses the filter whose table has the entries of profiles; the one that replaces it has them then. */
void session_choose_entries(struct tprof_session *session);
/* The table of that filter. NULL: no filter has a table. */
const struct table *session_entry_table(const struct tprof_session *session);
/* Iterates over the filters whose tables are to be read; *at begins as 0. NULL: no more. */
struct tprof_filter *session_read_filter(const struct tprof_session *session, size_t *at);
/* The profile that collects from now on. Everything that replaced filters counted has been read. */
void session_set_profile(struct tprof_session *session, struct tprof_profile *profile);

/*
 * session_events.c: copies the events of the options, nr_events or 1. Checks rates, periods, and which members exclude
 * each other. Returns 0 or -errno with a sentence.
 */
int session_take_events(const struct tprof_session_opts *opts, struct tprof_event_opts *events,
			struct tprof_error *error);
/* Looks up these events and adds them to session->sampling. Returns 0 or -errno with a sentence. */
int session_choose_events(struct tprof_session *session, const struct tprof_event_opts *events, size_t nr,
			  struct tprof_error *error);

/* Gives a new profile the events of the session. 0 or -ENOMEM. */
int session_set_events(const struct tprof_session *session, struct tprof_profile *profile);
/* Sets periods and ledgers of the events of a profile that is complete. */
void session_settle_events(const struct tprof_session *session, struct tprof_profile *profile);
/* About once a second: adjusts the periods to the requested rates. 0 or -errno. */
int session_adapt_periods(struct tprof_session *session);
/*
 * Until the rate of an event is known, its period may be the shortest: adapts it soon, and then less and less often.
 * The caller sets the timer.
 */
void session_adapt_soon(struct tprof_session *session);
/* Passes names of events to the collector. */
void session_name_events(struct tprof_session *session);
/*
 * -EINVAL with a sentence: a table of the filter that is read does not tell several events apart. @makes_entries: the
 * filter has the table of entries.
 */
int session_check_events(struct tprof_session *session, const struct tprof_filter *filter, bool makes_entries);
/* Hides the event in keys if there is only one. After the filter is loaded, which may open its object again. */
void session_hide_event(const struct tprof_session *session, struct tprof_filter *filter);

/* session_options.c: checks the options and sets session->sampling. Returns 0 or -errno with a sentence. */
int session_configure(struct tprof_session *session, const struct tprof_session_opts *opts, struct tprof_error *error);

/*
 * session_place.c: completes the place in code of an event: the function is looked up in the kernel or in the file.
 * Errors: ENOENT (no such function or file), EINVAL (several functions have the name), and others of the file.
 */
int session_look_up_place(struct event *event, struct tprof_error *error);

/* session_scope.c: checks and stores the requested processes, threads and cgroups. */
int scope_configure(struct tprof_session *session, const struct tprof_session_opts *opts, struct tprof_error *error);
/* Check and store one; with a sentence. */
int scope_add_id(struct tprof_session *session, enum tprof_scope_kind kind, pid_t id, struct tprof_error *error);
int scope_add_cgroup(struct tprof_session *session, const char *path, struct tprof_error *error);
/* Passes the targets from @first on to the engine. */
int scope_load_from(struct tprof_session *session, size_t first);
/* Passes the targets to the engine, once the filters are attached. */
int scope_load(struct tprof_session *session);
/* Reads the targets, which may end before their samples are named. Call after the scan of all processes. */
void scope_scan(struct tprof_session *session);
void scope_release(struct tprof_session *session);
/* The side-band callbacks for an engine that does not track forks and exits itself. */
struct sideband_listener scope_listener(struct tprof_session *session);

/* session_collect.c: drains the tables into session->collector.profile and symbolizes them. Returns 0 or -errno. */
int session_collect(struct tprof_session *session);
/* Creates the profile that collects until the next snapshot. */
struct tprof_profile *session_new_profile(struct tprof_session *session);
/* The expected number of samples per second, on all CPUs together. */
uint64_t session_samples_per_second(const struct tprof_session *session);
/* The longest interval between drains at that rate, in milliseconds. */
unsigned int session_collect_interval_ms(const struct tprof_session *session);

/*
 * session.c: sets the timer, which ticks once a second, so that the engine can adapt its rate, or more often if the
 * tables are small, or the periods are adapted sooner. 0 or -errno.
 */
int session_set_timer(struct tprof_session *session);

/* session_rate.c: 0, or -EINVAL with a sentence: no event can have this rate or period. */
int session_check_rate(uint64_t rate_hz, uint64_t period, struct tprof_error *error);
/* Likewise: this event cannot have this period. */
int session_check_period(const struct event *event, uint64_t period, struct tprof_error *error);

/*
 * session.c: watches for kept samples. EPOLL_CTL_MOD: the file descriptor reports kept samples again, at once if there
 * are any. 0 or -errno.
 */
int session_watch_samples(const struct tprof_session *session, int operation);

/* session_raw.c: writes the file header, and the samples of a reading. 0 or -errno with a sentence. */
int session_raw_start(struct tprof_session *session);
int session_raw_flush(struct tprof_session *session);
bool session_raw_has_ended(const struct tprof_session *session);

/*
 * session_note.c: notes in the raw recording, if there is one and the session has been started. 0 or -ENOMEM: the
 * recording then lacks the note.
 */
int session_note(struct tprof_session *session, const struct tprof_raw_note *note);
int session_note_target(struct tprof_session *session, enum tprof_note kind, const struct target *target);
int session_note_cgroup(struct tprof_session *session, enum tprof_note kind, const struct tprof_scope_cgroup *cgroup);
/* All targets of the session. */
int session_note_targets(struct tprof_session *session);

/* session_cpus.c: call once a second: samples CPUs that have come online. */
void session_follow_cpus(struct tprof_session *session);

/* session_missed.c: stores which other BPF programs run, while the session still has the capability to see them. */
void session_note_neighbours(struct tprof_session *session);
/*
 * Call after each reading of the tables: looks up the other BPF programs if samples were missed since the last reading.
 */
void session_watch_missed(struct tprof_session *session);
/* Adds the warning to a profile with a ledger, if enough samples were missed. 0 or -ENOMEM. */
int session_warn_missed(struct tprof_session *session, struct tprof_profile *profile);

/* session_throttled.c: adds a warning if the engine sampled with a longer period. 0 or -ENOMEM. */
int session_warn_throttled(struct tprof_session *session, struct tprof_profile *profile);

/* session_uncounted.c: adds a warning if nothing was counted, and a filter is for another event. 0 or -ENOMEM. */
int session_warn_uncounted(struct tprof_session *session, struct tprof_profile *profile);

/* session_warnings.c: all warnings of the session, as sentences separated by "; "; or NULL. */
const char *session_warnings(const struct tprof_session *session);

/* pin.c */
void pin_remove(struct tprof_session *session);

#endif
