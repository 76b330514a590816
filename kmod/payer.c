// SPDX-License-Identifier: GPL-2.0-only
/* The payers of sessions: limits for each user, which are parameters of the module. */
#include <linux/cred.h>
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "factors.h"
#include "payer.h"

/* Root may have that many times as much as any other user: it is a limit for programs that went wrong. */
#define ROOT_SHARE 16

static unsigned int limits[TPROF_NR_RESOURCES] = {
	[TPROF_SESSIONS] = 1024,
	[TPROF_EVENTS] = 2048,
	[TPROF_TARGETS] = 65536,
	[TPROF_STREAM_BYTES] = 128,		/* MiB */
	[TPROF_WAITS] = 16,
};

module_param_named(max_sessions_per_user, limits[TPROF_SESSIONS], uint, 0644);
MODULE_PARM_DESC(max_sessions_per_user, "how many sessions a user may have; root 16 times as many (1024)");
module_param_named(max_events_per_user, limits[TPROF_EVENTS], uint, 0644);
MODULE_PARM_DESC(max_events_per_user, "how many events its sessions may have together; root 16 times as many (2048)");
module_param_named(max_waits_per_user, limits[TPROF_WAITS], uint, 0644);
MODULE_PARM_DESC(max_waits_per_user,
		 "how many events off-cpu, wakeup and on-cpu they may have; root 16 times as many (16)");
module_param_named(max_targets_per_user, limits[TPROF_TARGETS], uint, 0644);
MODULE_PARM_DESC(max_targets_per_user, "how many targets they may have together; root 16 times as many (65536)");
module_param_named(max_stream_mb_per_user, limits[TPROF_STREAM_BYTES], uint, 0644);
MODULE_PARM_DESC(max_stream_mb_per_user, "what their streams may take, in MiB; root 16 times as much (128)");

static LIST_HEAD(users);
static DEFINE_MUTEX(users_mutex);		/* a leaf lock */

static u64 limit_of(const struct tprof_user *user, enum tprof_resource resource)
{
	u64 limit = READ_ONCE(limits[resource]);

	if (resource == TPROF_STREAM_BYTES)
		limit <<= 20;
	return uid_eq(user->uid, GLOBAL_ROOT_UID) ? limit * ROOT_SHARE : limit;
}

static bool user_take(struct tprof_user *user, enum tprof_resource resource, u64 nr)
{
	if ((u64)atomic64_add_return(nr, &user->used[resource]) <= limit_of(user, resource))
		return true;
	atomic64_sub(nr, &user->used[resource]);
	return false;
}

bool tprof_payer_take(const struct tprof_payer *payer, enum tprof_resource resource, u64 nr)
{
	return user_take(payer->user, resource, nr);
}

void tprof_payer_give(const struct tprof_payer *payer, enum tprof_resource resource, u64 nr)
{
	atomic64_sub(nr, &payer->user->used[resource]);
}

static struct tprof_user *user_find(kuid_t uid)
{
	struct tprof_user *user;

	lockdep_assert_held(&users_mutex);
	list_for_each_entry(user, &users, list) {
		if (uid_eq(user->uid, uid))
			return user;
	}
	return NULL;
}

static struct tprof_user *user_find_or_add(kuid_t uid)
{
	struct tprof_user *user = user_find(uid);

	if (user)
		return user;
	user = kzalloc(sizeof(*user), TPROF_GFP);
	if (!user)
		return NULL;
	user->uid = uid;
	list_add_tail(&user->list, &users);
	return user;
}

static bool is_blamed(const struct tprof_user *user)
{
	unsigned long until = READ_ONCE(user->blamed_until);

	return until && !time_after(jiffies, until);
}

void tprof_payer_blame(const struct tprof_payer *payer)
{
	WRITE_ONCE(payer->user->blamed_until, (jiffies + TPROF_KEEP_SECONDS * HZ) | 1);
}

bool tprof_payer_is_blamed(const struct tprof_payer *payer)
{
	return is_blamed(payer->user);
}

static void user_free_unused(struct tprof_user *user)
{
	lockdep_assert_held(&users_mutex);
	if (atomic64_read(&user->used[TPROF_SESSIONS]) || is_blamed(user))
		return;
	list_del(&user->list);
	kfree(user);
}

int tprof_payer_open(struct tprof_payer *payer)
{
	struct tprof_user *user, *next;
	int err = -ENOMEM;

	mutex_lock(&users_mutex);
	/* Those that were to blame when their last session was closed. */
	list_for_each_entry_safe(user, next, &users, list)
		user_free_unused(user);
	user = user_find_or_add(current_uid());
	if (user) {
		err = user_take(user, TPROF_SESSIONS, 1) ? 0 : -EMFILE;
		user_free_unused(user);
	}
	mutex_unlock(&users_mutex);
	if (err)
		return err;
	payer->user = user;
	payer->memcg = get_mem_cgroup_from_mm(current->mm);
	return 0;
}

void tprof_payer_close(struct tprof_payer *payer)
{
	mem_cgroup_put(payer->memcg);
	mutex_lock(&users_mutex);
	tprof_payer_give(payer, TPROF_SESSIONS, 1);
	user_free_unused(payer->user);
	mutex_unlock(&users_mutex);
}

void tprof_user_for_each(void (*show)(struct tprof_user *user, void *ctx), void *ctx)
{
	struct tprof_user *user;

	mutex_lock(&users_mutex);
	list_for_each_entry(user, &users, list) {
		if (atomic64_read(&user->used[TPROF_SESSIONS]))
			show(user, ctx);
	}
	mutex_unlock(&users_mutex);
}

void tprof_payer_exit(void)
{
	struct tprof_user *user, *next;

	list_for_each_entry_safe(user, next, &users, list) {
		list_del(&user->list);
		kfree(user);
	}
}
