// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "perf": any event that perf can count on a CPU: hardware, raw, software, tracepoint, breakpoint. One kernel
 * counter (perf_event_create_kernel_counter()) per CPU, with a fixed period.
 *
 * The kernel checks permissions when a counter is created. The client's are checked when the event is added. Later
 * counters, of a start, of another period or of a CPU that came online, are created with the credentials of the kernel:
 * a session may have been passed to a process without capabilities.
 */
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/seq_file.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "perf_source.h"
#include "sample.h"
#include "source.h"
#include "unwind.h"

/* Nanoseconds. perf limits the timers of cpu-clock and task-clock to this, whatever period is set and reported. */
#define MIN_CLOCK_PERIOD	10000

struct perf_cpu {
	struct perf_event *event;		/* NULL: not started */
	struct tprof_source_count past;		/* counts of the events that it replaced since the last start */
};

static const struct cred *kernel_creds;		/* I */

/*
 * Overflow handler. NMI-safe: the interrupt of a hardware counter may be an NMI.
 *
 * The registers of a precise event are a mixture, depending on the hardware: the recorded address, with other registers
 * and flags of the record or of the interrupt. Only the address is used.
 */
static void overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct tprof_source *source = event->overflow_handler_context;
	u64 addr = data->sample_flags & PERF_SAMPLE_ADDR ? data->addr : 0;

	if (is_software_event(event))
		tprof_source_fire_caused(source, regs, data->period, addr, 0);
	else if (event->attr.precise_ip)
		tprof_source_fire_precise(source, tprof_unwind_interrupted(), instruction_pointer(regs), data->period,
					  addr, 0);
	else
		tprof_source_fire(source, regs, data->period, addr, 0);
}

/* Copies the members that a client may set. */
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
	/* arm64 steps over a breakpoint only for its default overflow handler; with ours it would be hit endlessly. */
	if (IS_ENABLED(CONFIG_ARM64) && choices.type == PERF_TYPE_BREAKPOINT)
		return -EOPNOTSUPP;
	*attr = choices;
	attr->size = sizeof(*attr);
	return 0;
}

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static void set_period(struct perf_event_attr *attr, u64 period)
{
	attr->sample_period = period && is_clock(attr) ? max(period, MIN_CLOCK_PERIOD) : period;
	/* Disables large PEBS, which defers samples and needs a ring buffer. */
	attr->wakeup_events = period && attr->precise_ip;
	/* data->period is always set. PERF_SAMPLE_PERIOD would make software events overflow at every event. */
	attr->sample_type = period ? PERF_SAMPLE_ADDR : 0;
}

/*
 * The attributes of these PMUs hold addresses of strings in the memory of the client, which may change, and which other
 * processes do not have. The sources "kprobe" and "uprobe" take their place.
 */
static bool needs_client(const struct pmu *pmu)
{
	return pmu->name && (strcmp(pmu->name, "kprobe") == 0 || strcmp(pmu->name, "uprobe") == 0);
}

/*
 * Tests whether an event of the PMU can be counted, or sampled with a period. One that writes its data to an AUX area
 * (Intel PT, Arm SPE) accepts any event, and neither counts nor overflows. For the capability, perf_event_open() checks
 * and perf_event_create_kernel_counter() does not.
 */
static bool can(const struct pmu *pmu, u64 period)
{
	return !pmu->setup_aux && !(period && pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT);
}

/*
 * Creates a counter that is not enabled. Errors: ENXIO (no PMU has the event on this CPU: those of hybrid processors
 * have some of the CPUs each), EOPNOTSUPP, and others of the PMU.
 * @source: NULL for a counter that is only created as a test
 */
static struct perf_event *counter_new(const struct perf_event_attr *choices, unsigned int cpu, u64 period,
				      struct tprof_source *source)
{
	struct perf_event_attr attr = *choices;
	struct perf_event *event;

	set_period(&attr, period);
	attr.disabled = 1;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, overflow, source);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENOENT ? ERR_PTR(-ENXIO) : event;
	/* An event that several CPUs share (uncore) is counted on the CPU that its PMU designates, and on no other. */
	if (event->cpu != cpu) {
		perf_event_release_kernel(event);
		return ERR_PTR(-ENXIO);
	}
	if (needs_client(event->pmu) || !can(event->pmu, period)) {
		perf_event_release_kernel(event);
		return ERR_PTR(-EOPNOTSUPP);
	}
	return event;
}

static struct perf_event *counter_of(struct tprof_source *source, unsigned int cpu, u64 period)
{
	const struct cred *creds = override_creds(kernel_creds);
	struct perf_event *event = counter_new(tprof_source_event(source), cpu, period, source);

	revert_creds(creds);
	return event;
}

/* Some events can be counted but not sampled, and some exist on some CPUs only. One CPU that has the event suffices. */
static int perf_check(const void *parsed, u64 period)
{
	struct perf_event *event;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		event = counter_new(parsed, cpu, period, NULL);
		if (!IS_ERR(event)) {
			perf_event_release_kernel(event);
			return 0;
		}
		if (PTR_ERR(event) != -EOPNOTSUPP && PTR_ERR(event) != -ENODEV && PTR_ERR(event) != -ENXIO)
			return PTR_ERR(event);
	}
	return -EOPNOTSUPP;
}

static int perf_start(struct tprof_source *source, unsigned int cpu, u64 period)
{
	struct perf_cpu *p = tprof_source_cpu(source, cpu);
	struct perf_event *event = counter_of(source, cpu, period);

	if (IS_ERR(event))
		return PTR_ERR(event);
	memset(&p->past, 0, sizeof(p->past));
	p->event = event;
	perf_event_enable(event);
	return 0;
}

static void perf_read(struct tprof_source *source, unsigned int cpu, struct tprof_source_count *count)
{
	const struct perf_cpu *p = tprof_source_cpu(source, cpu);
	struct tprof_source_count now;

	*count = p->past;
	if (!p->event)
		return;
	now.value = perf_event_read_value(p->event, &now.enabled_ns, &now.running_ns);
	tprof_count_add(count, &now);
}

static void perf_stop(struct tprof_source *source, unsigned int cpu)
{
	struct perf_cpu *p = tprof_source_cpu(source, cpu);

	/* Before reading, so that no sample fires whose weight is not in the count. */
	perf_event_disable(p->event);
	perf_read(source, cpu, &p->past);
	perf_event_release_kernel(p->event);
	p->event = NULL;
}

/*
 * For software events perf_event_period() changes when they overflow, but not the period that they report, so the event
 * is replaced.
 */
static int perf_set_period(struct tprof_source *source, unsigned int cpu, u64 period)
{
	struct perf_cpu *p = tprof_source_cpu(source, cpu);
	struct perf_event *next;

	if (!is_software_event(p->event))
		return perf_event_period(p->event, period);
	next = counter_of(source, cpu, period);
	/* All breakpoints of the CPU are in use: change the period in place; its next sample reports the old period. */
	if (PTR_ERR(next) == -ENOSPC)
		return perf_event_period(p->event, period);
	if (IS_ERR(next))
		return PTR_ERR(next);
	perf_stop(source, cpu);
	p->event = next;
	perf_event_enable(next);
	return 0;
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

int tprof_source_perf_init(void)
{
	kernel_creds = prepare_kernel_cred(&init_task);
	return kernel_creds ? 0 : -ENOMEM;
}

void tprof_source_perf_exit(void)
{
	put_cred(kernel_creds);
}
