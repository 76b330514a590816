// SPDX-License-Identifier: GPL-2.0-only
/* The ioctls of a session: copies and checks their arguments. The table at the end has one row for each. */
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "abi.h"
#include "choice.h"
#include "session.h"
#include "session_info.h"
#include "session_ioctl.h"
#include "stream_memory.h"

/* Largest size of attributes and CPU masks, to limit the allocation. */
#define MAX_ATTR_BYTES	PAGE_SIZE

/* The argument of an ioctl, and a copy of the memory that it points to. */
struct argument {
	union {
		struct tprof_config config;
		struct tprof_event event;
		struct tprof_ledger_read ledger;
		struct tprof_filter_info filter;
	};
	void *more;				/* the copy, or NULL */
	struct tprof_choice *choice;		/* the event that was made of it, or NULL */
};

static struct argument *argument_of(const void *arg)
{
	return container_of(arg, struct argument, config);
}

static int check_config(const struct tprof_config *config)
{
	u32 bytes = config->stream_bytes;

	if (config->flags & ~TPROF_CONFIG_FLAGS)
		return -EINVAL;
	if ((config->flags & TPROF_CONFIG_USER) && (config->flags & TPROF_CONFIG_KERNEL))
		return -EINVAL;
	if (bytes && (!is_power_of_2(bytes) || bytes < PAGE_SIZE || bytes > TPROF_MAX_STREAM_BYTES))
		return -EINVAL;
	if ((config->flags & TPROF_CONFIG_STALL) && !bytes)
		return -EINVAL;
	if (config->stream_wakeup > bytes || config->budget_permille > 1000)
		return -EINVAL;
	if (config->cpus_size % sizeof(u64) || config->cpus_size > MAX_ATTR_BYTES ||
	    !config->cpus != !config->cpus_size)
		return -EINVAL;
	if (memchr_inv(config->comm, 0, sizeof(config->comm)) && !(config->flags & TPROF_CONFIG_COMM))
		return -EINVAL;
	return config->comm[sizeof(config->comm) - 1] ? -EINVAL : 0;
}

/* Copies memory of the caller. The copy is freed with the argument. */
static int fetch(struct argument *argument, u64 from, size_t size)
{
	void *copy = memdup_user(u64_to_user_ptr(from), size);

	if (IS_ERR(copy))
		return PTR_ERR(copy);
	argument->more = copy;
	return 0;
}

static int fetch_config(struct argument *argument)
{
	const struct tprof_config *config = &argument->config;
	int err = check_config(config);

	if (err)
		return err;
	return config->cpus ? fetch(argument, config->cpus, config->cpus_size) : 0;
}

/* The mask has 64-bit words; unsigned long has 64 bits on all supported architectures. */
static int take_cpus(const struct tprof_config *config, struct cpumask *cpus)
{
	const unsigned long *words = argument_of(config)->more;
	unsigned long bit;

	for_each_set_bit(bit, words, config->cpus_size * BITS_PER_BYTE) {
		if (bit >= nr_cpu_ids || !cpu_possible(bit))
			return -EINVAL;
		cpumask_set_cpu(bit, cpus);
	}
	return cpumask_empty(cpus) ? -EINVAL : 0;
}

static long configure(struct tprof_session *session, void *arg)
{
	const struct tprof_config *config = arg;
	cpumask_var_t cpus;
	int err = 0;

	if (session->state != TPROF_SESSION_NEW)
		return -EBUSY;
	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	if (config->cpus)
		err = take_cpus(config, cpus);
	if (!err)
		err = tprof_streams_resize(&session->streams, config->stream_bytes);
	if (!err) {
		cpumask_copy(session->cpus, cpus);
		session->all_cpus = !config->cpus;
		session->flags = config->flags;
		session->wakeup_bytes = config->stream_wakeup;
		session->scoped |= config->flags & (TPROF_CONFIG_USER | TPROF_CONFIG_KERNEL | TPROF_CONFIG_COMM);
		session->budget_permille = config->budget_permille ?: tprof_default_budget_permille;
		tprof_filters_change_budget(session, tprof_filter_budget(session->budget_permille));
		tprof_session_update_plain(session);
		memcpy(session->comm, config->comm, sizeof(session->comm));
	}
	free_cpumask_var(cpus);
	return err;
}

static int fetch_event(struct argument *argument)
{
	const struct tprof_event *event = &argument->event;
	struct tprof_choice *choice;
	int err = 0;

	if (event->flags || event->pad || event->source[TPROF_NAME_LEN - 1] || !event->attr != !event->attr_size)
		return -EINVAL;
	if (event->attr_size > MAX_ATTR_BYTES)
		return -E2BIG;
	if (event->attr_size)
		err = fetch(argument, event->attr, event->attr_size);
	if (err)
		return err;
	choice = tprof_choice_new(event->source, argument->more, event->attr_size, event->period);
	if (IS_ERR(choice))
		return PTR_ERR(choice);
	argument->choice = choice;
	return 0;
}

static long add_event(struct tprof_session *session, void *arg)
{
	struct argument *argument = argument_of(arg);
	u32 index = session->nr_events;
	int err;

	if (session->state != TPROF_SESSION_NEW || READ_ONCE(session->starting))
		return -EBUSY;
	if (index == TPROF_MAX_EVENTS)
		return -ENOSPC;
	err = tprof_subscription_open(&session->events[index], session, index, argument->choice);
	if (err)
		return err;
	argument->choice = NULL;
	session->nr_events++;
	tprof_filters_tell_needs(session);
	return index;
}

static long set_period(struct tprof_session *session, void *arg)
{
	const struct tprof_period *period = arg;

	if (period->event >= session->nr_events)
		return -ENOENT;
	return tprof_subscription_set_period(&session->events[array_index_nospec(period->event, TPROF_MAX_EVENTS)],
					     period->period);
}

static long attach(struct tprof_session *session, void *arg)
{
	return tprof_scope_attach(session, arg);
}

static long detach(struct tprof_session *session, void *arg)
{
	return tprof_scope_detach(session, arg);
}

static long read_ledger(struct tprof_session *session, void *arg)
{
	return tprof_session_ledger(session, arg);
}

static long read_counts(struct tprof_session *session, void *arg)
{
	return tprof_session_counts(session, arg);
}

static long read_session(struct tprof_session *session, void *arg)
{
	return tprof_session_info(session, arg);
}

static long read_filter(struct tprof_session *session, void *arg)
{
	return tprof_session_filter(session, arg);
}

static long enable_filter(struct tprof_session *session, void *arg)
{
	const struct tprof_filter_enable *enable = arg;

	return enable->pad ? -EINVAL : tprof_filter_enable(session, enable->id);
}

static long seal(struct tprof_session *session, void *arg)
{
	const struct tprof_seal *seal = arg;

	if (seal->seals & ~TPROF_SEALS)
		return -EINVAL;
	session->seals |= seal->seals;
	return 0;
}

struct call {
	long (*call)(struct tprof_session *session, void *arg);
	int (*fetch)(struct argument *argument); /* optional: checks the struct, copies the memory it points to */
	size_t known, least;			/* as in tprof_abi_copy_in() */
	u32 seal;				/* TPROF_SEAL_* that refuses the call, or 0 */
	bool out;				/* the struct is copied back */
};

#define CALL(nr, fn, fetch_fn, type, last, goes_back, seal_bit)				\
	[_IOC_NR(nr)] = {								\
		.call = fn, .fetch = fetch_fn, .known = sizeof(struct type),		\
		.least = TPROF_ABI_LEAST(type, last), .out = goes_back,			\
		.seal = seal_bit,							\
	}

static const struct call calls[] = {
	CALL(TPROF_IOC_CONFIGURE, configure, fetch_config, tprof_config, comm, false, TPROF_SEAL_SCOPE),
	CALL(TPROF_IOC_ADD_EVENT, add_event, fetch_event, tprof_event, pad, false, TPROF_SEAL_EVENTS),
	CALL(TPROF_IOC_PERIOD, set_period, NULL, tprof_period, period, false, TPROF_SEAL_EVENTS),
	CALL(TPROF_IOC_ATTACH, attach, NULL, tprof_target, id, false, TPROF_SEAL_SCOPE),
	CALL(TPROF_IOC_DETACH, detach, NULL, tprof_target, id, false, TPROF_SEAL_SCOPE),
	CALL(TPROF_IOC_LEDGER, read_ledger, NULL, tprof_ledger_read, lost, true, 0),
	CALL(TPROF_IOC_COUNTS, read_counts, NULL, tprof_counts, pad2, true, 0),
	CALL(TPROF_IOC_SESSION, read_session, NULL, tprof_session_info, pad, true, 0),
	CALL(TPROF_IOC_FILTER, read_filter, NULL, tprof_filter_info, name, true, 0),
	CALL(TPROF_IOC_FILTER_ENABLE, enable_filter, NULL, tprof_filter_enable, id, false, 0),
	CALL(TPROF_IOC_SEAL, seal, NULL, tprof_seal, seals, false, 0),
};

/* User memory is accessed without the session's mutex held: a page fault can block for any time (userfaultfd, FUSE). */
static long call_with_struct(struct tprof_session *session, const struct call *call, void __user *user)
{
	struct argument *argument = kzalloc(sizeof(*argument), GFP_KERNEL);
	struct mem_cgroup *before;
	long result;

	if (!argument)
		return -ENOMEM;
	result = tprof_abi_copy_in(argument, call->known, call->least, user);
	if (!result && call->fetch)
		result = call->fetch(argument);
	if (!result) {
		mutex_lock(&session->mutex);
		before = tprof_payer_begin(&session->payer);
		result = session->seals & call->seal ? -EPERM : call->call(session, argument);
		tprof_payer_end(before);
		mutex_unlock(&session->mutex);
	}
	if (!result && call->out)
		result = tprof_abi_copy_out(user, argument, call->known);
	tprof_choice_free(argument->choice);
	kfree(argument->more);
	kfree(argument);
	return result;
}

long tprof_session_ioctl(struct tprof_session *session, unsigned int cmd, unsigned long arg)
{
	unsigned int nr = _IOC_NR(cmd);
	u64 cookie;

	switch (cmd) {
	case TPROF_IOC_START:
		return tprof_session_start(session);
	case TPROF_IOC_STOP:
		return tprof_session_stop(session);
	case TPROF_IOC_FLUSH:
		if (get_user(cookie, (const u64 __user *)arg))
			return -EFAULT;
		tprof_session_flush(session, cookie);
		return 0;
	case TPROF_IOC_CLEAR:
		tprof_session_clear(session);
		return 0;
	}
	/*
	 * The size encoded in @cmd is that of the caller's version of the struct, so only type and number are compared.
	 */
	if (_IOC_TYPE(cmd) != TPROF_IOC_MAGIC || nr >= ARRAY_SIZE(calls))
		return -ENOTTY;
	nr = array_index_nospec(nr, ARRAY_SIZE(calls));
	if (!calls[nr].call)
		return -ENOTTY;
	return call_with_struct(session, &calls[nr], (void __user *)arg);
}
