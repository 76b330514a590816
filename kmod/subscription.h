/* SPDX-License-Identifier: GPL-2.0-only */
/* The subscriptions of sessions to sources. */
#ifndef _TPROF_SUBSCRIPTION_H
#define _TPROF_SUBSCRIPTION_H

#include <linux/list.h>
#include <linux/types.h>

struct tprof_choice;
struct tprof_session;
struct tprof_source;
struct tprof_source_count;

/* An event of a session. */
struct tprof_subscription {
	struct tprof_session *session;		/* I */
	struct tprof_choice *choice;		/* I: owned */
	u32 index;				/* I: within the session */
	u64 period;				/* S, read by the sample path at any time; 0: counts only */
	struct tprof_source *held;		/* r: from prepare to unprepare, else NULL */
	struct tprof_source *source;		/* S: while subscribed, else NULL */
	struct list_head node;			/* S: source->users */
	struct tprof_source_count *base;	/* S: by CPU: the counter at the last start or clear */
	struct tprof_source_count *past;	/* S: by CPU: counts up to the last stop */
	s64 wants;				/* S: sum of TPROF_WANTS_*: what filters of the session need */
	u32 period_factor;			/* S: the largest on its CPUs since the start or clear */
};

/*
 * Holds and prepares the source of the subscription, which may take long: with the session's run_mutex held, and no
 * lock for which other users wait. Errors: ENOMEM, ERESTARTSYS (a signal came while another session prepared the
 * source), and those of the source.
 */
int tprof_subscription_prepare(struct tprof_subscription *sub);
/* Likewise. Does nothing if the subscription is not prepared. */
void tprof_subscription_unprepare(struct tprof_subscription *sub);

/* With the session's mutex held; these functions take the sources mutex. */
/* Takes over @choice, unless it fails. Errors: ENOSPC (max_events_per_user, max_waits_per_user), ENOMEM. */
int tprof_subscription_open(struct tprof_subscription *sub, struct tprof_session *session, u32 index,
			    struct tprof_choice *choice);
void tprof_subscription_close(struct tprof_subscription *sub);
/* Tests whether the session samples the CPU. */
bool tprof_subscription_is_on(const struct tprof_subscription *sub, unsigned int cpu);
/* Starts the subscription, which is prepared: samples are delivered from now on. Errors: as above. */
int tprof_subscribe(struct tprof_subscription *sub);
/* When it returns, all captured samples have been delivered, and no more will be. */
void tprof_unsubscribe(struct tprof_subscription *sub);
int tprof_subscription_set_period(struct tprof_subscription *sub, u64 period);
/* Reads the counts of one CPU, or with -1 the sum of all. */
void tprof_subscription_read(struct tprof_subscription *sub, int cpu, struct tprof_source_count *count);
/* Makes the source fire for weight that has accumulated; the next tprof_quiesce() delivers these samples. */
void tprof_subscription_settle(struct tprof_subscription *sub);
void tprof_subscription_clear(struct tprof_subscription *sub);
void tprof_subscription_want(struct tprof_subscription *sub, s64 wants);

#endif
