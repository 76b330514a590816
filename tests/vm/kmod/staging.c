// SPDX-License-Identifier: GPL-2.0-only
/*
 * The staging buffer holds captured samples until their delivery. Exactly the samples that do not fit are lost as
 * staging_full, at any position in the buffer. Each holds a reference to its task until it is delivered.
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "source.h"

/* More samples than the buffer holds, and fewer. */
#define TOO_MANY 1000
#define FEW 150

static void expect(const struct tprof_ledger_read *ledger, uint64_t fired, uint64_t period, const char *what)
{
	is(ledger->fired.samples, fired, "%s: each sample is accounted for", what);
	is(ledger->fired.weight, fired * period, "%s: so is its weight", what);
	check(closes(ledger), "%s: the ledger closes", what);
}

static void test_overflow(int session)
{
	struct tprof_ledger_read ledger;
	uint64_t full;

	check(write_parameter("tprof_burst", "fire", TOO_MANY), "a burst with interrupts off");
	flush(session);
	ledger = read_ledger(session, -1);
	full = ledger.lost[TPROF_LOST_STAGING_FULL].samples;
	expect(&ledger, TOO_MANY, 7, "burst");
	check(full > 0 && full < TOO_MANY, "what was too much is lost as staging_full, and the rest is not");
	is(ledger.lost[TPROF_LOST_STAGING_FULL].weight, full * 7, "with its weight");
	is(lost(&ledger), full, "nothing is lost for another reason");
	diag("%llu of %d had room", ledger.outcomes[TPROF_OUTCOME_DONE].samples, TOO_MANY);
}

/* A session that would have taken every tenth of the samples has lost a tenth as many. */
static void test_slow_session(int session, int device)
{
	int slow = create_session(device);
	struct tprof_ledger_read ledger;
	uint64_t full;

	need(slow >= 0 && add_source(slow, "burst", "irqs-off", 70) == 0 && ioctl(slow, TPROF_IOC_START) == 0,
	     "a session with ten times the period");
	is(ioctl(session, TPROF_IOC_CLEAR), 0, "the ledger is cleared");
	check(write_parameter("tprof_burst", "fire", TOO_MANY), "another burst");
	flush(session);
	flush(slow);
	full = read_ledger(session, -1).lost[TPROF_LOST_STAGING_FULL].samples;
	ledger = read_ledger(slow, -1);
	check(closes(&ledger), "slow session: the ledger closes");
	is(ledger.fired.samples, TOO_MANY, "slow session: each sample is accounted for");
	check(ledger.lost[TPROF_LOST_STAGING_FULL].samples >= full / 10 &&
	      ledger.lost[TPROF_LOST_STAGING_FULL].samples <= full / 10 + 1,
	      "slow session: a tenth of the samples is lost");
	is(ledger.lost[TPROF_LOST_STAGING_FULL].weight, ledger.lost[TPROF_LOST_STAGING_FULL].samples * 70,
	   "slow session: with its weight");
	close(slow);
}

/*
 * Bursts of different lengths, so that samples wrap around at each position of the buffer. More than sixteen in a
 * millisecond would wait until the buffer is half full, and a long burst would not fit in the rest.
 */
static void test_wrap(int session)
{
	struct tprof_ledger_read ledger;
	uint64_t fired = 0;

	is(ioctl(session, TPROF_IOC_CLEAR), 0, "the ledger is cleared");
	for (unsigned int i = 0; i < 300; i++) {
		unsigned int nr = 1 + i * 31 % FEW;

		if (!write_parameter("tprof_burst", "fire", nr))
			break;
		fired += nr;
		usleep(100);
	}
	flush(session);
	ledger = read_ledger(session, -1);
	expect(&ledger, fired, 7, "300 bursts");
	is(lost(&ledger), 0, "300 bursts: nothing is lost");
}

/* The task may exit while its samples are staged. Others may take some references for a moment. */
static void test_references(int session)
{
	unsigned int before, staged, after;
	struct tprof_ledger_read ledger;
	FILE *file;

	is(ioctl(session, TPROF_IOC_CLEAR), 0, "the ledger is cleared");
	check(write_parameter("tprof_burst", "fire", FEW), "some samples of this task");
	file = open_parameter("tprof_burst", "references", "r");
	need(fscanf(file, "%u %u %u", &before, &staged, &after) == 3, "the references to this task are read");
	fclose(file);
	diag("references: %u, %u while samples are staged, then %u", before, staged, after);
	check(staged >= before + FEW && staged < before + FEW + FEW / 2, "each staged sample holds its task");
	check(after < before + FEW / 2, "not after its delivery");
	flush(session);
	ledger = read_ledger(session, -1);
	expect(&ledger, FEW, 7, "samples of this task");
}

int main(void)
{
	int device = open_device(), session = create_session(device);

	pin(0);
	need(session >= 0, "a session is made");
	need(load_source("tprof_burst", "") == 0, "the source is there");
	is(add_source(session, "burst", "irqs-off", 7), 0, "an event");
	is(ioctl(session, TPROF_IOC_START), 0, "the session starts");
	test_overflow(session);
	test_slow_session(session, device);
	test_wrap(session);
	test_references(session);
	is(ioctl(session, TPROF_IOC_STOP), 0, "the session stops");
	close(session);
	is(unload_source("tprof_burst"), 0, "the source goes");
	return done_testing();
}
