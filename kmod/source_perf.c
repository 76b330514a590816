// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "perf": any event that the kernel's perf can count on a CPU: hardware, raw, software, tracepoint. One
 * kernel counter for each CPU, with a fixed period.
 */
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "source.h"

struct perf_cpu {
	struct perf_event *event;		/* NULL: not started */
	struct tprof_source_count last;		/* what it said when it was stopped */
};

/* On the NMI path, where the counter's interrupt is one. */
static void overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	u64 addr = data->sample_flags & PERF_SAMPLE_ADDR ? data->addr : 0;

	tprof_source_fire(event->overflow_handler_context, regs, data->period, addr, 0);
}

/* Copies what may be chosen; whatever else is set is not ours to honour. */
static void take_choices(struct perf_event_attr *to, const struct perf_event_attr *from)
{
	to->type = from->type;
	to->config = from->config;
	to->config1 = from->config1;
	to->config2 = from->config2;
	to->config3 = from->config3;
	to->bp_type = from->bp_type;
	to->exclude_user = from->exclude_user;
	to->exclude_kernel = from->exclude_kernel;
	to->exclude_hv = from->exclude_hv;
	to->exclude_host = from->exclude_host;
	to->exclude_guest = from->exclude_guest;
	to->exclude_idle = from->exclude_idle;
	to->pinned = from->pinned;
	to->exclusive = from->exclusive;
	to->precise_ip = from->precise_ip;
}

static int perf_parse(const void *data, size_t size, void *parsed)
{
	struct perf_event_attr *attr = parsed;
	struct perf_event_attr known = {}, choices = {};

	if (size < PERF_ATTR_SIZE_VER0)
		return -EINVAL;
	if (size > sizeof(known) && memchr_inv(data + sizeof(known), 0, size - sizeof(known)))
		return -E2BIG;
	memcpy(&known, data, min(size, sizeof(known)));
	if (known.size && known.size != size)
		return -EINVAL;
	known.size = 0;
	take_choices(&choices, &known);
	if (memcmp(&choices, &known, sizeof(known)))
		return -EINVAL;
	/* There the kernel steps over a breakpoint only for its own handlers: for ours it would be hit for ever. */
	if (IS_ENABLED(CONFIG_ARM64) && choices.type == PERF_TYPE_BREAKPOINT)
		return -EOPNOTSUPP;
	*attr = choices;
	attr->size = sizeof(*attr);
	return 0;
}

static void set_period(struct perf_event_attr *attr, u64 period)
{
	attr->sample_period = period;
	/* The period comes in any case; asked for, it would make software events fire each time, whatever it is. */
	attr->sample_type = period ? PERF_SAMPLE_ADDR : 0;
}

/* There are events that can be counted but not sampled. */
static int perf_check(const void *parsed, u64 period)
{
	struct perf_event_attr attr = *(const struct perf_event_attr *)parsed;
	struct perf_event *event;

	set_period(&attr, period);
	attr.disabled = 1;
	event = perf_event_create_kernel_counter(&attr, cpumask_first(cpu_online_mask), NULL, overflow, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENOENT || PTR_ERR(event) == -ENODEV ? -EOPNOTSUPP : PTR_ERR(event);
	perf_event_release_kernel(event);
	return 0;
}

static int perf_start(struct tprof_source *source, unsigned int cpu, u64 period)
{
	struct perf_cpu *p = tprof_source_cpu(source, cpu);
	struct perf_event_attr attr = *(const struct perf_event_attr *)tprof_source_event(source);
	struct perf_event *event;

	set_period(&attr, period);
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, overflow, source);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENOENT ? -EOPNOTSUPP : PTR_ERR(event);
	p->event = event;
	return 0;
}

static void perf_read(struct tprof_source *source, unsigned int cpu, struct tprof_source_count *count)
{
	struct perf_cpu *p = tprof_source_cpu(source, cpu);

	if (p->event)
		count->value = perf_event_read_value(p->event, &count->enabled_ns, &count->running_ns);
	else
		*count = p->last;
}

static void perf_stop(struct tprof_source *source, unsigned int cpu)
{
	struct perf_cpu *p = tprof_source_cpu(source, cpu);

	/* First, so that nothing fires that is not in the count. */
	perf_event_disable(p->event);
	perf_read(source, cpu, &p->last);
	perf_event_release_kernel(p->event);
	p->event = NULL;
}

static int perf_set_period(struct tprof_source *source, unsigned int cpu, u64 period)
{
	struct perf_cpu *p = tprof_source_cpu(source, cpu);

	return perf_event_period(p->event, period);
}

static void perf_describe(const void *event, struct seq_file *m)
{
	const struct perf_event_attr *attr = event;

	seq_printf(m, "type=%u,config=0x%llx", attr->type, attr->config);
}

const struct tprof_source_ops tprof_source_perf = {
	.version = TPROF_SOURCE_VERSION,
	.name = "perf",
	.owner = THIS_MODULE,
	.event_size = sizeof(struct perf_event_attr),
	.cpu_size = sizeof(struct perf_cpu),
	.can_count = true,
	.parse = perf_parse,
	.check = perf_check,
	.start = perf_start,
	.stop = perf_stop,
	.set_period = perf_set_period,
	.read = perf_read,
	.describe = perf_describe,
};
