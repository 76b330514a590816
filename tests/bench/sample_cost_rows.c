// SPDX-License-Identifier: GPL-2.0-only
/* The rows of the measurement, and their clients. */
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libtprof/tprof.h"
#include "sample_cost.h"
#include "uapi/tprof_device.h"

#define SLOWER		1000
#define DRIFT_NS	7
#define RARER		10
#define RAREST		40

/*
 * These NMIs come in a timer interrupt, and the module delivers 16 samples of code with interrupts disabled in a
 * millisecond (kmod/stage.c); further ones would wait and be delivered together.
 */
#define NMI_RARER	4

unsigned int row_period(const struct row *row)
{
	unsigned int rarer = row->rarer ? row->rarer : 1;

	return PERIOD_NS * (row->nmi && rarer < NMI_RARER ? NMI_RARER : rarer);
}

/*
 * Perf events fire independently, and two that fire at the same time cost less. Their periods differ slightly, so that
 * all phase differences occur many times.
 */
static uint64_t period_of(const struct row *row, unsigned int client)
{
	if (client + row->slow >= row->nr)
		return PERIOD_NS * SLOWER;
	return row_period(row) + (strcmp(row->engine, "perf") ? 0 : client * DRIFT_NS);
}

static int looks_elsewhere(const struct row *row, unsigned int client)
{
	return client + row->elsewhere >= row->nr;
}

/* Starts a timer that does nothing. */
static void start_floor(struct clients *clients)
{
	module_set("tprof_bench", "timer_ns", "%d", PERIOD_NS);
	(void)clients;
}

/* Starts sessions of the module without a filter. */
static void start_bare(struct clients *clients, const char *source)
{
	struct tprof_create create = { .size = sizeof(create) };
	struct tprof_event event = { .size = sizeof(event), .period = row_period(clients->row) };
	int device = open(TPROF_DEVICE, O_RDWR | O_CLOEXEC);

	if (device < 0)
		fail("%s cannot be opened", TPROF_DEVICE);
	strcpy(event.source, source);
	for (unsigned int i = 0; i < clients->row->nr; i++) {
		int fd = ioctl(device, TPROF_IOC_CREATE, &create);

		if (fd < 0 || ioctl(fd, TPROF_IOC_ADD_EVENT, &event) || ioctl(fd, TPROF_IOC_START))
			fail("%s: a session cannot be started", clients->row->name);
		clients->fds[i] = fd;
	}
	close(device);
}

static void start_captures(struct clients *clients)
{
	start_bare(clients, "timer");
}

/* Starts NMIs that capture nothing. */
static void start_nmi_floor(struct clients *clients)
{
	module_set("tprof_bench_nmi", "capture", "0");
	start_bare(clients, "bench_nmi");
}

static void capture_in_nmi(struct clients *clients)
{
	module_set("tprof_bench_nmi", "capture", "1");
	(void)clients;
}

static void start_nmi(struct clients *clients)
{
	capture_in_nmi(clients);
	start_bare(clients, "bench_nmi");
}

/* Prints the instructions in the NMI, from the time stamp counter, which counts them: ROW-inside, -longest, -frames. */
static void tell_nmi(const struct row *row, unsigned int frames)
{
	unsigned long long samples, cycles, longest;
	char spent[64], name[64];

	module_get("tprof_bench_nmi", "spent", spent, sizeof(spent));
	if (sscanf(spent, "%llu %llu %llu", &samples, &cycles, &longest) != 3 || !samples)
		fail("no sample in an NMI");
	snprintf(name, sizeof(name), "%s-inside", row->name);
	print_cost(name, 1, (double)cycles / (double)samples, (double)samples);
	snprintf(name, sizeof(name), "%s-longest", row->name);
	print_cost(name, 1, (double)longest, (double)samples);
	if (!frames)
		return;
	snprintf(name, sizeof(name), "%s-frames", row->name);
	print_cost(name, 1, frames, (double)samples);
}

/* Starts the perf event that the library uses, with a minimal program of plain.bpf.c. */
static void start_program(struct clients *clients, const char *name)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(attr),
		.sample_period = PERIOD_NS,
	};
	struct bpf_program *program;
	int event = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	clients->object = bpf_object__open_file("/bench/filters/plain.bpf.o", NULL);
	if (event < 0 || !clients->object || bpf_object__load(clients->object))
		fail("%s: its program cannot be loaded", clients->row->name);
	program = bpf_object__find_program_by_name(clients->object, name);
	clients->link = bpf_program__attach_perf_event(program, event);
	if (!clients->link)
		fail("%s: its program cannot be attached", clients->row->name);
}

#define RING_PAGES	1024		/* more than the samples of a row */

/* Starts what perf record does with --call-graph dwarf: an event that copies user registers and stack into a ring. */
static void start_perf_copies(struct clients *clients)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(attr),
		.sample_period = row_period(clients->row),
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = 0xff0fff, .sample_stack_user = COPIED_BYTES, .exclude_callchain_user = 1,
	};
	int event = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	clients->fds[0] = event;
	clients->ring_bytes = (size_t)(RING_PAGES + 1) * (size_t)getpagesize();
	if (event < 0)
		fail("%s: the event cannot be opened", clients->row->name);
	clients->ring = mmap(NULL, clients->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
	if (clients->ring == MAP_FAILED)
		fail("%s: its ring cannot be mapped", clients->row->name);
}

/* The number of samples of perf with all of the stack. Each has several hundred bytes beside the stack. */
static uint64_t perf_copies(const struct clients *clients)
{
	const struct perf_event_mmap_page *head = clients->ring;
	const char *data = (const char *)head + head->data_offset;
	uint64_t nr = 0;

	for (uint64_t at = 0; at < head->data_head;) {
		const struct perf_event_header *record = (const void *)(data + at % head->data_size);

		if (record->type == PERF_RECORD_SAMPLE) {
			/* The last member: how many of the bytes are of the stack. Tasks of the kernel have none. */
			const char *end = (const char *)record + record->size;

			nr += *(const uint64_t *)(end - sizeof(uint64_t)) == COPIED_BYTES;
		} else if (record->type == PERF_RECORD_LOST) {
			fail("%s: its ring is too small", clients->row->name);
		}
		at += record->size;
	}
	return nr;
}

static void start_plain(struct clients *clients)
{
	start_program(clients, "plain");
}

static void start_plain_fresh(struct clients *clients)
{
	start_program(clients, "plain_fresh");
}

/*
 * Chooses the scope of a client. The module gets one process and finds its descendants; the program of the perf engine
 * finds descendants only when they run, so it gets each of them.
 */
static void choose(struct tprof_session_opts *opts, struct clients *clients, unsigned int client)
{
	static const pid_t threads_of_kernel = 2;
	const struct row *row = clients->row;
	const struct crowd *crowd = &clients->crowd;
	const bool elsewhere = looks_elsewhere(row, client);

	if (!row->scope) {
		opts->pids = &threads_of_kernel;
		opts->nr_pids = elsewhere;
		return;
	}
	crowd_start(&clients->crowd, row->scope - !elsewhere);
	opts->pids = crowd->pids;
	opts->nr_pids = row->scope;
	if (strcmp(row->engine, "kmod") == 0) {
		opts->pids = elsewhere ? crowd->pids : crowd->pids + crowd->nr;
		opts->nr_pids = 1;
	}
}

static struct tprof_session *session_start(struct clients *clients, unsigned int client)
{
	const struct row *row = clients->row;
	TPROF_OPTS(tprof_session_opts, opts, .engine = row->engine, .event = row->event ? row->event : "cpu-clock",
		   .tables = true, .period = period_of(row, client));
	struct tprof_session *session;
	struct tprof_filter *filter;
	struct tprof_error error;
	char path[64];

	choose(&opts, clients, client);
	snprintf(path, sizeof(path), "/bench/filters/%s.bpf.o", row->filter);
	session = tprof_session__open(&opts, &error);
	filter = session ? tprof_filter__open(path, &error) : NULL;
	if (!filter)
		fail("%s: %s", row->name, error.text);
	if (tprof_session__add_filter(session, filter) || tprof_session__start(session))
		fail("%s: %s", row->name, tprof_session__error(session));
	return session;
}

void clients_start(struct clients *clients, const struct row *row)
{
	*clients = (struct clients){ .row = row };
	memset(clients->fds, -1, sizeof(clients->fds));
	if (row->start)
		row->start(clients);
	for (unsigned int i = 0; row->engine && i < row->nr; i++)
		clients->sessions[i] = session_start(clients, i);
}

void clients_stop(struct clients *clients)
{
	for (unsigned int i = 0; i < MAX_CLIENTS; i++) {
		tprof_session__close(clients->sessions[i]);
		if (clients->fds[i] >= 0)
			close(clients->fds[i]);
	}
	if (clients->ring)
		munmap(clients->ring, clients->ring_bytes);
	bpf_link__destroy(clients->link);
	bpf_object__close(clients->object);
	module_set("tprof_bench", "timer_ns", "0");
	crowd_stop(&clients->crowd);
}

uint64_t clients_fired(const struct clients *clients)
{
	struct tprof_ledger_read read = { .size = sizeof(read), .cpu = -1 };
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };

	if (clients->ring)
		return perf_copies(clients);
	if (clients->sessions[0]) {
		if (tprof_session__ledger(clients->sessions[0], &ledger))
			fail("%s", tprof_session__error(clients->sessions[0]));
		/* Copying and counting cost less where a table is full. */
		if (ledger.countings[TPROF_COUNTING_TABLE_FULL].samples)
			fail("%s: samples are lost", clients->row->name);
		/* The clock of a task-clock event sometimes jumps by a few milliseconds, which count as missed. */
		return ledger.fired.samples - ledger.lost[TPROF_LOST_ENGINE_MISSED].samples;
	}
	if (clients->fds[0] < 0 || clients->row->start == start_nmi_floor)
		return CLIENTS_DO_NOT_TELL;
	if (ioctl(clients->fds[0], TPROF_IOC_LEDGER, &read))
		fail("the ledger cannot be read");
	return read.fired.samples;
}

/* The text of the key has the names of the frames, separated by semicolons. */
static unsigned int count_frames(const char *chain)
{
	unsigned int frames = 0;

	for (const char *c = chain; c; c = strchr(c + 1, ';'))
		frames++;
	return frames;
}

void clients_chains(const struct clients *clients, uint64_t samples[MAX_FRAMES + 1])
{
	struct tprof_profile *profile = tprof_session__snapshot(clients->sessions[0]);
	const struct tprof_row *row;

	if (!profile)
		fail("%s", tprof_session__error(clients->sessions[0]));
	memset(samples, 0, (MAX_FRAMES + 1) * sizeof(*samples));
	for (size_t i = 0; i < tprof_profile__nr_tables(profile); i++) {
		if (strcmp(tprof_profile__table_name(profile, i), "chains") != 0)
			continue;
		for (size_t j = 0; (row = tprof_profile__row(profile, i, j)); j++) {
			unsigned int frames = count_frames(row->key);

			samples[frames < MAX_FRAMES ? frames : MAX_FRAMES] += row->samples;
		}
	}
	tprof_profile__free(profile);
}

/* Clients of a kind with each of the filters. Slow ones have a lower rate, so that the CPU can handle them. */
#define CELL(kind, by, filter_, nr_, rarer_, ...)						\
	{ .name = kind "-" by "-" #nr_, .filter = filter_, .nr = nr_, .rarer = rarer_, __VA_ARGS__ }
#define CELLS(kind, by, filter, rarer, rarest, ...)						\
	CELL(kind, by, filter, 1, 0, __VA_ARGS__), CELL(kind, by, filter, 4, rarer, __VA_ARGS__),	\
	CELL(kind, by, filter, 8, rarer, __VA_ARGS__), CELL(kind, by, filter, 32, rarest, __VA_ARGS__)
#define EACH_FILTER(kind, ...)									\
	CELLS(kind, "none", "none", 0, RARER, __VA_ARGS__),						\
	CELLS(kind, "top", "top", 0, RARER, __VA_ARGS__),						\
	CELLS(kind, "stack", "uchains", RARER, RAREST, __VA_ARGS__)

/* One client with this number of processes in scope, with or without the one that runs. */
#define SCOPES(in)										\
	{ .name = "timer-in-" #in, .engine = "kmod", .filter = "none", .nr = 1, .scope = in },		\
	{ .name = "timer-out-" #in, .engine = "kmod", .filter = "none", .nr = 1, .scope = in, .elsewhere = 1 },	\
	{ .name = "perf-in-" #in, .engine = "perf", .filter = "none", .nr = 1, .scope = in },		\
	{ .name = "perf-out-" #in, .engine = "perf", .filter = "none", .nr = 1, .scope = in, .elsewhere = 1 }

const struct row rows[] = {
	{ .name = "floor", .nr = 1, .start = start_floor },
	EACH_FILTER("timer", .engine = "kmod"),
	EACH_FILTER("source", .engine = "kmod", .event = "task-clock"),
	EACH_FILTER("perf", .engine = "perf"),
	{ .name = "nmi-floor", .nr = 1, .nmi = 1, .start = start_nmi_floor },
	EACH_FILTER("nmi", .engine = "kmod", .event = "bench_nmi", .nmi = 1, .start = capture_in_nmi),
	{ .name = "nmi-bare", .nr = 1, .nmi = 1, .start = start_nmi, .tell = tell_nmi },
	{ .name = "perf-plain", .nr = 1, .start = start_plain },
	{ .name = "perf-plain-fresh", .nr = 1, .start = start_plain_fresh },
	{ .name = "perf-fresh", .engine = "perf", .filter = "fresh", .nr = 1 },
	{ .name = "capture-1", .nr = 1, .start = start_captures },
	{ .name = "capture-8", .nr = 8, .start = start_captures },
	{ .name = "decimated", .engine = "kmod", .filter = "top", .nr = 2, .slow = 1 },
	{ .name = "elsewhere", .engine = "kmod", .filter = "top", .nr = 2, .elsewhere = 1 },
	SCOPES(1), SCOPES(100), SCOPES(10000),
	{ .name = "floor-kernel", .nr = 1, .start = start_floor, .in_kernel = 1 },
	{ .name = "perf-kernel", .engine = "perf", .filter = "top", .nr = 1, .in_kernel = 1 },
	{ .name = "timer-kernel", .engine = "kmod", .filter = "top", .nr = 1, .in_kernel = 1 },
	{ .name = "perf-kernel-stack", .engine = "perf", .filter = "kchains", .nr = 1, .in_kernel = 1 },
	{ .name = "timer-cold-stack", .engine = "kmod", .filter = "kchains", .nr = 1, .in_kernel = 1, .cold = 1 },
	{ .name = "timer-kernel-stack", .engine = "kmod", .filter = "kchains", .nr = 1, .in_kernel = 1 },
	{ .name = "copy-perf-record", .nr = 1, .rarer = RAREST, .start = start_perf_copies },
	{ .name = "copy-perf", .engine = "perf", .filter = "dwarf", .nr = 1, .rarer = RAREST },
	{ .name = "copy-timer", .engine = "kmod", .filter = "dwarf", .nr = 1, .rarer = RAREST },
	{ .name = "nmi-kernel-stack", .engine = "kmod", .event = "bench_nmi", .filter = "kchains", .nr = 1,
	  .in_kernel = 1, .nmi = 1, .start = capture_in_nmi, .tell = tell_nmi },
	{ 0 },
};
