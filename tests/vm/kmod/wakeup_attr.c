// SPDX-License-Identifier: GPL-2.0-only
/*
 * Valid and invalid events of the source wakeup. Wake-ups of the threads in scope are counted, by whomever, and weigh
 * how long the thread was blocked: since the start of the session, which shares the source with no other one, or since
 * it was started again.
 *
 * vm: machines=x86-64,arm64,next,debug all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "source.h"

#define ROUNDS		20
#define MS		1000000ULL

static int device;

static int add(int session, const void *attr, uint32_t size, uint64_t period)
{
	struct tprof_event event = {
		.size = sizeof(event), .source = "wakeup", .period = period,
		.attr = (uintptr_t)attr, .attr_size = size,
	};

	return ioctl(session, TPROF_IOC_ADD_EVENT, &event);
}

static int try(const void *attr, uint32_t size, uint64_t period)
{
	return try_event(device, "wakeup", attr, size, period);
}

static void attributes(void)
{
	const struct tprof_wakeup_attr good = { .wake_start = 1, .min_ns = 2 }, larger[2] = { 0 };

	is(try(NULL, 0, 1), 0, "no attributes");
	is(try(&good, sizeof(good), 1), 0, "attributes");
	refuses(try(&good, sizeof(good) - 1, 1), EINVAL, "attributes that are too short");
	refuses(try(larger, sizeof(larger), 1), E2BIG, "attributes that are too long");
	refuses(try(NULL, 0, 0), EINVAL, "it does not count without sampling");
	refuses(try((void *)8, sizeof(good), 1), EFAULT, "attributes that cannot be read");
}

static int steps[2];
static pid_t reader;

static void reads_steps(void)
{
	char byte;

	close(steps[1]);
	while (read(steps[0], &byte, 1) == 1)
		;
	_exit(EXIT_SUCCESS);
}

static int session_of(pid_t process, uint64_t min_ns)
{
	const struct tprof_wakeup_attr attr = { .min_ns = min_ns };
	const struct tprof_target target = {
		.size = sizeof(target), .kind = TPROF_TARGET_PROCESS, .id = (uint64_t)process,
	};
	int session = create_session(device);

	need(session >= 0 && add(session, &attr, sizeof(attr), 1) == 0 &&
	     ioctl(session, TPROF_IOC_ATTACH, &target) == 0, "a session of a process");
	return session;
}

static struct tprof_ledger_read ledger_of(int session, const char *what)
{
	struct tprof_ledger_read ledger;

	flush(session);
	ledger = read_ledger(session, -1);
	check(closes(&ledger), "%s: the ledger closes", what);
	is(lost(&ledger), 0, what);
	return ledger;
}

/* Wakes the reader, and waits until it waits again. */
static void step(void)
{
	uint64_t left = switches_of(reader);

	need(write(steps[1], "x", 1) == 1, "a step");
	while (switches_of(reader) == left)
		usleep(1000);
	usleep(20000);
}

/* The time that wake-ups since @before weigh, in ms. */
static uint64_t blocked_ms(const struct tprof_ledger_read *now, const struct tprof_ledger_read *before)
{
	return (now->outcomes[TPROF_OUTCOME_DONE].weight - before->outcomes[TPROF_OUTCOME_DONE].weight) / MS;
}

/* Its reader sleeps in read(2) when this begins. */
static void wakes(void)
{
	const struct tprof_ledger_read nothing = { 0 };
	struct tprof_ledger_read ledger, other, again;
	int session = session_of(reader, 0), late = session_of(reader, 0), min = session_of(reader, 3600000 * MS);
	int mine = session_of(getpid(), 0);

	need(ioctl(session, TPROF_IOC_START) == 0 && ioctl(min, TPROF_IOC_START) == 0 &&
	     ioctl(mine, TPROF_IOC_START) == 0, "start");
	usleep(300000);
	need(ioctl(late, TPROF_IOC_START) == 0, "one starts later");
	usleep(100000);
	step();
	ledger = ledger_of(session, "one wake-up");
	other = ledger_of(late, "one wake-up, of a session that started later");
	is(ledger.outcomes[TPROF_OUTCOME_DONE].samples, 1, "it is one sample");
	is(other.outcomes[TPROF_OUTCOME_DONE].samples, 1, "of the other session, too");
	check(blocked_ms(&ledger, &nothing) >= 400, "blocked since the start: %llu ms",
	      (unsigned long long)blocked_ms(&ledger, &nothing));
	check(blocked_ms(&other, &nothing) >= 100 &&
	      blocked_ms(&other, &nothing) + 300 <= blocked_ms(&ledger, &nothing),
	      "blocked since the later start: %llu ms", (unsigned long long)blocked_ms(&other, &nothing));
	for (int i = 0; i < ROUNDS; i++)
		step();
	ledger = ledger_of(session, "more wake-ups");
	is(ledger.outcomes[TPROF_OUTCOME_DONE].samples, 1 + ROUNDS, "each is a sample");
	is(ledger.outcomes[TPROF_OUTCOME_OUT_OF_SCOPE].samples, 0, "those of other threads are not counted");
	again = ledger_of(min, "with a minimum");
	is(again.outcomes[TPROF_OUTCOME_BELOW_MIN].samples, 1 + ROUNDS, "all were blocked for less");
	is(again.outcomes[TPROF_OUTCOME_DONE].samples, 0, "none is a sample");
	again = ledger_of(mine, "this process");
	/* Timers wake it in each step. */
	check(again.outcomes[TPROF_OUTCOME_DONE].samples >= 1 + ROUNDS, "interrupts wake it: %llu times",
	      (unsigned long long)again.outcomes[TPROF_OUTCOME_DONE].samples);

	need(ioctl(session, TPROF_IOC_STOP) == 0, "stop");
	usleep(300000);
	step();
	need(ioctl(session, TPROF_IOC_START) == 0, "start again");
	step();
	again = ledger_of(session, "after a pause");
	is(again.outcomes[TPROF_OUTCOME_DONE].samples, 1 + ROUNDS + 1, "the one in the pause does not count");
	check(blocked_ms(&again, &ledger) < 300, "nor does the pause: %llu ms",
	      (unsigned long long)blocked_ms(&again, &ledger));
	close(session);
	close(late);
	close(min);
	close(mine);
}

int main(void)
{
	int status;

	device = open_device();
	attributes();
	need(pipe(steps) == 0, "a pipe");
	reader = new_child();
	if (!reader)
		reads_steps();
	usleep(100000);
	wakes();
	close(steps[1]);
	need(waitpid(reader, &status, 0) == reader && WIFEXITED(status), "the child ends");
	is(open_sessions(device), 0, "no session is left");
	return done_testing();
}
