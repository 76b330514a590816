// SPDX-License-Identifier: GPL-2.0-only
/*
 * several_events ENGINE EVENT...: a session with these events, the first of them a clock, then page-faults and
 * context-switches. Each event has its own samples, ledger, period and name. Prints TAP.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tprof.h"

#define FAULTS 300
#define SWITCHES 200

static int nr_told, nr_failed;

static void tell(bool good, const char *what)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++nr_told, what);
	fflush(stdout);
	nr_failed += !good;
}

static void is_number(uint64_t got, uint64_t wanted, const char *what)
{
	tell(got == wanted, what);
	if (got != wanted)
		printf("# got %llu, wanted %llu\n", (unsigned long long)got, (unsigned long long)wanted);
}

static uint64_t used_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Page faults, context switches, and time of the CPU. */
static void work(void)
{
	size_t page = (size_t)getpagesize();
	char *area = mmap(NULL, FAULTS * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct timespec nap = { .tv_nsec = 50000 };
	uint64_t began = used_ns();

	madvise(area, FAULTS * page, MADV_NOHUGEPAGE);
	for (int i = 0; i < FAULTS; i++)
		area[(size_t)i * page] = 1;
	munmap(area, FAULTS * page);
	for (int i = 0; i < SWITCHES; i++)
		nanosleep(&nap, NULL);
	while (used_ns() - began < 300000000)
		;
}

static unsigned int nr_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int nr = 0;

	while (dir && readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

static struct tprof_session *start(const struct tprof_session_opts *opts, const char *filter)
{
	struct tprof_error error = { 0 };
	struct tprof_session *session = tprof_session__open(opts, &error);

	if (session && !tprof_session__add_filter(session, tprof_filter__open(filter, &error)) &&
	    !tprof_session__start(session))
		return session;
	printf("# %s: %s\n", filter, session ? tprof_session__error(session) : error.text);
	tprof_session__close(session);
	return NULL;
}

static bool closes(const struct tprof_ledger *ledger)
{
	const struct tprof_tally left = tprof_ledger__difference(ledger);

	return !left.samples && !left.weight;
}

/* The ledgers of all events close, and their sum is the ledger of the session. */
static void check_ledgers(const struct tprof_profile *profile)
{
	const struct tprof_ledger *all = tprof_profile__ledger(profile);
	uint64_t fired = 0, weight = 0, done = 0, lost = 0, counted = 0;
	bool close = true;

	for (size_t e = 0; e < tprof_profile__nr_events(profile); e++) {
		const struct tprof_ledger *ledger = tprof_profile__event_ledger(profile, e);

		close &= closes(ledger);
		fired += ledger->fired.samples;
		weight += ledger->fired.weight;
		done += ledger->outcomes[TPROF_OUTCOME_DONE].samples;
		lost += tprof_ledger__lost(ledger).samples;
		counted += ledger->countings[TPROF_COUNTING_AGGREGATED].samples;
		printf("# %s: fired %llu, weight %llu, counter %.1f, done %llu, lost %llu, period %llu\n",
		       tprof_profile__event(profile, e)->event, (unsigned long long)ledger->fired.samples,
		       (unsigned long long)ledger->fired.weight, ledger->counter,
		       (unsigned long long)ledger->outcomes[TPROF_OUTCOME_DONE].samples,
		       (unsigned long long)tprof_ledger__lost(ledger).samples,
		       (unsigned long long)tprof_profile__event(profile, e)->period);
	}
	tell(close, "the ledger of each event closes");
	tell(closes(all), "the ledger of the session closes");
	is_number(fired, all->fired.samples, "the events fired as often as the session says");
	is_number(weight, all->fired.weight, "with its weight");
	is_number(done, all->outcomes[TPROF_OUTCOME_DONE].samples, "the same for samples done");
	is_number(lost, tprof_ledger__lost(all).samples, "the same for lost samples");
	is_number(counted, all->countings[TPROF_COUNTING_AGGREGATED].samples, "the same for counting calls");
}

/* The values of all entries add up to what was counted for the event. */
static void check_values(const struct tprof_profile *profile)
{
	bool entries = true, call_stacks = true;

	for (size_t e = 0; e < tprof_profile__nr_events(profile); e++) {
		const struct tprof_ledger *ledger = tprof_profile__event_ledger(profile, e);
		struct tprof_tally sum = { 0 }, stacks = { 0 };

		for (size_t i = 0; i < tprof_profile__nr_entries(profile); i++) {
			const struct tprof_tally value = tprof_profile__entry_value(profile, i, e);

			sum.samples += value.samples;
			sum.weight += value.weight;
		}
		for (size_t i = 0; i < tprof_profile__nr_call_stacks(profile); i++) {
			const struct tprof_tally value = tprof_profile__call_stack_value(profile, i, e);

			stacks.samples += value.samples;
			stacks.weight += value.weight;
		}
		entries &= sum.samples == ledger->countings[TPROF_COUNTING_AGGREGATED].samples &&
			   sum.weight == ledger->countings[TPROF_COUNTING_AGGREGATED].weight;
		call_stacks &= !tprof_profile__nr_call_stacks(profile) ||
			       (stacks.samples == sum.samples && stacks.weight == sum.weight);
	}
	tell(entries, "the entries have the samples and the weight of each event");
	tell(call_stacks, "so do the call stacks");
}

/* A profile of one event has its entries only, and its ledger. */
static void check_one(const struct tprof_profile *profile, size_t event)
{
	struct tprof_profile *one = tprof_profile__of_event(profile, event);
	uint64_t samples = 0, before = UINT64_MAX;
	bool sorted = true;

	tell(one && tprof_profile__nr_events(one) == 1, "a profile of one event");
	for (size_t i = 0; one && i < tprof_profile__nr_entries(one); i++) {
		const struct tprof_entry *entry = tprof_profile__entry(one, i);

		samples += entry->samples;
		sorted &= entry->samples && entry->weight <= before;
		before = entry->weight;
	}
	tell(sorted, "its entries are sorted by this event");
	is_number(samples, tprof_profile__event_ledger(profile, event)->countings[TPROF_COUNTING_AGGREGATED].samples,
		  "it has all samples of the event");
	tell(!strcmp(tprof_profile__info(one)->event, tprof_profile__event(profile, event)->event), "and its name");
	tell(closes(tprof_profile__ledger(one)), "its ledger closes");
	tprof_profile__free(one);
}

static void check_group_and_sum(struct tprof_profile *profile)
{
	struct tprof_profile *grouped = tprof_profile__group(profile, TPROF_GROUP_PROCESS);
	struct tprof_profile *one = tprof_profile__of_event(profile, 1);
	const struct tprof_tally fired = tprof_profile__event_ledger(profile, 1)->fired;

	tell(grouped && tprof_profile__nr_events(grouped) == tprof_profile__nr_events(profile), "grouped by process");
	if (grouped)
		check_values(grouped);
	tprof_profile__free(grouped);
	tell(tprof_profile__merge(profile, one) == -EINVAL, "another set of events is not added");
	tprof_profile__free(one);
	tell(!tprof_profile__merge(profile, profile), "the same events are");
	is_number(tprof_profile__event_ledger(profile, 1)->fired.samples, 2 * fired.samples, "twice the samples");
	check_ledgers(profile);
	check_values(profile);
}

static void sample(const struct tprof_session_opts *opts, const char *filter)
{
	struct tprof_session *session = start(opts, filter);
	struct tprof_profile *first, *rest;

	printf("# filter %s\n", filter);
	tell(session, "a session with several events");
	if (!session)
		return;
	is_number(tprof_session__nr_events(session), opts->nr_events, "it has them");
	work();
	first = tprof_session__snapshot(session);
	work();
	tprof_session__stop(session);
	rest = tprof_session__snapshot(session);
	tell(first && rest, "snapshots while it runs and after it was stopped");
	for (int i = 0; first && rest && i < 2; i++) {
		const struct tprof_profile *profile = i ? rest : first;
		const struct tprof_tally none = { 0, 0 };

		is_number(tprof_profile__nr_events(profile), opts->nr_events, "the profile has all events");
		check_ledgers(profile);
		check_values(profile);
		tell(tprof_profile__event_ledger(profile, 0)->outcomes[TPROF_OUTCOME_DONE].samples > 50,
		     "samples of the clock");
		tell(tprof_profile__event_ledger(profile, 1)->outcomes[TPROF_OUTCOME_DONE].samples >= FAULTS,
		     "one for each page fault");
		/* A thread whose nap is over at once does not switch. */
		tell(tprof_profile__event_ledger(profile, 2)->outcomes[TPROF_OUTCOME_DONE].samples > SWITCHES / 2,
		     "samples of the context switches");
		tell(!tprof_profile__event(profile, opts->nr_events) &&
		     !tprof_profile__event_ledger(profile, opts->nr_events) &&
		     tprof_profile__entry_value(profile, 0, opts->nr_events).samples == none.samples,
		     "no other event");
		check_one(profile, 1);
	}
	if (first)
		check_group_and_sum(first);
	tprof_profile__free(first);
	tprof_profile__free(rest);
	tprof_session__close(session);
}

/* Samples that a filter keeps have the index of their event. */
static int look(void *ctx, const struct tprof_sample *sample)
{
	uint64_t *by_event = ctx;

	by_event[sample->event < TPROF_EVENTS_MAX ? sample->event : 0]++;
	return 0;
}

static void keep(const struct tprof_session_opts *opts)
{
	struct tprof_session *session = start(opts, "pass");
	uint64_t by_event[TPROF_EVENTS_MAX] = { 0 };
	bool same = true;
	struct tprof_profile *profile;

	tell(session, "samples that are kept");
	if (!session)
		return;
	tprof_session__read_samples(session, look, by_event);
	work();
	tprof_session__stop(session);
	tprof_session__read_samples(session, look, by_event);
	profile = tprof_session__snapshot(session);
	for (size_t e = 0; profile && e < opts->nr_events; e++)
		same &= by_event[e] ==
			tprof_profile__event_ledger(profile, e)->outcomes[TPROF_OUTCOME_KEPT].samples;
	tell(same, "each event has as many as its ledger says");
	tprof_profile__free(profile);
	tprof_session__close(session);
}

/* Several events share everything but the events themselves. */
static void count_descriptors(struct tprof_session_opts *opts, bool by_events)
{
	unsigned int before = nr_descriptors(), one, all;
	struct tprof_session *session;
	struct tprof_info info = { .sz = sizeof(info) };
	size_t nr = opts->nr_events;

	opts->nr_events = 1;
	session = start(opts, "top");
	one = nr_descriptors() - before;
	tprof_session__info(session, &info);
	tprof_session__close(session);
	opts->nr_events = nr;
	session = start(opts, "top");
	all = nr_descriptors() - before;
	tprof_session__close(session);
	printf("# descriptors: %u with one event, %u with %zu\n", one, all, nr);
	is_number(all - one, by_events ? 2 * (nr - 1) * info.nr_cpus : 0, "an event costs its own descriptors only");
}

static void refuse_twice(struct tprof_session_opts *opts)
{
	struct tprof_error error = { 0 };
	struct tprof_event_opts twice[] = { opts->events[0], opts->events[0] };

	opts->events = twice;
	opts->nr_events = 2;
	tell(!tprof_session__open(opts, &error) && errno == EINVAL, "an event that is given twice is refused");
	tell(strstr(error.text, "is given twice") && error.hint[0], error.text);
}

int main(int argc, char **argv)
{
	const pid_t pid = getpid();
	struct tprof_event_opts events[TPROF_EVENTS_MAX];
	struct tprof_session_opts opts = {
		.sz = sizeof(opts), .engine = argv[1], .pids = &pid, .nr_pids = 1, .events = events,
	};

	for (int i = 2; i < argc && i < 2 + TPROF_EVENTS_MAX; i++)
		events[opts.nr_events++] = (struct tprof_event_opts){
			.sz = sizeof(events[0]), .event = argv[i], .rate_hz = i == 2 || i > 4 ? 997 : 0,
			.period = i == 3 || i == 4,
		};
	if (opts.nr_events < 3)
		return 2;
	sample(&opts, "top");
	sample(&opts, "stacks");
	keep(&opts);
	count_descriptors(&opts, !strcmp(argv[1], "perf"));
	refuse_twice(&opts);
	printf("1..%d\n", nr_told);
	return nr_failed != 0;
}
