/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The payer of a session: the user and the cgroup of the process that created it, wherever its descriptor goes. Memory
 * of the session is charged to the cgroup, and its parts count against the limits of the user.
 */
#ifndef _TPROF_PAYER_H
#define _TPROF_PAYER_H

#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/sched/mm.h>
#include <linux/uidgid.h>

/*
 * For memory on behalf of a client. If it or its cgroup is short of memory, the call of the client fails with ENOMEM;
 * no process is killed for it, and the kernel does not warn.
 */
#define TPROF_GFP (GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* The resources that are limited for each user. */
enum tprof_resource {
	TPROF_SESSIONS,				/* sessions whose memory is not freed yet */
	TPROF_EVENTS,				/* events of these sessions */
	TPROF_TARGETS,				/* targets that were attached, without the processes that they forked */
	TPROF_STREAM_BYTES,
	TPROF_WAITS,				/* events that cost something at each context switch */
	TPROF_NR_RESOURCES,
};

struct tprof_user {
	struct list_head list;			/* under users_mutex */
	kuid_t uid;				/* I */
	atomic64_t used[TPROF_NR_RESOURCES];	/* A; sessions: written under users_mutex, and 0 frees the user */
	unsigned long blamed_until;		/* A: jiffies; 0: never: an event of the user was throttled */
};

struct tprof_payer {
	struct tprof_user *user;		/* I */
	struct mem_cgroup *memcg;		/* I: holds a reference; NULL: the kernel has no memory cgroups */
};

/* Makes the current process the payer of one more session. Errors: EMFILE (the limit of the user), ENOMEM. */
int tprof_payer_open(struct tprof_payer *payer);
void tprof_payer_close(struct tprof_payer *payer);

/* Adds @nr to what the user has of a resource. Returns false if that would exceed the limit. Any context but NMI. */
bool tprof_payer_take(const struct tprof_payer *payer, enum tprof_resource resource, u64 nr);
void tprof_payer_give(const struct tprof_payer *payer, enum tprof_resource resource, u64 nr);

/* To be called when an event of the payer was throttled: its further events begin slowly for some seconds. */
void tprof_payer_blame(const struct tprof_payer *payer);
bool tprof_payer_is_blamed(const struct tprof_payer *payer);

/*
 * Between begin and end, memory with __GFP_ACCOUNT that the current context allocates is charged to the payer. end()
 * takes what begin() returned.
 */
static inline struct mem_cgroup *tprof_payer_begin(const struct tprof_payer *payer)
{
	return set_active_memcg(payer->memcg);
}

static inline void tprof_payer_end(struct mem_cgroup *before)
{
	set_active_memcg(before);
}

/* To be called when no session is left. */
void tprof_payer_exit(void);

/* Calls @show for each user that has sessions, with users_mutex held. */
void tprof_user_for_each(void (*show)(struct tprof_user *user, void *ctx), void *ctx);

#endif
