// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of reading the tables of a session: a snapshot of a full table, whose keys are kernel addresses.
 * Runs in a guest whose clock advances by a nanosecond with each instruction. The arguments are numbers of entries.
 * Prints for each
 *
 *	@drain CPUS ENTRIES TOOK CPU TABLES CLIENT
 *
 * TOOK is the duration and CPU the CPU time of this process, including system calls, in nanoseconds. TABLES is the
 * memory of the maps in the kernel, CLIENT the additional peak memory of this process during the snapshot, in bytes.
 */
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "libtprof/tprof.h"

#define PERIOD_NS	200000	/* so that the filter stays below its budget */
#define BURN_NS		(5 * MS)
/* Addresses in more than 2,048 functions. */
#define NR_ASKED	9000
#define ASKED_BYTES	1024

static unsigned long long kernel_base(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "r");
	unsigned long long address, base = 0;
	char line[512], name[256];

	while (symbols && !base && fgets(line, sizeof(line), symbols)) {
		if (sscanf(line, "%llx %*c %255s", &address, name) == 2 && !strcmp(name, "_stext"))
			base = address;
	}
	if (!base)
		fail("no _stext in /proc/kallsyms");
	fclose(symbols);
	return base;
}

/* Returns the number after a word at the start of a line; 0 if there is none. */
static long long number_in(const char *path, const char *word)
{
	FILE *file = fopen(path, "r");
	long long number = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, word, strlen(word)))
			number = atoll(line + strlen(word));
	}
	if (file)
		fclose(file);
	return number;
}

static long long map_bytes(void)
{
	long long bytes = 0;
	char path[64];

	for (long fd = sysconf(_SC_OPEN_MAX) - 1; fd >= 0; fd--) {
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%ld", fd);
		if (number_in(path, "map_type:"))
			bytes += number_in(path, "memlock:");
	}
	return bytes;
}

/* Resets the peak memory of this process. */
static long long memory_begin(void)
{
	FILE *file = fopen("/proc/self/clear_refs", "w");

	if (!file || fputs("5", file) < 0 || fclose(file))
		fail("/proc/self/clear_refs cannot be written");
	return number_in("/proc/self/status", "VmRSS:");
}

static void check(const struct tprof_session *session, int failed)
{
	if (failed)
		fail("%s", tprof_session__error(session));
}

static struct tprof_session *start(const char *entries)
{
	TPROF_OPTS(tprof_session_opts, opts, .engine = "kmod", .event = "cpu-clock", .period = PERIOD_NS);
	struct tprof_session *session;
	struct tprof_filter *filter;
	struct tprof_error error;
	char base[32];

	snprintf(base, sizeof(base), "%llu", kernel_base());
	session = tprof_session__open(&opts, &error);
	filter = session ? tprof_filter__open("/bench/filters/many.bpf.o", &error) : NULL;
	if (!filter)
		fail("%s", error.text);
	if (tprof_filter__set(filter, "base", base) || tprof_filter__set(filter, "keys", entries) ||
	    tprof_filter__set_table_entries(filter, "many", (uint32_t)atol(entries)))
		fail("%s", tprof_filter__error(filter));
	check(session, tprof_session__add_filter(session, filter) || tprof_session__start(session));
	return session;
}

static void fill(struct tprof_session *session, uint64_t entries)
{
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };
	uint64_t until;

	do {
		for (until = now_ns() + BURN_NS; now_ns() < until; )
			;
		check(session, tprof_session__ledger(session, &ledger));
		if (ledger.countings[TPROF_COUNTING_TABLE_FULL].samples)
			fail("a table of %llu entries holds only %llu", (unsigned long long)entries,
			     (unsigned long long)ledger.countings[TPROF_COUNTING_AGGREGATED].samples);
	} while (ledger.countings[TPROF_COUNTING_AGGREGATED].samples < entries);
	check(session, tprof_session__stop(session));
}

static void measure(const char *entries)
{
	struct tprof_session *session = start(entries);
	struct tprof_profile *profile;
	struct tprof_symbol symbol;
	uint64_t took, cpu;
	long long memory, tables = map_bytes();

	fill(session, (uint64_t)atol(entries));
	/* Reads kallsyms before the measurement, as after so many questions the kernel is not asked for more. */
	for (uint64_t i = 0, base = kernel_base(); i < NR_ASKED; i++)
		check(session, tprof_session__symbolize(session, 0, 0, base + i * ASKED_BYTES, &symbol));
	memory = memory_begin();
	took = now_ns();
	cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	profile = tprof_session__snapshot(session);
	check(session, !profile);
	cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	took = now_ns() - took;
	memory = (number_in("/proc/self/status", "VmHWM:") - memory) * 1024;
	tprof_profile__free(profile);
	tprof_session__close(session);
	printf("@drain %ld %s %llu %llu %lld %lld\n", sysconf(_SC_NPROCESSORS_ONLN), entries, (unsigned long long)took,
	       (unsigned long long)cpu, tables, memory);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	cpu_set_t first;
	int status;

	/* The filter counts only on this CPU. */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		fail("the first CPU is not to be had");
	/* Each measurement runs in a new process with fresh memory. */
	for (int i = 1; i < argc; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			measure(argv[i]);
			exit(EXIT_SUCCESS);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return EXIT_FAILURE;
	}
	return 0;
}
