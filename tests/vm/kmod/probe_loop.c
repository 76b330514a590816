// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe with period 1, on all CPUs, in a function that the interrupt which delivers its samples calls, too: each
 * delivery causes the next sample. The machine goes on all the same, and no sample is lost unexplained.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "probe.h"

/* So many loops of this program in a tenth of a second. */
static uint64_t work(void)
{
	uint64_t end = now_ns() + 100 * MS, loops = 0;

	while (now_ns() < end)
		loops++;
	return loops;
}

static void sample(int device, const char *place)
{
	int session = create_session(device);
	uint64_t alone = work(), beside = 0, counted;
	struct tprof_ledger_read ledger;

	if (add_probe(session, "kprobe", place, 0, 0, 1)) {
		diag("%s: not a function of this kernel: %s", place, strerror(errno));
		close(session);
		return;
	}
	is(ioctl(session, TPROF_IOC_START), 0, "%s: the session starts", place);
	for (int i = 0; i < 5; i++)
		beside += work() / 5;
	is(ioctl(session, TPROF_IOC_STOP), 0, "%s: it stops", place);
	ledger = read_ledger(session, -1);
	diag("%s: %llu samples; %llu of %llu loops", place, (unsigned long long)ledger.fired.samples,
	     (unsigned long long)beside, (unsigned long long)alone);
	check(beside > alone / 10, "%s: programs go on", place);
	check(closes(&ledger), "%s: the ledger closes", place);
	/* The counts have the hits that the kernel did not report, too: those during the handling of another. */
	counted = read_counts(session, 0, -1).value;
	check(ledger.fired.weight <= counted && counted - ledger.fired.weight <= counted / 50 + 1,
	      "%s: the hits are in the ledger", place);
	close(session);
}

int main(void)
{
	int device = open_device();

	sample(device, "__irq_exit_rcu");
	sample(device, "irq_exit_rcu");
	sample(device, "sched_clock");
	sample(device, "try_to_wake_up");
	return done_testing();
}
