/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: one client's subscription to sources, with its scope, filters, streams and ledger.
 *
 *	NEW --start--> RUNNING --stop--> STOPPED --start--> RUNNING
 *
 * session_set_state() makes all transitions. The session's file owns it. A filter holds a reference, which only keeps
 * the memory of a closed session.
 *
 * Lock order, outermost first:
 *
 *	BPF's mutex of struct_ops links, when filters are attached, replaced and detached
 *	update_mutex of throttle.c, outside the sources mutex
 *	session->run_mutex (r): starts and stops, and the preparation of its sources, which may take long
 *	  source->prepare_mutex of source.c
 *	sessions_mutex (L): the list of sessions
 *	  session->mutex (s), also taken inside session->run_mutex
 *	    sources_mutex (S)
 *	      CPU hotplug lock (cpus_read_lock), taken by many functions that create and free events
 *	        cpus_mutex of cpu_source.c, also taken by the CPU hotplug callbacks
 *	    filters_mutex (F): the list of filters
 *	    followers_mutex of scope_task.c
 *	    streams->map_mutex, also taken inside mmap_lock
 *	streams->read_mutex: held while user memory is accessed, so only read() waits for it; others use trylock
 *	owners_mutex of owner.c, also taken inside session->mutex, and outside that of its probes
 *	registry_mutex of registry.c, users_mutex of payer.c, spent_mutex of spent.c, waits_mutex of wait_source.c: leaf
 *	locks
 *	locks of wait_table.c: raw spinlocks and leaf locks, also taken with the locks of the scheduler held
 *	locks of owner_work.c: likewise, with those of workqueues
 *	owners_lock of filter.c (O): a spinlock and leaf lock, also taken in interrupts
 *
 * The sample path takes no lock but those of wait_table.c. It runs in hard interrupt context, reads fields marked R,
 * and writes fields of its own CPU (c). A writer that has unpublished an object waits with tprof_quiesce() or for an
 * RCU grace period before it frees the object.
 *
 * Letters on the fields of all structs: I immutable after publication; r, s, S, L, F, O: protected by that lock; R:
 * also read under RCU; c: owned by one CPU, written in hard interrupt context or with interrupts disabled, or see
 * tprof_session_cpus(); A: atomic; U: shared with user space, never trusted.
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
#include "payer.h"
#include "scope.h"
#include "source.h"
#include "stream.h"
#include "subscription.h"

/* State of a session on one CPU. */
struct tprof_session_cpu {
	struct tprof_percpu_ledger ledger;		/* c */
	s64 carry[TPROF_MAX_EVENTS];		/* c: weight not delivered yet, by event; may be negative */
};

/*
 * Negative carry of a subscription that has not joined a CPU yet, or has left it, and gets no samples: far more than
 * the weight that can accumulate meanwhile.
 */
#define TPROF_OUTSIDE	(S64_MAX / 2)

static inline bool tprof_carry_is_outside(s64 carry)
{
	return carry < -TPROF_OUTSIDE / 2;
}

struct tprof_session {
	struct kref ref;			/* A */
	struct rcu_head rcu;
	struct mutex run_mutex;
	struct mutex mutex;
	u64 id;					/* I */
	struct list_head list;			/* L: sessions */
	struct tprof_payer payer;
	pid_t owner;				/* I: process that created it, in the initial namespace */
	char owner_comm[TPROF_COMM_LEN];	/* I */
	struct pid_namespace *pidns;		/* I: namespace of that process; NULL: the initial one */
	bool starting;				/* s: its sources are prepared; no event may be added */
	bool closed;				/* s: the file is released; no filter may be attached */
	u32 state;				/* s: TPROF_SESSION_* */
	u32 epoch;				/* s */
	u32 seals;				/* s: TPROF_SEAL_* */
	u32 flags;				/* s until started, then I: TPROF_CONFIG_* */
	u32 budget_permille;			/* likewise */
	u32 wakeup_bytes;			/* likewise */
	u64 budget;				/* likewise: the budget in units of tprof_clock() */
	bool all_cpus;				/* likewise */
	bool scoped;				/* s, read by the sample path: samples need a scope test */
	bool plain;				/* likewise: takes all samples of all CPUs, see deliver_plain() */
	char comm[TPROF_COMM_LEN];		/* likewise */
	cpumask_var_t cpus;			/* likewise */
	struct tprof_scope scope;
	struct tprof_session_cpu __percpu *cpu;
	unsigned int nr_events;			/* s until started, then I */
	struct tprof_subscription events[TPROF_MAX_EVENTS];
	struct tprof_filters __rcu *filters;	/* s,R */
	struct tprof_streams streams;
};

/* Errors: EMFILE (max_sessions_per_user), ENOMEM. */
struct tprof_session *tprof_session_create(void);
void tprof_session_get(struct tprof_session *session);
void tprof_session_put(struct tprof_session *session);
/* Called on release of the file: stops the session, removes it from all lists and drops the file's reference. */
void tprof_session_close(struct tprof_session *session);

/*
 * Both wait while another thread starts or stops the session, and start while another session prepares an equal source;
 * a signal ends these waits: ERESTARTSYS.
 */
int tprof_session_start(struct tprof_session *session);
/* When it returns, all captured samples have been delivered, and no more will be. */
int tprof_session_stop(struct tprof_session *session);
void tprof_session_flush(struct tprof_session *session, u64 cookie);
void tprof_session_clear(struct tprof_session *session);

unsigned int tprof_session_nr_sessions(void);
/* Calls @show for each session, with its mutex and sessions_mutex held. */
void tprof_session_for_each(void (*show)(struct tprof_session *session, void *ctx), void *ctx);

/*
 * The CPUs on which samples may be delivered to the session: none unless it is subscribed to a source. With its mutex
 * held. On all others, its data of the CPU may be written by any CPU, with the mutex and cpus_read_lock() held.
 */
const struct cpumask *tprof_session_cpus(const struct tprof_session *session);

/* To be called after a change of scope, CPUs or flags, with the session's mutex held. */
void tprof_session_update_plain(struct tprof_session *session);

#endif
