// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits that take too much of a CPU are added up: there are fewer samples, and they weigh as much as the thread waited,
 * by its own clocks. When the limit is gone, each wait is a sample again, and no time has vanished in between.
 *
 * vm: machines=x86-64,arm64,next seconds=120 not=debug,race
 */
#include "ktap.h"
#include "device.h"
#include "process.h"

#define PERCENT	"/sys/module/tprof/parameters/cpu_time_max_percent"

static int session;
static pid_t child;

/* What the kernel and the session know of the child. */
struct state {
	uint64_t now, ran, switches;		/* ns, ns, number of waits */
	struct tprof_ledger_read ledger;
};

static uint64_t number_after(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	need(at, "the kernel tells %s", key);
	return strtoull(at + strlen(key), NULL, 10);
}

static struct state look(void)
{
	const uint64_t cookie = 0;
	struct state s;
	char path[40];

	need(ioctl(session, TPROF_IOC_FLUSH, &cookie) == 0, "flush");
	snprintf(path, sizeof(path), "/proc/%d/status", child);
	s.switches = number_after(read_file(path), "\nvoluntary_ctxt_switches:") +
		     number_after(read_file(path), "\nnonvoluntary_ctxt_switches:");
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

/* The weight of the samples is what the child waited, in three seconds. Returns how many waits each represents. */
static double weighs_right(const char *when)
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
	check(told > waited - waited / 20 && told < waited + waited / 20, "%s: they weigh what it waited", when);
	check(closes(&after.ledger) && !lost(&after.ledger), "%s: the ledger closes, nothing is lost", when);
	return samples ? (double)(after.switches - before.switches) / (double)samples : 0;
}

int main(void)
{
	const struct tprof_event event = { .size = sizeof(event), .source = "off-cpu", .period = 1 };
	struct tprof_target target = { .size = sizeof(target), .kind = TPROF_TARGET_THREAD };
	double each;

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
	each = weighs_right("added up");
	check(each > 2, "added up: %.1f waits in a sample", each);

	need(write_file(PERCENT, "100") == 0, "the limit is gone");
	usleep(500000);
	each = weighs_right("while the limit goes");
	for (int i = 0; i < 10 && each > 1.1; i++)
		each = weighs_right("later");
	check(each > 0.8 && each < 1.1, "later: each wait is a sample, %.2f", each);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "stop");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return done_testing();
}
