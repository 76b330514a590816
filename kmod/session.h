/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: one client's subscription to sources, with its scope, filters, streams and ledger.
 *
 *	NEW --start--> RUNNING --stop--> STOPPED --start--> RUNNING
 *
 * session_set_state() makes all transitions. The file of the session owns it; filters keep the memory, no more.
 *
 * Lock order, outermost first:
 *
 *	BPF's mutex of struct_ops links, when filters come and go
 *	sessions_mutex (L): the list of sessions
 *	  session->mutex (s)
 *	    sources_mutex (S)
 *	      CPU hotplug (cpus_read_lock), taken by much of what creates and frees events
 *	        cpus_mutex of source_cpu.c, also taken by the callbacks of hotplug
 *	    filters_mutex (F): the list of filters
 *	    followers_mutex of scope.c
 *	    streams->map_mutex, also inside a memory map (mmap_lock)
 *	streams->read_mutex: held while memory of the client is touched, so nobody waits for it but read()
 *	registry_mutex of source_registry.c: nothing is taken inside
 *	owners_lock of filter.c (O), a spinlock, also taken in interrupts: nothing is taken inside
 *
 * The sample path takes no lock: it runs in hard interrupt context, reads what is marked R, and writes what
 * belongs to its CPU (c). A writer that has taken something out of its reach waits with tprof_quiesce().
 *
 * Letters on the fields of all structs: I does not change once others see it; s, S, L, F, O under that lock; R also
 * read under RCU; c owned by one CPU, written in hard interrupt context or with interrupts off; A atomic; U shared with
 * user space, never trusted.
 */
#ifndef _TPROF_SESSION_H
#define _TPROF_SESSION_H

#include <linux/cpumask.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/wait.h>

#include "filter.h"
#include "ledger.h"
#include "scope.h"
#include "source.h"
#include "stream.h"

/* What a session has on one CPU. */
struct tprof_session_cpu {
	struct tprof_account account;		/* c */
	s64 carry[TPROF_MAX_EVENTS];		/* c: weight not delivered yet; may be less than 0 */
};

struct tprof_session {
	struct kref ref;			/* A */
	struct rcu_head rcu;
	struct mutex mutex;
	u64 id;					/* I */
	struct list_head list;			/* L: sessions */
	pid_t owner;				/* I: process that made it, initial namespace */
	char owner_comm[TPROF_COMM_LEN];	/* I */
	struct pid_namespace *pidns;		/* I: of who made it; NULL: the initial one */
	bool closed;				/* s: its file is gone; no filter may come any more */
	u32 state;				/* s: TPROF_SESSION_* */
	u32 epoch;				/* s */
	u32 flags;				/* s until started, then I: TPROF_CONFIG_* */
	u32 budget_permille;			/* likewise */
	u32 wakeup_bytes;			/* likewise */
	u64 budget;				/* likewise: the same in units of tprof_clock() */
	bool all_cpus;				/* likewise */
	bool scoped;				/* s, read by the sample path: there is more to ask than the CPU */
	bool plain;				/* likewise: it takes all samples of all CPUs as they come */
	char comm[TPROF_COMM_LEN];		/* likewise */
	cpumask_var_t cpus;			/* likewise */
	struct tprof_scope scope;
	struct tprof_session_cpu __percpu *cpu;
	unsigned int nr_events;			/* s until started, then I */
	struct tprof_subscription events[TPROF_MAX_EVENTS];
	struct tprof_filters __rcu *filters;	/* s,R */
	struct tprof_streams streams;
};

struct tprof_session *tprof_session_create(void);
void tprof_session_get(struct tprof_session *session);
void tprof_session_put(struct tprof_session *session);
/* The one way of leaving: stops, and takes it out of all lists. The file's reference goes with it. */
void tprof_session_close(struct tprof_session *session);

int tprof_session_start(struct tprof_session *session);
/* When it returns all that was captured has been delivered, and nothing is delivered any more. */
void tprof_session_stop(struct tprof_session *session);
void tprof_session_flush(struct tprof_session *session, u64 cookie);
void tprof_session_clear(struct tprof_session *session);

unsigned int tprof_session_nr_sessions(void);
/* Calls @show for each session, with its mutex held; none comes or goes meanwhile. */
void tprof_session_for_each(void (*show)(struct tprof_session *session, void *ctx), void *ctx);

/* After scope, CPUs or flags were changed. The session's mutex is held. */
void tprof_session_update_plain(struct tprof_session *session);

#endif
