// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/tprof/{sources,sessions,filters,users,calls}: lists of all sources, sessions and filters, of the
 * users that have sessions, and of the kinds of calls, for root. The first line has the names of the columns, then one
 * line per object. Columns are separated by tabs; columns may be added at the end. owners has one line about the owners
 * of work, kernel_stacks about the fast way.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "calls.h"
#include "debugfs.h"
#include "owner.h"
#include "payer.h"
#include "session.h"
#include "session_info.h"
#include "source.h"
#include "steps.h"
#include "unwind.h"

static struct dentry *dir;

static void show_source(struct tprof_source *source, void *ctx)
{
	unsigned int cpu, nr_cpus = 0, factor = 1;
	struct seq_file *m = ctx;

	for_each_possible_cpu(cpu) {
		nr_cpus += per_cpu_ptr(source->cpu, cpu)->running;
		factor = max(factor, per_cpu_ptr(source->cpu, cpu)->factor);
	}
	seq_printf(m, "%u\t%s\t", source->id, source->ops->name);
	if (source->ops->describe)
		source->ops->describe(source->event, m);
	else
		seq_putc(m, '-');
	seq_printf(m, "\t%llu\t%zu\t%u\t%llu\t%llu\t%u\n", source->period, list_count_nodes(&source->users), nr_cpus,
		   tprof_source_fired(source), tprof_source_delivery_ns(source), factor);
}

static int sources_show(struct seq_file *m, void *unused)
{
	seq_puts(m, "id\tsource\tevent\tperiod\tusers\tcpus\tfired\tdelivery_ns\tperiod_factor\n");
	tprof_source_for_each(show_source, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sources);

static u64 sum_lost(const struct tprof_ledger_read *ledger)
{
	u64 lost = 0;
	unsigned int i;

	for (i = 0; i < TPROF_NR_LOST_REASONS; i++)
		lost += ledger->lost[i].samples;
	return lost;
}

/* Run time of the filters of the session, those of now, in nanoseconds. */
static u64 sum_run(struct tprof_session *session, unsigned int nr_filters)
{
	struct tprof_filter_info filter = {};
	u64 run = 0;

	for (filter.index = 0; filter.index < nr_filters; filter.index++) {
		if (!tprof_session_filter(session, &filter))
			run += filter.run_ns;
	}
	return run;
}

static void show_session(struct tprof_session *session, void *ctx)
{
	struct tprof_ledger_read ledger = { .cpu = -1 };
	struct tprof_session_info info = {};
	struct seq_file *m = ctx;

	tprof_session_ledger(session, &ledger);
	tprof_session_info(session, &info);
	seq_printf(m, "%llu\t%s\t%d\t", session->id, tprof_session_state_name(session), session->owner);
	seq_escape(m, session->owner_comm, "\t\n\\");
	seq_printf(m, "\t%u\t%u\t%llu\t%llu\t%u\t%llu\t%llu\n", info.nr_events, info.nr_filters,
		   ledger.fired.samples, sum_lost(&ledger), info.epoch, sum_run(session, info.nr_filters),
		   tprof_session_memory(session));
}

static int sessions_show(struct seq_file *m, void *unused)
{
	seq_puts(m, "id\tstate\tpid\tcomm\tevents\tfilters\tfired\tlost\tepoch\tfilter_ns\tmemory\n");
	tprof_session_for_each(show_session, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sessions);

static void show_filter(struct tprof_filter *filter, void *ctx)
{
	struct tprof_filter_owner owner = tprof_filter_owner(filter);
	struct tprof_filter_info info = {};
	struct seq_file *m = ctx;

	tprof_filter_read(filter, &info);
	seq_printf(m, "%llu\t%llu\t", filter->session->id, info.id);
	seq_escape(m, owner.name, "\t\n\\");
	seq_printf(m, "\t%s\t%llu\t%llu\t%llu\t%llu\t%llu\t%d\t",
		   info.state == TPROF_FILTER_ACTIVE ? "active" : "over-budget", info.calls, info.run_ns, info.kept,
		   info.bad, info.longest_ns, owner.pid);
	seq_escape(m, owner.comm, "\t\n\\");
	seq_printf(m, "\t%s\n", filter->direct ? "direct" : "trampoline");
}

static int filters_show(struct seq_file *m, void *unused)
{
	seq_puts(m, "session\tid\tname\tstate\tcalls\trun_ns\tkept\tbad\tlongest_ns\tpid\tcomm\tcall\n");
	tprof_filter_for_each(show_filter, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(filters);

static void show_user(struct tprof_user *user, void *ctx)
{
	struct seq_file *m = ctx;
	unsigned int i;

	seq_printf(m, "%u", from_kuid(&init_user_ns, user->uid));
	for (i = 0; i < TPROF_NR_RESOURCES; i++)
		seq_printf(m, "\t%lld", atomic64_read(&user->used[i]));
	seq_putc(m, '\n');
}

static int users_show(struct seq_file *m, void *unused)
{
	/* In the order of enum tprof_resource. */
	seq_puts(m, "uid\tsessions\tevents\ttargets\tstream_bytes\twaits\n");
	tprof_user_for_each(show_user, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(users);

static int calls_show(struct seq_file *m, void *unused)
{
	seq_puts(m, "call\tcalls\tfailed\n");
	tprof_calls_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(calls);

static int owners_show(struct seq_file *m, void *unused)
{
	struct tprof_owners_info info;

	tprof_owners_read(&info);
	seq_puts(m, "filters\tcapacity\twaiting\tworking\treplaced\tunclear\tfull\n");
	seq_printf(m, "%u\t%u\t%u\t%u\t%llu\t%llu\t%llu\n", info.users, info.capacity, info.waiting, info.working,
		   info.replaced, info.unclear, info.full);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(owners);

#if defined(CONFIG_UNWINDER_ORC) || defined(CONFIG_ARM64)
#define HAS_KERNEL_STACKS
static int kernel_stacks_show(struct seq_file *m, void *unused)
{
#ifdef CONFIG_ARM64
	tprof_unwind_show(m);
#else
	tprof_steps_show(m);
#endif
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kernel_stacks);
#endif

void tprof_debugfs_init(void)
{
	dir = debugfs_create_dir("tprof", NULL);
	debugfs_create_file("sources", 0400, dir, NULL, &sources_fops);
	debugfs_create_file("sessions", 0400, dir, NULL, &sessions_fops);
	debugfs_create_file("filters", 0400, dir, NULL, &filters_fops);
	debugfs_create_file("users", 0400, dir, NULL, &users_fops);
	debugfs_create_file("calls", 0400, dir, NULL, &calls_fops);
	debugfs_create_file("owners", 0400, dir, NULL, &owners_fops);
#ifdef HAS_KERNEL_STACKS
	debugfs_create_file("kernel_stacks", 0400, dir, NULL, &kernel_stacks_fops);
#endif
}

void tprof_debugfs_exit(void)
{
	debugfs_remove(dir);
}
