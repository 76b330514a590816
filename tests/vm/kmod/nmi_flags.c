// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples that were captured in an NMI have the flags of the interrupted context, not of the NMI itself, which the
 * kernel also counts as a hard interrupt.
 * vm: machines=x86-64,x86-64-16
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "process.h"
#include "samples.h"
#include "source.h"

#define NR 50

static const struct bpf_insn keep[] = { ANSWER(TPROF_KEEP) };

struct seen {
	unsigned int samples, nmi, one_mode, user, user_in_irq, mine, task_in_irq;
};

/* Samples of the burst were captured in this task, in the kernel, with interrupts disabled. */
static void look(const struct tprof_sample *sample, void *ctx)
{
	uint32_t irq = sample->flags & (TPROF_SAMPLE_IRQ | TPROF_SAMPLE_SOFTIRQ);
	bool user = sample->flags & TPROF_SAMPLE_USER, kernel = sample->flags & TPROF_SAMPLE_KERNEL;
	bool burst = sample->weight == TPROF_MAX_TIMER_NS;
	struct seen *seen = ctx;

	seen->samples++;
	seen->nmi += !!(sample->flags & TPROF_SAMPLE_NMI);
	seen->one_mode += user != kernel && user == ((int64_t)sample->ip >= 0);
	seen->user += user;
	seen->user_in_irq += user && irq;
	seen->mine += burst && kernel && (pid_t)sample->tid == getpid();
	seen->task_in_irq += burst && irq;
}

/* Starts a session that keeps all samples; the source must be registered. */
static int start(uint64_t period, int *link)
{
	int session = create_session(open_device());

	need(session >= 0, "a session is made");
	is(configure(session, 0, 1 << 20), 0, "it has a stream");
	is(add_source(session, "nmi", NULL, period), 0, "an event");
	*link = attach_filter(session, "keep", 0, keep, 2);
	check(*link >= 0, "a filter that keeps all samples");
	is(ioctl(session, TPROF_IOC_START), 0, "the session starts");
	return session;
}

static struct seen stop(int session, int link)
{
	struct tprof_ledger_read ledger;
	struct seen seen = { 0 };

	is(ioctl(session, TPROF_IOC_STOP), 0, "the session stops");
	read_samples(session, look, &seen);
	ledger = read_ledger(session, -1);
	is(seen.samples, ledger.outcomes[TPROF_OUTCOME_KEPT].samples, "what was kept is in the stream");
	is(seen.nmi, seen.samples, "all say that they were captured in NMI");
	is(seen.one_mode, seen.samples, "and are of user mode or of the kernel, as their address is");
	close(link);
	close(session);
	return seen;
}

static void test_task(void)
{
	int link, session = start(TPROF_MAX_TIMER_NS, &link);
	struct seen seen;

	check(write_parameter("tprof_nmi", "burst", NR), "a burst");
	seen = stop(session, link);
	is(seen.mine, NR, "the burst hit the kernel in this task");
	is(seen.task_in_irq, 0, "where no interrupt handler was running");
}

static void test_user(void)
{
	int link, session = start(1 * MS, &link);
	struct seen seen;

	for (uint64_t end = now_ns() + 1000 * MS; now_ns() < end;)
		for (volatile int j = 0; j < 100000; j++)
			;
	seen = stop(session, link);
	check(seen.user > 0, "some hit user code");
	is(seen.user_in_irq, 0, "where no interrupt handler was running");
	diag("%u of %u", seen.user, seen.samples);
}

int main(void)
{
	pin(0);
	need(load_source("tprof_nmi", "") == 0, "the source is there");
	test_task();
	test_user();
	is(unload_source("tprof_nmi"), 0, "the source goes");
	return done_testing();
}
