// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the hits of probes, for the sources "kprobe", "uprobe" and "function".
 *
 * Hits are counted with interrupts disabled, so a function call on another CPU waits for a hit that is being counted
 * there. tprof_probe_hit() may run in any context; all other functions run in process context.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "probe.h"
#include "sample.h"

/* Argument of a function call on another CPU. */
struct request {
	struct tprof_source *source;
	u64 period;
};

static struct tprof_probe_cpu *first_cpu(const struct tprof_source *source)
{
	return tprof_source_cpu(source, cpumask_first(cpu_possible_mask));
}

static struct tprof_probe_cpu *this_cpu(const struct tprof_source *source)
{
	return tprof_source_cpu(source, smp_processor_id());
}

void tprof_probe_hit(struct tprof_probe *probe, struct pt_regs *regs)
{
	struct tprof_source *source = probe->source;
	struct tprof_probe_cpu *c;
	unsigned long flags;
	u64 weight;

	local_irq_save(flags);
	c = this_cpu(source);
	if (likely(c->counting)) {
		WRITE_ONCE(c->hits, c->hits + 1);
		weight = ++c->elapsed;
		if (c->period && weight >= c->period) {
			c->elapsed = 0;
			tprof_source_fire_caused(source, regs, weight, 0, 0);
		}
	}
	local_irq_restore(flags);
}
NOKPROBE_SYMBOL(tprof_probe_hit);
EXPORT_SYMBOL_GPL(tprof_probe_hit);

/* Like all functions ending in _here: called by smp_call_function_single(), interrupts disabled. */
static void start_here(void *info)
{
	const struct request *request = info;
	struct tprof_probe_cpu *c = this_cpu(request->source);

	c->period = request->period;
	c->elapsed = 0;
	WRITE_ONCE(c->hits, 0);
	c->counting = true;
}

static void stop_here(void *info)
{
	const struct request *request = info;

	this_cpu(request->source)->counting = false;
}

/* A shorter period may have elapsed already: the next hit then fires, with the weight of all hits until then. */
static void set_period_here(void *info)
{
	const struct request *request = info;

	this_cpu(request->source)->period = request->period;
}

static int ask(unsigned int cpu, smp_call_func_t what, struct tprof_source *source, u64 period)
{
	struct request request = { .source = source, .period = period };

	return smp_call_function_single(cpu, what, &request, 1) ? -ENODEV : 0;
}

static const struct tprof_probe_ops *ops_of(const struct tprof_source *source)
{
	return &container_of(source->ops, struct tprof_probe_source, source)->probe;
}

static u64 missed_by(const struct tprof_probe *probe)
{
	const struct tprof_probe_ops *ops = ops_of(probe->source);

	return ops->missed ? ops->missed(probe) : 0;
}

int tprof_probe_prepare(struct tprof_source *source)
{
	struct tprof_probe *probe = ops_of(source)->place(source);

	if (IS_ERR(probe))
		return PTR_ERR(probe);
	first_cpu(source)->probe = probe;
	return 0;
}
EXPORT_SYMBOL_GPL(tprof_probe_prepare);

void tprof_probe_unprepare(struct tprof_source *source)
{
	ops_of(source)->remove(first_cpu(source)->probe);
}
EXPORT_SYMBOL_GPL(tprof_probe_unprepare);

int tprof_probe_start(struct tprof_source *source, unsigned int cpu, u64 period)
{
	struct tprof_probe_cpu *first = first_cpu(source), *c = tprof_source_cpu(source, cpu);

	c->started_ns = ktime_get_ns();
	c->stopped_ns = 0;
	c->missed = missed_by(first->probe);
	return ask(cpu, start_here, source, period);
}
EXPORT_SYMBOL_GPL(tprof_probe_start);

void tprof_probe_stop(struct tprof_source *source, unsigned int cpu)
{
	struct tprof_probe_cpu *first = first_cpu(source), *c = tprof_source_cpu(source, cpu);

	/* An offline CPU does not hit. */
	if (ask(cpu, stop_here, source, 0))
		c->counting = false;
	c->stopped_ns = ktime_get_ns();
	c->missed = missed_by(first->probe) - c->missed;
}
EXPORT_SYMBOL_GPL(tprof_probe_stop);

int tprof_probe_set_period(struct tprof_source *source, unsigned int cpu, u64 period)
{
	return ask(cpu, set_period_here, source, period);
}
EXPORT_SYMBOL_GPL(tprof_probe_set_period);

u64 tprof_probe_settle(struct tprof_source *source)
{
	return this_cpu(source)->elapsed;
}
EXPORT_SYMBOL_GPL(tprof_probe_settle);

void tprof_probe_read(struct tprof_source *source, unsigned int cpu, struct tprof_source_count *count)
{
	const struct tprof_probe_cpu *c = tprof_source_cpu(source, cpu), *first = first_cpu(source);
	u64 until_ns = c->stopped_ns ?: ktime_get_ns();

	count->value = READ_ONCE(c->hits);
	if (c == first)
		count->value += c->stopped_ns ? c->missed : missed_by(first->probe) - c->missed;
	count->enabled_ns = count->running_ns = until_ns - c->started_ns;
}
EXPORT_SYMBOL_GPL(tprof_probe_read);

const char *tprof_probe_text(const void *attr, size_t size)
{
	const struct tprof_place *place = attr;
	const char *text = attr + sizeof(*place);

	if (size <= sizeof(*place) || place->flags & ~TPROF_PLACE_RETURN || place->pad)
		return ERR_PTR(-EINVAL);
	size -= sizeof(*place);
	return strnlen(text, size) == size - 1 ? text : ERR_PTR(-EINVAL);
}
EXPORT_SYMBOL_GPL(tprof_probe_text);
