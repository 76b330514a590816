// SPDX-License-Identifier: GPL-2.0-only
/*
 * Soak test: random sessions, filters, forks, execs, mappings, CPUs that go offline and online, and sources that are
 * loaded and unloaded, all at the same time, for the seconds in the kernel argument soak_seconds=. After each round the
 * module is unloaded, and the memory of the kernel must not grow. One session runs during the whole round: its ledger
 * has every sample, and its filter was called for each.
 *
 * vm: machines=none seconds=600
 */
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "ktap.h"
#include "device.h"
#include "draw.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"
#include "scope.h"

#define SECONDS		60
#define ROUNDS		10
#define WARM_UP		2		/* rounds before the first measurement of memory */
#define NR_CLIENTS	6
/* The free pages and objects in the lists of 16 CPUs vary by about this much. */
#define SLACK_KIB	4096

/* Fixed descriptors, because filters name their session by one. */
#define SESSION(n)	(100 + (n))
#define KEEPER		(NR_CLIENTS)

static int device, nr_cpus;
static struct filter_btf btf;
static int programs[2];			/* one returns KEEP, one DONE */
static atomic_bool over;
static atomic_ulong nr_sessions, nr_forks, nr_maps, nr_switches, nr_loads, nr_wrong;
static _Atomic(const char *) wrong;

/* Counts errors; the first one is reported at the end. */
static void complain(const char *what)
{
	const char *none = NULL;

	nr_wrong++;
	atomic_compare_exchange_strong(&wrong, &none, what);
}

static int attach_one(int session, int which, const char *name)
{
	int map = make_filter_of(&btf, session, name, 0, programs[which]);
	int link = link_filter(map);

	close(map);
	return link;
}

static void set_up(int session, uint64_t *drawn)
{
	static const uint64_t counted[] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_MIGRATIONS,
	};
	struct tprof_event sink = { .size = sizeof(sink), .source = "sink", .period = 100 };

	if (configure(session, 0, draw_from_below(drawn, 2) ? 0 : 4096U << draw_from_below(drawn, 4)))
		complain("CONFIGURE");
	if (add_timer(session, 500000 + draw_from_below(drawn, 5 * MS)))
		complain("a timer");
	if (draw_from_below(drawn, 2) &&
	    add_perf(session, PERF_TYPE_SOFTWARE, counted[draw_from_below(drawn, 3)], 1) < 0)
		complain("an event of perf");
	/* The module of this source may be unloaded. */
	if (draw_from_below(drawn, 4) == 0 && ioctl(session, TPROF_IOC_ADD_EVENT, &sink) < 0 && errno != ENOENT)
		complain("an event of the source sink");
	if (draw_from_below(drawn, 3) == 0 && attach(session, TPROF_TARGET_PROCESS, (uint64_t)getpid()))
		complain("a target");
}

/* Random calls of a client on a running session. */
static void use(int session, uint64_t *drawn, int link)
{
	static _Thread_local char bytes[8192];
	struct tprof_period period = { .size = sizeof(period), .period = 500000 + draw_from_below(drawn, 5 * MS) };
	uint64_t cookie = 1;
	int map;

	switch (draw_from_below(drawn, 6)) {
	case 0:
		if (ioctl(session, TPROF_IOC_PERIOD, &period))
			complain("PERIOD");
		break;
	case 1:
		if (ioctl(session, TPROF_IOC_FLUSH, &cookie))
			complain("FLUSH");
		break;
	case 2:
		if (read(session, bytes, sizeof(bytes)) < 0 && errno != EAGAIN && errno != EBADF)
			complain("read");
		break;
	case 3:
		map = make_filter_of(&btf, session, "other", 0, programs[draw_from_below(drawn, 2)]);
		if (link >= 0 && replace_filter(link, map))
			complain("a filter cannot be replaced");
		close(map);
		break;
	case 4:
		if (ioctl(session, TPROF_IOC_CLEAR))
			complain("CLEAR");
		break;
	default:
		usleep(draw_from_below(drawn, 20000));
	}
}

static void *client(void *number)
{
	int id = (int)(intptr_t)number, session = SESSION(id);
	uint64_t drawn = (uint64_t)id + 1;

	while (!over) {
		struct tprof_ledger_read ledger = { .size = sizeof(ledger), .cpu = -1 };
		int fd = create_session(device), links[3], nr_links = (int)draw_from_below(&drawn, 4);

		if (fd < 0 || dup2(fd, session) < 0)
			complain("CREATE");
		close(fd);
		fcntl(session, F_SETFL, O_NONBLOCK);
		set_up(session, &drawn);
		for (int i = 0; i < nr_links; i++) {
			links[i] = attach_one(session, (int)draw_from_below(&drawn, 2), "soak");
			if (links[i] < 0)
				complain("a filter cannot be attached");
		}
		if (ioctl(session, TPROF_IOC_START))
			complain("START");
		for (unsigned int i = draw_from_below(&drawn, 8); i; i--)
			use(session, &drawn, nr_links ? links[0] : -1);
		if (draw_from_below(&drawn, 4) && ioctl(session, TPROF_IOC_STOP))
			complain("STOP");
		if (ioctl(session, TPROF_IOC_LEDGER, &ledger) || !closes(&ledger))
			complain("a ledger does not close");
		/* The link and the session are closed in either order. */
		if (draw_from_below(&drawn, 2))
			close(session);
		for (int i = 0; i < nr_links; i++)
			close(links[i]);
		close(session);
		nr_sessions++;
	}
	return NULL;
}

static pid_t run_true(void)
{
	char *arguments[] = { "true", NULL };
	pid_t pid;

	return posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, NULL) ? -1 : pid;
}

/* Forks processes that are in scope of some sessions; every other one executes a program. */
static void *forker(void *unused)
{
	for (int i = 0; !over; i++) {
		pid_t pid = i % 2 ? run_true() : fork();

		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			complain("a child");
		nr_forks++;
	}
	return unused;
}

static void *mapper(void *unused)
{
	uint64_t drawn = 1000;

	while (!over) {
		size_t size = 4096U * (1 + draw_from_below(&drawn, 64));
		char *at = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			complain("mmap");
		else if (memset(at, 0, size) && munmap(at, size))
			complain("munmap");
		nr_maps++;
	}
	return unused;
}

static void *switcher(void *unused)
{
	uint64_t drawn = 2000;

	while (!over) {
		int cpu = 1 + (int)draw_from_below(&drawn, (unsigned int)nr_cpus - 1);

		if (set_online(cpu, false))
			complain("a CPU does not go");
		usleep(draw_from_below(&drawn, 50000));
		if (set_online(cpu, true))
			complain("a CPU does not come back");
		nr_switches++;
	}
	return unused;
}

/* Loads and unloads a source; a source in use cannot be unloaded. */
static void *loader(void *unused)
{
	uint64_t drawn = 3000;
	bool loaded = false;

	while (!over || loaded) {
		if (!loaded && load_module("tprof_sink") == 0)
			loaded = true;
		else if (!loaded)
			complain("a source cannot be loaded");
		else if (unload_module("tprof_sink") == 0)
			loaded = false;
		else if (errno != EBUSY && errno != EAGAIN)
			complain("a source cannot be unloaded");
		nr_loads++;
		usleep(draw_from_below(&drawn, 20000));
	}
	return unused;
}

static long meminfo(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	need(line, "meminfo has %s", name);
	return strtol(line + strlen(name) + 1, NULL, 10);
}

/* Returns the free memory in the lists of the CPUs, in KiB. */
static long listed_kib(void)
{
	const char *count = read_file("/proc/zoneinfo");
	long pages = 0;

	while ((count = strstr(count, " count:"))) {
		count += strlen(" count:");
		pages += strtol(count, NULL, 10);
	}
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Returns the used memory without caches, in KiB. */
static long used_kib(void)
{
	const char *text;
	long listed;

	sleep(1);
	need(write_file("/proc/sys/vm/drop_caches", "3") == 0, "caches are dropped");
	listed = listed_kib();
	text = read_file("/proc/meminfo");
	return meminfo(text, "MemTotal:") - meminfo(text, "MemFree:") - meminfo(text, "\nCached:") -
	       meminfo(text, "Buffers:") - meminfo(text, "SReclaimable:") - listed;
}

/* Makes the session that runs during the whole round; its filter counts its calls. */
static int keep_session(int counter, int *link)
{
	int fd = create_session(device), map;

	need(fd >= 0 && dup2(fd, SESSION(KEEPER)) >= 0 && add_timer(SESSION(KEEPER), 5 * MS) == 0, "a session");
	close(fd);
	map = make_counting_filter(SESSION(KEEPER), "keeper", counter, TPROF_DONE);
	*link = link_filter(map);
	close(map);
	need(*link >= 0 && ioctl(SESSION(KEEPER), TPROF_IOC_START) == 0, "that runs all the while, with a filter");
	return SESSION(KEEPER);
}

static void soak(unsigned int seconds)
{
	static const struct bpf_insn keep[] = { ANSWER(TPROF_KEEP) }, done[] = { ANSWER(TPROF_DONE) };
	static void *(*const others[])(void *) = { mapper, switcher, loader, forker, forker };
	pthread_t threads[NR_CLIENTS + sizeof(others) / sizeof(others[0])];
	int counter = new_counter(), nr = 0, link, session;
	struct tprof_ledger_read ledger;

	device = open_device();
	btf = filter_find_types();
	programs[0] = filter_load(&btf, keep, 2);
	programs[1] = filter_load(&btf, done, 2);
	session = keep_session(counter, &link);
	over = false;
	for (intptr_t i = 0; i < NR_CLIENTS; i++)
		need(pthread_create(&threads[nr++], NULL, client, (void *)i) == 0, "a thread");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		need(pthread_create(&threads[nr++], NULL, others[i], NULL) == 0, "a thread");
	sleep(seconds);
	over = true;
	while (nr)
		pthread_join(threads[--nr], NULL);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	ledger = read_ledger(session, -1);
	check(closes(&ledger) && !lost(&ledger) && ledger.fired.samples > 0, "its ledger closes, nothing is lost");
	is(read_counter(counter), ledger.outcomes[TPROF_OUTCOME_DONE].samples, "its filter was called for each sample");
	close(link);
	close(session);
	is(open_sessions(device), 0, "no session is left");
	close(counter);
	close(programs[0]);
	close(programs[1]);
	close(btf.fd);
	close(device);
}

int main(void)
{
	const char *asked = getenv("soak_seconds");
	unsigned int seconds = asked ? (unsigned int)atoi(asked) : SECONDS;
	long used = 0, first = 0;

	nr_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	for (int i = 1; i <= ROUNDS; i++) {
		soak(seconds / ROUNDS);
		unload_released_module("tprof");
		used = used_kib();
		diag("round %d: %lu sessions, %lu forks, %lu mappings, %lu times a CPU, %lu times a source; %ld KiB", i,
		     nr_sessions, nr_forks, nr_maps, nr_switches, nr_loads, used);
		if (i == WARM_UP)
			first = used;
		need(load_module("tprof") == 0, "the module is loaded again");
	}
	if (!check(!nr_wrong, "no call fails that should not"))
		diag("%lu times, the first: %s", nr_wrong, wrong);
	if (!check(used <= first + SLACK_KIB, "what the kernel has in memory does not grow"))
		diag("from %ld to %ld KiB", first, used);
	check(nr_sessions && nr_forks && nr_maps && nr_switches && nr_loads, "all of it happened");
	return done_testing();
}
