// SPDX-License-Identifier: GPL-2.0-only
/*
 * A period that the source refuses changes nothing: samples arrive as before, with the same weight, and the same period
 * can be requested again.
 *
 * vm: machines=x86-64,next
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "source.h"

#define CPU 1

/* Returns the weight of a sample. */
static uint64_t weight_of_one(int session)
{
	uint64_t before = read_ledger(session, CPU).fired.weight;

	need(write_parameter("tprof_burst", "fire", 1), "the source is asked to fire");
	return read_ledger(session, CPU).fired.weight - before;
}

int main(void)
{
	struct tprof_period period = { .size = sizeof(period), .period = 700 };
	struct tprof_ledger_read ledger;
	int session;

	need(load_source("tprof_burst", "") == 0, "the source is there");
	pin(CPU);
	session = create_session(open_device());
	need(session >= 0 && configure_on_cpu(session, CPU, 0) == 0, "a session on one CPU");
	need(add_source(session, "burst", "process", 1000) == 0 && ioctl(session, TPROF_IOC_START) == 0, "it starts");
	is(weight_of_one(session), 1000, "a sample weighs the period");
	need(write_parameter("tprof_burst", "refuse", 1), "the source refuses the next start");
	refuses(ioctl(session, TPROF_IOC_PERIOD, &period), EIO, "the period is refused");
	is(weight_of_one(session), 1000, "a sample weighs what it did");
	need(write_parameter("tprof_burst", "refuse", 1), "the source refuses the next start again");
	refuses(ioctl(session, TPROF_IOC_PERIOD, &period), EIO, "so is the same one again");
	is(ioctl(session, TPROF_IOC_PERIOD, &period), 0, "then it is taken");
	is(weight_of_one(session), 700, "a sample weighs that");
	ledger = read_ledger(session, -1);
	check(closes(&ledger) && !lost(&ledger), "the ledger closes, nothing is lost");
	close(session);
	is(unload_source("tprof_burst"), 0, "the source goes");
	return done_testing();
}
