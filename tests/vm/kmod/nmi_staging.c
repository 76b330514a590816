// SPDX-License-Identifier: GPL-2.0-only
/*
 * NMIs while interrupts are disabled: samples wait in the staging buffer; when it is full, further samples are lost as
 * staging_full, and the ledger is exact.
 * vm: machines=x86-64,x86-64-16
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "source.h"

/* So long that only bursts cause NMIs. */
#define PERIOD (TPROF_MAX_TIMER_NS)
#define TOO_MANY 1000
#define FEW 100

static struct tprof_ledger_read burst(int session, unsigned int nr)
{
	struct tprof_ledger_read ledger;

	is(ioctl(session, TPROF_IOC_CLEAR), 0, "the ledger is cleared");
	check(write_parameter("tprof_nmi", "burst", nr), "%u NMIs with interrupts off", nr);
	flush(session);
	ledger = read_ledger(session, -1);
	is(ledger.fired.samples, nr, "%u NMIs: all are in the ledger", nr);
	is(ledger.fired.weight, nr * PERIOD, "%u NMIs: with their weight", nr);
	check(closes(&ledger), "%u NMIs: the ledger closes", nr);
	is(lost(&ledger), ledger.lost[TPROF_LOST_STAGING_FULL].samples, "%u NMIs: what is lost is staging_full", nr);
	return ledger;
}

int main(void)
{
	int session = create_session(open_device());
	struct tprof_ledger_read ledger;

	pin(0);
	need(session >= 0, "a session is made");
	need(load_source("tprof_nmi", "") == 0, "the source is there");
	is(add_source(session, "nmi", NULL, PERIOD), 0, "an event");
	is(ioctl(session, TPROF_IOC_START), 0, "the session starts");
	ledger = burst(session, FEW);
	is(lost(&ledger), 0, "there is room for some");
	ledger = burst(session, TOO_MANY);
	check(lost(&ledger) > 0 && ledger.outcomes[TPROF_OUTCOME_DONE].samples > FEW, "but not for too many");
	ledger = burst(session, FEW);
	is(lost(&ledger), 0, "and there is room again");
	is(ioctl(session, TPROF_IOC_STOP), 0, "the session stops");
	close(session);
	is(unload_source("tprof_nmi"), 0, "the source goes");
	return done_testing();
}
