/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A session: one engine, its filters, and everything needed to symbolize what they count.
 *
 *	OPEN --prepare--> PREPARED --start--> RUNNING --stop--> STOPPED
 *
 * session.c makes all transitions. session_collect() drains the tables and symbolizes their content: at each snapshot,
 * and by a timer before they can fill up.
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
	SESSION_STOPPED,
};

struct tprof_session {
	struct debug_server *debug_server;	/* NULL: no debug server is used */
	struct broker *broker;			/* NULL: not in a sandbox */
	struct session_words *words;
	struct tprof_error error;
	struct log log;
	enum session_state state;
	struct sampling sampling;
	const struct engine_ops *ops;
	struct engine *engine;
	struct tprof_filter **filters;
	size_t nr_filters, filters_capacity;
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
	uint64_t collected_ns;			/* clock_own_ns() */
	uint64_t collect_interval_ns;		/* maximum between two drains */
	uint64_t sideband_lost[2];		/* at the last two readings of the tables, the latest first */
	bool unread;				/* generations were swapped and not yet read completely */
	struct tprof_ledger settled;		/* the ledger at the last swap, which was at settled_ns */
	struct tprof_ledger reported;		/* the ledger of the last snapshot */
	struct tprof_ledger watched;		/* the ledger at the last check of session_watch_missed() */
	char neighbours[256];			/* other BPF programs that ran while samples were missed; or empty */
	char first_neighbours[256];	/* other BPF programs that ran at the start; or empty */
	bool neighbours_unseen;			/* the list of BPF programs cannot be read */
	bool warned_missed;
	uint32_t warned_factor;		/* the largest that was logged */
	uint64_t counted_kept;			/* samples counted in profiles because the client did not read them */
	char *pin_path;
};

/* session_options.c: checks the options and sets session->sampling. Returns 0 or -errno with a sentence. */
int session_configure(struct tprof_session *session, const struct tprof_session_opts *opts, struct tprof_error *error);

/*
 * session_place.c: completes the place in code of an event: the function is looked up in the kernel or in the file.
 * Errors: ENOENT (no such function or file), EINVAL (several functions have the name), and others of the file.
 */
int session_look_up_place(struct event *event, struct tprof_error *error);

/* session_scope.c: checks and stores the requested processes, threads and cgroups. */
int scope_configure(struct tprof_session *session, const struct tprof_session_opts *opts, struct tprof_error *error);
/* Passes the targets to the engine, once the filters are attached. */
int scope_load(struct tprof_session *session);
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
 * session.c: watches for kept samples. EPOLL_CTL_MOD: the file descriptor reports kept samples again, at once if there
 * are any. 0 or -errno.
 */
int session_watch_samples(const struct tprof_session *session, int operation);

/* session_raw.c: writes the file header, and the samples of a reading. 0 or -errno with a sentence. */
int session_raw_start(struct tprof_session *session);
int session_raw_flush(struct tprof_session *session);

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

/* All warnings of the session, as sentences separated by "; "; or NULL. */
const char *session_warnings(const struct tprof_session *session);

/* pin.c */
void pin_remove(struct tprof_session *session);

#endif
