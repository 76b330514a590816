// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload with a known truth: hot(), warm() and mild() do 50, 30 and 20 % of the work.
 *
 * The three run the same sequence of dependent multiplications, whose cost does not depend on alignment or caches, in
 * proportions of 5 : 3 : 2. An iteration has many multiplications, because an emulator stores registers to memory
 * between iterations, at a different cost for each loop. A round of all three takes about two milliseconds, and half a
 * millisecond in a child; the length of rounds and the start times of children are random, so that no sampling rate is
 * synchronous with them. Rounds are several sampling intervals long: if both had a similar length, consecutive samples
 * would tend to be in the same function, and their shares would vary more than those of random samples.
 * Always ends by itself. SIGUSR1 ends all threads except the first.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

#define MAX_THREADS	256
#define MAX_SECONDS	3600
#define UNIT		5000	/* iterations: about 100 us at 3 GHz */
#define UNIT_OF_CHILD	1250
#define STEPS		16	/* multiplications in an iteration, unrolled */

struct options {
	unsigned int seconds;
	unsigned int threads;
	unsigned int forks_hz;		/* children a second; 0: work in this process */
	unsigned int child_ms;		/* CPU time of each child */
	bool exec;			/* children execute this program again */
	bool report;
};

struct worker {
	uint64_t deadline_ns;
	clockid_t clock;
	bool on_request;		/* SIGUSR1 ends it too */
	uint64_t unit;			/* iterations: a tenth of the shortest round, a thirtieth of the longest */
	uint64_t seed;
	uint64_t iterations;
};

uint64_t hot(uint64_t value, uint64_t iterations);
uint64_t warm(uint64_t value, uint64_t iterations);
uint64_t mild(uint64_t value, uint64_t iterations);

/*
 * Each function has a different constant, because the compiler would merge equal functions; and a variable on the
 * stack: else gcc makes no frame for the function, and its caller would be missing in call stacks.
 */
#define DEFINE_CHAIN(name, addend)								\
	__attribute__((noinline)) uint64_t name(uint64_t value, uint64_t iterations)		\
	{											\
		volatile uint64_t start = value;						\
												\
		value = start;									\
		for (uint64_t i = 0; i < iterations; i++)					\
			_Pragma("GCC unroll 16") for (int step = 0; step < STEPS; step++)	\
				value = value * 6364136223846793005ULL + (addend);		\
		return value;									\
	}

DEFINE_CHAIN(hot, 1442695040888963407ULL)
DEFINE_CHAIN(warm, 1442695040888963409ULL)
DEFINE_CHAIN(mild, 1442695040888963411ULL)

/* Maps a number to a pseudorandom one: the multiplication propagates differences in low bits to high bits. */
static uint64_t scattered(uint64_t number)
{
	number = (number ^ number >> 32) * 0x9e3779b97f4a7c15ULL;
	number = (number ^ number >> 32) * 0x9e3779b97f4a7c15ULL;
	return number ^ number >> 32;
}

static volatile sig_atomic_t requested;

static void request(int signal)
{
	requested = signal;
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	uint64_t value = worker->seed;
	uint64_t unit;

	while (clock_ns(worker->clock) < worker->deadline_ns && !(worker->on_request && requested)) {
		unit = worker->unit + (value >> 32) % (2 * worker->unit);
		value = hot(value, 5 * unit);
		value = warm(value, 3 * unit);
		value = mild(value, 2 * unit);
		worker->iterations += 10 * unit;
	}
	worker->seed = value;
	return NULL;
}

static uint64_t work_in_threads(const struct options *options, uint64_t deadline_ns)
{
	struct worker workers[MAX_THREADS] = {};
	pthread_t threads[MAX_THREADS];
	uint64_t iterations = 0;
	unsigned int i;

	signal(SIGUSR1, request);
	for (i = 0; i < options->threads; i++) {
		workers[i] = (struct worker){
			.deadline_ns = deadline_ns, .clock = CLOCK_MONOTONIC, .on_request = i, .unit = UNIT, .seed = i,
		};
		if (i && pthread_create(&threads[i], NULL, work, &workers[i]))
			exit(EXIT_FAILURE);
	}
	work(&workers[0]);
	for (i = 0; i < options->threads; i++) {
		if (i)
			pthread_join(threads[i], NULL);
		iterations += workers[i].iterations;
	}
	return iterations;
}

static void work_as_child(const struct options *options, uint64_t seed)
{
	struct worker worker = { .clock = CLOCK_PROCESS_CPUTIME_ID, .unit = UNIT_OF_CHILD, .seed = seed };

	worker.deadline_ns = clock_ns(worker.clock) + options->child_ms * 1000000ULL;
	work(&worker);
}

static void child(const struct options *options, char *program, uint64_t seed)
{
	char ms[16];

	if (!options->exec) {
		work_as_child(options, seed);
		_exit(EXIT_SUCCESS);
	}
	snprintf(ms, sizeof(ms), "%u", options->child_ms);
	execvp(program, (char *[]){ program, "--work", ms, NULL });
	_exit(127);
}

/*
 * Each child starts at a random time in its step of a fixed time grid, even if earlier children still run; the grid is
 * delayed if there are too many. Exactly on the grid, children would start synchronously with a sampler whose rate is
 * near a multiple of it, which would sample the first rounds of all of them at the same places.
 */
static void work_in_children(const struct options *options, char *program, uint64_t deadline_ns)
{
	const uint64_t step_ns = NSEC_PER_SEC / options->forks_hz;
	const unsigned int most = options->forks_hz;
	uint64_t next_ns = clock_ns(CLOCK_MONOTONIC);
	unsigned int running = 0;

	for (uint64_t i = 1; clock_ns(CLOCK_MONOTONIC) < deadline_ns; i++) {
		uint64_t at_ns = next_ns + scattered(i) % step_ns;
		struct timespec at = { .tv_sec = at_ns / NSEC_PER_SEC, .tv_nsec = at_ns % NSEC_PER_SEC };
		pid_t pid;

		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
			;
		next_ns += step_ns;
		while (running && waitpid(-1, NULL, running < most ? WNOHANG : 0) > 0)
			running--;
		pid = fork();
		if (!pid)
			child(options, program, scattered(i));
		running += pid > 0;
	}
	while (wait(NULL) > 0)
		;
}

static unsigned int number(const char *text, unsigned int most)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!*text || *end || !value || value > most) {
		fprintf(stderr, "spin: '%s' is not a number from 1 to %u\n", text, most);
		exit(2);
	}
	return (unsigned int)value;
}

static void usage(void)
{
	fputs("usage: spin [--seconds S] [--threads N] [--fork N [--exec] [--child-ms M]] [--report]\n"
	      "\n"
	      "  --seconds S    end after S seconds (60)\n"
	      "  --threads N    work in N threads (1)\n"
	      "  --fork N       start N children a second, which do the work\n"
	      "  --exec         children run this program anew\n"
	      "  --child-ms M   CPU time of each child, milliseconds (3)\n"
	      "  --work M       work for M milliseconds of CPU time; what --exec runs\n"
	      "  --report       print iterations, CPU time and wall time, nanoseconds, at the end\n", stderr);
	exit(2);
}

static void parse(struct options *options, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "seconds", required_argument, NULL, 's' }, { "threads", required_argument, NULL, 't' },
		{ "fork", required_argument, NULL, 'f' },    { "exec", no_argument, NULL, 'e' },
		{ "child-ms", required_argument, NULL, 'm' }, { "work", required_argument, NULL, 'w' },
		{ "report", no_argument, NULL, 'r' },        { NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", longs, NULL)) >= 0) {
		switch (option) {
		case 's': options->seconds = number(optarg, MAX_SECONDS); break;
		case 't': options->threads = number(optarg, MAX_THREADS); break;
		case 'f': options->forks_hz = number(optarg, 10000); break;
		case 'e': options->exec = true; break;
		case 'r': options->report = true; break;
		case 'm': options->child_ms = number(optarg, 1000); break;
		case 'w':
			options->child_ms = number(optarg, 1000);
			work_as_child(options, scattered(getpid()));
			exit(EXIT_SUCCESS);
		default:
			usage();
		}
	}
	if (optind != argc)
		usage();
}

int main(int argc, char **argv)
{
	struct options options = { .seconds = 60, .threads = 1, .child_ms = 3 };
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
	uint64_t iterations = 0;
	uint64_t deadline_ns;

	parse(&options, argc, argv);
	deadline_ns = start_ns + options.seconds * NSEC_PER_SEC;
	if (options.forks_hz)
		work_in_children(&options, argv[0], deadline_ns);
	else
		iterations = work_in_threads(&options, deadline_ns);
	if (options.report)
		printf("%llu %llu %llu\n", (unsigned long long)iterations,
		       (unsigned long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID),
		       (unsigned long long)(clock_ns(CLOCK_MONOTONIC) - start_ns));
	return 0;
}
