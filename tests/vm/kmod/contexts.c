// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples have the context in which their source fired: a task with interrupts enabled or disabled, a soft interrupt, a
 * hard interrupt, a virtual machine.
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "process.h"
#include "samples.h"
#include "source.h"

#define NR 20

#define CONTEXT (TPROF_SAMPLE_USER | TPROF_SAMPLE_KERNEL | TPROF_SAMPLE_GUEST | TPROF_SAMPLE_IRQ | \
		 TPROF_SAMPLE_SOFTIRQ | TPROF_SAMPLE_NMI)

static const struct bpf_insn keep[] = { ANSWER(TPROF_KEEP) };

static const struct {
	const char *name;
	uint32_t flags;
} contexts[] = {
	{ "process", TPROF_SAMPLE_KERNEL },
	{ "irqs-off", TPROF_SAMPLE_KERNEL },
	{ "softirq", TPROF_SAMPLE_KERNEL | TPROF_SAMPLE_SOFTIRQ },
	{ "hardirq", TPROF_SAMPLE_KERNEL | TPROF_SAMPLE_IRQ },
	{ "guest", TPROF_SAMPLE_GUEST },
};

#define NR_CONTEXTS (sizeof(contexts) / sizeof(contexts[0]))

struct seen {
	unsigned int samples, flagged, ordered, in_kernel;
};

static void look(const struct tprof_sample *sample, void *ctx)
{
	struct seen *seen = (struct seen *)ctx + sample->event;

	if (sample->event >= NR_CONTEXTS)
		return;
	if ((sample->flags & CONTEXT) == contexts[sample->event].flags)
		seen->flagged++;
	else
		diag("%s: flags 0x%x", contexts[sample->event].name, sample->flags);
	seen->ordered += sample->data == seen->samples;
	seen->in_kernel += (int64_t)sample->ip < 0;
	seen->samples++;
}

int main(void)
{
	int session = create_session(open_device()), link;
	struct seen seen[NR_CONTEXTS] = { 0 };

	pin(0);
	need(session >= 0, "a session is made");
	need(load_source("tprof_burst", "") == 0, "the source is there");
	is(configure(session, 0, 65536), 0, "it has a stream");
	for (size_t i = 0; i < NR_CONTEXTS; i++)
		is(add_source(session, "burst", contexts[i].name, 1), i, "an event in %s", contexts[i].name);
	link = attach_filter(session, "keep", 0, keep, 2);
	check(link >= 0, "a filter that keeps all samples");
	is(ioctl(session, TPROF_IOC_START), 0, "the session starts");
	check(write_parameter("tprof_burst", "fire", NR), "the source fires");
	is(ioctl(session, TPROF_IOC_STOP), 0, "the session stops");
	is(read_samples(session, look, seen), NR * NR_CONTEXTS, "each sample is in the stream");
	for (size_t i = 0; i < NR_CONTEXTS; i++) {
		is(seen[i].samples, NR, "%s: all samples", contexts[i].name);
		is(seen[i].ordered, NR, "%s: in order", contexts[i].name);
		is(seen[i].flagged, NR, "%s: the flags say what was running", contexts[i].name);
		is(seen[i].in_kernel, NR, "%s: at an address of the kernel", contexts[i].name);
	}
	close(link);
	close(session);
	is(unload_source("tprof_burst"), 0, "the source goes");
	return done_testing();
}
