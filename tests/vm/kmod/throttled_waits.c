// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits that take too much of a CPU are added up: there are fewer samples, and they weigh as much as the thread waited,
 * by its own clocks. When the limit is gone, each wait is a sample again, and no time has vanished in between. The
 * clock of a thread leaves interrupts out, which take long in an emulated machine, so it seems to wait for longer; and
 * it has a part of each switch to the thread, which is long on a real-time kernel, so it seems to wait for less.
 *
 * vm: machines=x86-64,arm64,next seconds=120 not=debug,race
 */
#include "ktap.h"
#include "device.h"
#include "process.h"

#define PERCENT	"/sys/module/tprof/parameters/cpu_time_max_percent"

static int session;
static pid_t child;

/* CPU time and waits of the child, by the kernel, and the ledger of the session. */
struct state {
	uint64_t now, ran, switches;		/* ns, ns, number of waits */
	struct tprof_ledger_read ledger;
};

static struct state look(void)
{
	const uint64_t cookie = 0;
	struct state s;
	char path[40];

	need(ioctl(session, TPROF_IOC_FLUSH, &cookie) == 0, "flush");
	s.switches = switches_of(child);
	snprintf(path, sizeof(path), "/proc/%d/schedstat", child);
	s.ran = strtoull(read_file(path), NULL, 10);
	s.now = now_ns();
	s.ledger = read_ledger(session, -1);
	return s;
}

static uint32_t factor(void)
{
	return read_counts(session, 0, -1).period_factor;
}

/* Three seconds: the weight of the samples for each ns that the child waited, and how many waits each represents. */
struct seconds {
	double weight, waits;
};

static int is_realtime(void)
{
	return access("/sys/kernel/realtime", F_OK) == 0;
}

static struct seconds look_on(const char *when)
{
	const struct tprof_tally *from, *to;
	struct state before = look(), after;
	uint64_t waited, told, samples;

	sleep(3);
	after = look();
	waited = after.now - before.now - (after.ran - before.ran);
	from = &before.ledger.outcomes[TPROF_OUTCOME_DONE];
	to = &after.ledger.outcomes[TPROF_OUTCOME_DONE];
	told = to->weight - from->weight;
	samples = to->samples - from->samples;
	diag("%s: waited %llu ns, told %llu, %llu switches, %llu samples", when, (unsigned long long)waited,
	     (unsigned long long)told, (unsigned long long)(after.switches - before.switches),
	     (unsigned long long)samples);
	check(samples > 0 && told < waited + waited / (is_realtime() ? 8 : 20), "%s: they weigh no more than it waited",
	      when);
	check(closes(&after.ledger) && !lost(&after.ledger), "%s: the ledger closes, nothing is lost", when);
	return (struct seconds){ (double)told / (double)waited,
				 (double)(after.switches - before.switches) / (double)samples };
}

int main(void)
{
	const struct tprof_event event = { .size = sizeof(event), .source = "off-cpu", .period = 1 };
	struct tprof_target target = { .size = sizeof(target), .kind = TPROF_TARGET_THREAD };
	struct seconds limited, going, free;

	session = create_session(open_device());
	pin(0);
	child = take_turns();
	pin(1);
	target.id = (uint64_t)child;
	need(ioctl(session, TPROF_IOC_ADD_EVENT, &event) == 0 && ioctl(session, TPROF_IOC_ATTACH, &target) == 0,
	     "a session of the child");
	need(write_file(PERCENT, "1") == 0, "the limit is 1 %%");
	need(ioctl(session, TPROF_IOC_START) == 0, "start");
	/* The factor grows until what is added up is longer than most waits. */
	for (int i = 0; i < 300 && factor() < 256; i++)
		usleep(100000);
	check(factor() > 1, "the waits take more than that: factor %u", factor());
	limited = look_on("added up");
	check(limited.waits > 2, "added up: %.1f waits in a sample", limited.waits);

	need(write_file(PERCENT, "100") == 0, "the limit is gone");
	going = free = look_on("while the limit goes");
	for (int i = 0; i < 10 && (!i || free.waits > 1.1); i++)
		free = look_on("later");
	check(free.waits > 0.8 && free.waits < 1.1, "later: each wait is a sample, %.2f", free.waits);
	check(free.weight > 0.5 && limited.weight > 0.93 * free.weight && limited.weight < 1.07 * free.weight,
	      "added up: they weigh as much as one by one: %.3f, %.3f", limited.weight, free.weight);
	check(going.weight > 0.93 * free.weight && going.weight < 1.07 * free.weight,
	      "while the limit goes: likewise: %.3f", going.weight);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "stop");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return done_testing();
}
