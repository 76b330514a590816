// SPDX-License-Identifier: GPL-2.0-only
/* Sessions: create, start, stop, flush, clear, close. */
#include <linux/audit.h>
#include <linux/cpu.h>
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "session.h"
#include "stage.h"
#include "stream_memory.h"
#include "tprof_trace.h"

static LIST_HEAD(sessions);
static DEFINE_MUTEX(sessions_mutex);
static u64 last_id;				/* L */
static unsigned int nr_sessions;		/* L */

static void session_set_state(struct tprof_session *session, u32 state)
{
	lockdep_assert_held(&session->mutex);
	WARN_ON_ONCE(state == TPROF_SESSION_RUNNING ? session->state == TPROF_SESSION_RUNNING :
						      session->state != TPROF_SESSION_RUNNING);
	WRITE_ONCE(session->state, state);
	trace_tprof_session(session->id, state);
}

/* Writes an audit record: the session samples the tasks of all users. */
static void audit_start(const struct tprof_session *session)
{
	struct audit_buffer *record = audit_log_start(audit_context(), GFP_KERNEL, AUDIT_KERNEL_OTHER);

	if (!record)
		return;
	audit_log_format(record, "op=tprof_session_start session=%llu", session->id);
	audit_log_task_info(record);
	audit_log_end(record);
}

static void session_free(struct tprof_session *session)
{
	tprof_streams_fini(&session->streams);
	tprof_scope_fini(&session->scope);
	kfree(rcu_dereference_protected(session->filters, true));
	free_percpu(session->cpu);
	free_cpumask_var(session->cpus);
	if (session->pidns)
		put_pid_ns(session->pidns);
	mutex_destroy(&session->mutex);
	mutex_destroy(&session->run_mutex);
	tprof_payer_close(&session->payer);
	kfree(session);
}

static int session_init_cpus(struct tprof_session *session)
{
	unsigned int cpu;

	session->cpu = alloc_percpu_gfp(struct tprof_session_cpu, TPROF_GFP);
	if (!session->cpu || !zalloc_cpumask_var(&session->cpus, TPROF_GFP))
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		tprof_ledger_init(&per_cpu_ptr(session->cpu, cpu)->ledger);
	session->all_cpus = true;
	return 0;
}

void tprof_session_update_plain(struct tprof_session *session)
{
	WRITE_ONCE(session->plain, session->all_cpus && !session->scoped && !session->pidns &&
		   !(session->flags & TPROF_CONFIG_STALL));
}

static void session_publish(struct tprof_session *session)
{
	mutex_lock(&sessions_mutex);
	session->id = ++last_id;
	nr_sessions++;
	list_add_tail(&session->list, &sessions);
	mutex_unlock(&sessions_mutex);
}

/* Records the current process as the creator. */
static void session_set_owner(struct tprof_session *session)
{
	struct pid_namespace *pidns = task_active_pid_ns(current);

	session->owner = task_tgid_nr(current);
	get_task_comm(session->owner_comm, current);
	if (pidns != &init_pid_ns)
		session->pidns = get_pid_ns(pidns);
}

struct tprof_session *tprof_session_create(void)
{
	struct tprof_session *session = kzalloc(sizeof(*session), TPROF_GFP);
	int err = session ? tprof_payer_open(&session->payer) : -ENOMEM;

	if (err) {
		kfree(session);
		return ERR_PTR(err);
	}
	kref_init(&session->ref);
	mutex_init(&session->run_mutex);
	mutex_init(&session->mutex);
	session->budget_permille = tprof_default_budget_permille;
	session->budget = tprof_filter_budget(session->budget_permille);
	session_set_owner(session);
	tprof_streams_init(&session->streams, &session->payer);
	tprof_scope_init(&session->scope, &session->payer);
	err = session_init_cpus(session);
	if (!err)
		err = tprof_filters_init(session);
	tprof_session_update_plain(session);
	if (err) {
		session_free(session);
		return ERR_PTR(err);
	}
	session_publish(session);
	return session;
}

void tprof_session_get(struct tprof_session *session)
{
	kref_get(&session->ref);
}

static void session_release(struct kref *ref)
{
	session_free(container_of(ref, struct tprof_session, ref));
}

void tprof_session_put(struct tprof_session *session)
{
	kref_put(&session->ref, session_release);
}

static int start_locked(struct tprof_session *session)
{
	unsigned int i;
	int err;

	tprof_streams_event(session, TPROF_RECORD_START);
	for (i = 0; i < session->nr_events; i++) {
		err = tprof_subscribe(&session->events[i]);
		if (err)
			goto unsubscribe;
	}
	session_set_state(session, TPROF_SESSION_RUNNING);
	if (!session->scoped && session->all_cpus)
		audit_start(session);
	return 0;
unsubscribe:
	while (i--)
		tprof_unsubscribe(&session->events[i]);
	tprof_streams_event(session, TPROF_RECORD_STOP);
	return err;
}

static void unprepare(struct tprof_session *session)
{
	unsigned int i;

	for (i = 0; i < session->nr_events; i++)
		tprof_subscription_unprepare(&session->events[i]);
}

/* Prepares the sources of the session, without its mutex: others may wait for that, when they list sessions. */
static int prepare(struct tprof_session *session)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < session->nr_events && !err; i++)
		err = tprof_subscription_prepare(&session->events[i]);
	if (err)
		unprepare(session);
	return err;
}

/* Starts a session that has events and does not run. */
static int start(struct tprof_session *session)
{
	int err = prepare(session);

	if (!err) {
		mutex_lock(&session->mutex);
		err = start_locked(session);
		mutex_unlock(&session->mutex);
		if (err)
			unprepare(session);
	}
	return err;
}

int tprof_session_start(struct tprof_session *session)
{
	struct mem_cgroup *before;
	bool running;
	int err = 0;

	if (mutex_lock_interruptible(&session->run_mutex))
		return -ERESTARTSYS;
	mutex_lock(&session->mutex);
	running = session->state == TPROF_SESSION_RUNNING;
	if (!running && !session->nr_events)
		err = -EINVAL;
	session->starting = !running && !err;
	mutex_unlock(&session->mutex);
	if (!running && !err) {
		before = tprof_payer_begin(&session->payer);
		err = start(session);
		tprof_payer_end(before);
		WRITE_ONCE(session->starting, false);
	}
	mutex_unlock(&session->run_mutex);
	return err;
}

/* With run_mutex held. */
static void stop(struct tprof_session *session)
{
	bool running;
	unsigned int i;

	mutex_lock(&session->mutex);
	running = session->state == TPROF_SESSION_RUNNING;
	if (running) {
		for (i = 0; i < session->nr_events; i++)
			tprof_unsubscribe(&session->events[i]);
		/* Before the state: a reader that sees STOPPED finds all records. */
		tprof_streams_event(session, TPROF_RECORD_STOP);
		session_set_state(session, TPROF_SESSION_STOPPED);
		tprof_streams_wake(&session->streams);
	}
	mutex_unlock(&session->mutex);
	if (running)
		unprepare(session);
}

int tprof_session_stop(struct tprof_session *session)
{
	if (mutex_lock_interruptible(&session->run_mutex))
		return -ERESTARTSYS;
	stop(session);
	mutex_unlock(&session->run_mutex);
	return 0;
}

void tprof_session_close(struct tprof_session *session)
{
	unsigned int i;

	mutex_lock(&sessions_mutex);
	list_del(&session->list);
	nr_sessions--;
	mutex_unlock(&sessions_mutex);

	mutex_lock(&session->mutex);
	session->closed = true;
	mutex_unlock(&session->mutex);
	/* run_mutex is free, since each call of the session holds its file. */
	mutex_lock(&session->run_mutex);
	stop(session);
	mutex_unlock(&session->run_mutex);
	/* Filters may hold a reference on the session, but must not keep its sources' modules or its fork probe. */
	mutex_lock(&session->mutex);
	for (i = 0; i < session->nr_events; i++)
		tprof_subscription_close(&session->events[i]);
	session->nr_events = 0;
	tprof_scope_close(&session->scope);
	mutex_unlock(&session->mutex);
	tprof_session_put(session);
}

const struct cpumask *tprof_session_cpus(const struct tprof_session *session)
{
	unsigned int i;

	lockdep_assert_held(&session->mutex);
	for (i = 0; i < session->nr_events; i++) {
		/* Written with the sources mutex and this one held. */
		if (session->events[i].source)
			return session->all_cpus ? cpu_online_mask : session->cpus;
	}
	return cpu_none_mask;
}

/* Delivers all samples of events up to now. */
static void settle(struct tprof_session *session)
{
	unsigned int i;

	for (i = 0; i < session->nr_events; i++)
		tprof_subscription_settle(&session->events[i]);
	tprof_quiesce(tprof_session_cpus(session));
}

void tprof_session_flush(struct tprof_session *session, u64 cookie)
{
	mutex_lock(&session->mutex);
	settle(session);
	tprof_streams_flush(session, cookie);
	mutex_unlock(&session->mutex);
}

static void clear_cpu(struct tprof_session *session, unsigned int cpu)
{
	struct tprof_session_cpu *c = per_cpu_ptr(session->cpu, cpu);

	tprof_ledger_clear(&c->ledger);
	tprof_stream_clear(session, cpu);
}

static void clear_here(void *session)
{
	unsigned long flags;

	/* A safeguard only: on_each_cpu_mask() disables interrupts on the calling CPU too. */
	local_irq_save(flags);
	clear_cpu(session, smp_processor_id());
	local_irq_restore(flags);
}

void tprof_session_clear(struct tprof_session *session)
{
	const struct cpumask *cpus;
	unsigned int i, cpu;

	mutex_lock(&session->mutex);
	cpus = tprof_session_cpus(session);
	settle(session);
	session->epoch++;
	cpus_read_lock();
	on_each_cpu_mask(cpus, clear_here, session, 1);
	for_each_possible_cpu(cpu) {
		if (!cpu_online(cpu) || !cpumask_test_cpu(cpu, cpus))
			clear_cpu(session, cpu);
	}
	cpus_read_unlock();
	for (i = 0; i < session->nr_events; i++)
		tprof_subscription_clear(&session->events[i]);
	mutex_unlock(&session->mutex);
}

unsigned int tprof_session_nr_sessions(void)
{
	return READ_ONCE(nr_sessions);
}

void tprof_session_for_each(void (*show)(struct tprof_session *session, void *ctx), void *ctx)
{
	struct tprof_session *session;

	mutex_lock(&sessions_mutex);
	list_for_each_entry(session, &sessions, list) {
		mutex_lock(&session->mutex);
		show(session, ctx);
		mutex_unlock(&session->mutex);
	}
	mutex_unlock(&sessions_mutex);
}
