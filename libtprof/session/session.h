/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A session: one engine, some filters, and what is needed to name what they count.
 *
 *	OPEN --prepare--> PREPARED --start--> RUNNING --stop--> STOPPED
 *
 * session_state() makes all transitions. Tables are drained, and what they hold is named, by session_collect():
 * at a snapshot, and by a timer before they can fill up.
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
	char said[1024];			/* warnings of the client and of the session itself */
	char all[8192];				/* with those on names, as they were asked for last */
};

enum session_state {
	SESSION_OPEN,
	SESSION_PREPARED,
	SESSION_RUNNING,
	SESSION_STOPPED,
};

struct tprof_session {
	struct debug_server *debug_server;	/* NULL: nobody is asked */
	struct broker *broker;			/* NULL: not in a sandbox */
	struct session_words *words;
	struct tprof_error error;
	struct log log;
	enum session_state state;
	struct sampling sampling;
	const struct engine_ops *ops;
	struct engine *engine;
	struct tprof_filter **filters;
	size_t nr_filters, filters_room;
	struct targets targets;			/* the engine is told of them at the start */
	struct dsos *dsos;
	struct aspaces *aspaces;
	struct symbolizer *symbolizer;
	struct sideband *sideband;
	struct collector collector;
	struct copies *copies;
	struct program_barrier barrier;
	bool stream_taken;			/* the client reads the samples itself */
	int epoll_fd, timer_fd;
	uint64_t started_ns, stopped_ns, snapshot_ns, settled_ns;	/* clock_now_ns() */
	uint64_t collected_ns;			/* clock_own_ns() */
	uint64_t collect_interval_ns;		/* longest time between two drains */
	uint64_t sideband_lost[2];		/* after the last reading of the tables, and the one before */
	bool unread;				/* generations were swapped and have not been read to their end */
	struct tprof_ledger settled;		/* the account when they were swapped, which was at settled_ns */
	struct tprof_ledger reported;		/* the same at the last snapshot */
	struct tprof_ledger watched;		/* the same when it was last asked who is in the way */
	char neighbours[256];			/* BPF programs of others, while samples were missed; or empty */
	char first_neighbours[256];	/* likewise, of those that were there at the start */
	bool neighbours_unseen;			/* the kernel does not tell them */
	bool warned_missed;
	uint64_t counted_kept;			/* samples in profiles that the client could have read */
	char *pin_path;
};

/* session_options.c: checks the options and fills session->sampling. Returns 0 or -errno with a sentence. */
int session_configure(struct tprof_session *session, const struct tprof_session_opts *opts, struct tprof_error *error);

/* session_scope.c: processes, threads and cgroups asked for. */
int scope_configure(struct tprof_session *session, const struct tprof_session_opts *opts, struct tprof_error *error);
/* Tells the engine, once the filters are attached. */
int scope_load(struct tprof_session *session);
void scope_release(struct tprof_session *session);
/* What the side-band is to tell an engine that does not see who is born and who dies. */
struct sideband_listener scope_listener(struct tprof_session *session);

/* session_collect.c: empties the tables into session->collector.profile, named. Returns 0 or -errno. */
int session_collect(struct tprof_session *session);
/* The profile that collects until the next snapshot. */
struct tprof_profile *session_new_profile(struct tprof_session *session);
/* How many samples to reckon with, on all CPUs together. */
uint64_t session_samples_per_second(const struct tprof_session *session);
/* How long the tables can be left alone at the rate asked for, milliseconds. */
unsigned int session_collect_interval_ms(const struct tprof_session *session);

/* session.c: EPOLL_CTL_MOD: the descriptor tells of kept samples again, at once if there are any. 0 or -errno. */
int session_watch_samples(const struct tprof_session *session, int operation);

/* session_raw.c: the head of the file, and what a reading has brought. 0 or -errno with a sentence. */
int session_raw_start(struct tprof_session *session);
int session_raw_flush(struct tprof_session *session);

/* session_missed.c: who may be in the way, while we may still see that. */
void session_note_neighbours(struct tprof_session *session);
/* After each reading of the tables: who is in the way, if samples were missed since the last one. */
void session_watch_missed(struct tprof_session *session);
/* Tells that of a profile, whose ledger is known, if it is worth a word. 0 or -ENOMEM. */
int session_warn_missed(struct tprof_session *session, struct tprof_profile *profile);

/* What the reader of any output should know of the session, in sentences separated by "; "; or NULL. */
const char *session_warnings(const struct tprof_session *session);

/* pin.c */
void pin_remove(struct tprof_session *session);

#endif
