// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of a sample in instructions. Runs in a guest whose clock advances by a nanosecond with each
 * instruction (icount.sh), so the additional time of a fixed amount of work while it is sampled is the number of
 * instructions of the samples.
 *
 *	sample_cost [-s] [ROW ...]	measures these rows of sample_cost_rows.c, or all; -s also prints kallsyms
 *
 * Prints for each row
 *
 *	@cost ROW CLIENTS INSTRUCTIONS SAMPLES
 *
 * INSTRUCTIONS is the sum for one sample of each client; SAMPLES is the number of samples of each client.
 *
 * The work is done in user mode or in the kernel, always at the end of a call stack of 20 frames.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample_cost.h"

#define FRAMES		20
#define ROUNDS		100000000UL	/* of a loop of two instructions */
#define CALIBRATION	20000000UL

/* Waits until the kernel has finished deferred work for programs and maps. The emulator skips sleeps. */
#define SETTLE_US	1000000
#define SETTLE_STARTED_US 100000
/* A few samples each time; the module learns some addresses of each, every ten milliseconds. */
#define WARM_TIMES	20
#define WARM_ROUNDS	(ROUNDS / 1000)
#define WARM_US		20000

void print_cost(const char *name, unsigned int clients, double instructions, double samples)
{
	printf("@cost %s %u %.1f %.0f\n", name, clients, instructions, samples);
	fflush(stdout);
}

static FILE *module_open(const char *module, const char *name, const char *mode)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", module, name);
	file = fopen(path, mode);
	if (!file)
		fail("%s cannot be opened", path);
	return file;
}

void module_set(const char *module, const char *name, const char *format, ...)
{
	FILE *out = module_open(module, name, "w");
	va_list args;
	int bad;

	va_start(args, format);
	bad = vfprintf(out, format, args) < 0;
	va_end(args);
	if (fclose(out) || bad)
		fail("%s: parameter %s cannot be written", module, name);
}

void module_get(const char *module, const char *name, char *text, int size)
{
	FILE *in = module_open(module, name, "r");

	if (!fgets(text, size, in))
		fail("%s: parameter %s cannot be read", module, name);
	fclose(in);
}

/* The frames only contain calls; the loop is the same as in the module. */
static __attribute__((noinline, noclone)) void descend(unsigned int depth, unsigned long rounds)
{
	if (depth > 1) {
		descend(depth - 1, rounds);
	} else {
		while (rounds--)
			__asm__ volatile("");
	}
	__asm__ volatile("");
}

static void work_in_kernel(unsigned int depth, unsigned long rounds)
{
	module_set("tprof_bench", "descend", "%u %lu", depth, rounds);
}

static struct work {
	const char *name;
	void (*run)(unsigned int depth, unsigned long rounds);
	unsigned int depth;		/* 0: not calibrated yet */
	uint64_t alone_ns;		/* duration without sampling */
} works[] = {
	{ .name = "user", .run = descend },
	{ .name = "kernel", .run = work_in_kernel },
};

/* The plugin that counts translation blocks starts and ends at these functions, which are called only once each. */
static __attribute__((noinline)) void measuring(void)
{
	__asm__ volatile("");
}

static __attribute__((noinline)) void measured(void)
{
	__asm__ volatile("nop");
}

/* Not inlined, so that all callers have the same call stack. */
static __attribute__((noinline)) uint64_t work_ns(const struct work *work, unsigned long rounds)
{
	uint64_t began = now_ns();

	work->run(work->depth, rounds);
	return now_ns() - began;
}

/* Returns the most frequent depth that is at least @least; 0 if there is none. */
static unsigned int commonest(const uint64_t samples[MAX_FRAMES + 1], unsigned int least)
{
	unsigned int most = 0;

	for (unsigned int i = least; i <= MAX_FRAMES; i++) {
		if (samples[i] > samples[most])
			most = i;
	}
	return most;
}

/*
 * Finds the depth of recursion for the required length of the call stack, and the duration of the work without
 * sampling.
 */
static void calibrate(struct work *work)
{
	const struct row chains = {
		.engine = "perf", .filter = work == &works[1] ? "kchains" : "uchains", .nr = 1,
	};
	uint64_t samples[MAX_FRAMES + 1];
	struct clients clients;
	unsigned int most;

	clients_start(&clients, &chains);
	work->depth = 1;
	work_ns(work, CALIBRATION);
	clients_chains(&clients, samples);
	clients_stop(&clients);
	most = commonest(samples, 1);
	if (!most || most >= FRAMES)
		fail("%s: a chain of %u frames without descending", work->name, most);
	work->depth = FRAMES + 1 - most;
	usleep(SETTLE_US);
	work->alone_ns = work_ns(work, ROUNDS);
	printf("# work in %s mode: descends %u, %" PRIu64 " ns alone\n", work->name, work->depth, work->alone_ns);
}

/* Prints the symbols of the kernel, of modules and of BPF: "@symbol ADDRESS NAME". */
static void print_symbols(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "r");
	char line[512], address[32], type, name[256];

	if (!symbols)
		fail("/proc/kallsyms cannot be opened");
	while (fgets(line, sizeof(line), symbols)) {
		if (sscanf(line, "%31s %c %255s", address, &type, name) == 3 && strchr("tTwW", type))
			printf("@symbol %s %s\n", address, name);
	}
	fclose(symbols);
}

/* The module learns call stacks of the kernel in the background, for which the only CPU has to be idle. */
static void warm_up(const struct work *work)
{
	for (int i = 0; i < WARM_TIMES; i++) {
		work->run(work->depth, WARM_ROUNDS);
		usleep(WARM_US);
	}
}

static void measure(const struct row *row, int symbols)
{
	struct work *work = &works[row->in_kernel];
	uint64_t before, fired, ns, began;
	int with_chains = row->filter && strstr(row->filter, "chains");
	/* A kernel call stack also has the frames of the interrupt that caused the sample. */
	int in_handler = row->in_kernel && row->event;
	uint64_t chains[MAX_FRAMES + 1];
	unsigned int frames = 0;
	struct clients clients;
	double samples, most;

	if (!work->depth)
		calibrate(work);
	usleep(SETTLE_US);
	clients_start(&clients, row);
	usleep(SETTLE_STARTED_US);
	if (row->in_kernel && !row->cold)
		warm_up(work);
	if (symbols)
		print_symbols();
	/* Discards the call stacks of the start and of the first read of kallsyms, which would fill the table. */
	for (int i = 0; with_chains && i < 2; i++)
		clients_chains(&clients, chains);
	began = now_ns();
	before = clients_fired(&clients);
	measuring();
	ns = work_ns(work, ROUNDS);
	measured();
	fired = clients_fired(&clients) - before;
	most = (double)(now_ns() - began) / row_period(row);
	if (with_chains) {
		clients_chains(&clients, chains);
		/* The read itself is sampled too, with shorter call stacks. */
		frames = commonest(chains, in_handler ? 2 : FRAMES);
		if (chains[frames] < fired * 0.95 || (frames != FRAMES && !in_handler))
			fail("%s: of %" PRIu64 " samples %" PRIu64 " have %u frames", row->name, fired, chains[frames],
			     frames);
	}
	clients_stop(&clients);

	/* Checks the number of samples; samples that fire while it is read may be included. */
	samples = (double)ns / row_period(row);
	if (before != CLIENTS_DO_NOT_TELL && (fired + 1 < samples * 0.999 || fired > most * 1.001 + 8))
		fail("%s: %" PRIu64 " samples where %.0f to %.0f were to come", row->name, fired, samples, most);
	print_cost(row->name, row->nr, (double)(int64_t)(ns - work->alone_ns) / samples, samples);
	if (row->tell)
		row->tell(row, frames);
}

static int is_wanted(const struct row *row, char *const *names)
{
	if (!*names)
		return 1;
	for (; *names; names++) {
		if (!strcmp(*names, row->name))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	/* Of the stack, more than is copied is in use, and present. */
	char below[4 * COPIED_BYTES];
	int symbols = argc > 1 && !strcmp(argv[1], "-s");

	memset(below, 1, sizeof(below));
	__asm__ volatile("" : : "r"(below) : "memory");
	for (const struct row *row = rows; row->name; row++) {
		if (is_wanted(row, argv + 1 + symbols))
			measure(row, symbols);
	}
	return 0;
}
