// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the instructions of a context switch while waits are observed, on a machine whose clock advances by a
 * nanosecond with each instruction. Two processes hand a byte to each other through pipes, so each switch ends a wait,
 * begins one, and is caused by a wake-up. Prints lines
 *
 *	@wait NAME INSTRUCTIONS
 *
 * for the rows below, or for those that are named by the arguments; `all` names all.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "libtprof/tprof.h"
#include "switches.h"

#define CGROUP	"/sys/fs/cgroup/elsewhere"
#define LONG_NS	(3600 * 1000 * MS)
#define RING_PAGES 4096			/* more than the records of a row */

struct row {
	const char *name;
	void (*measure)(const struct row *row);
	const char *filter;		/* of tprof */
	bool module;			/* engine kmod */
	bool other_pid, other_comm, other_cgroup, long_min, slow_period;
	const char *programs[2];	/* of waits.bpf.c, and their tracepoints */
	const char *tracepoints[2];
};

static void print_cost(const struct row *row)
{
	printf("@wait %s %.1f\n", row->name, switches_measure(NULL));
}

static void with_tprof(const struct row *row)
{
	static const pid_t threads_of_kernel = 2;
	static const char *const elsewhere = CGROUP;
	TPROF_OPTS(tprof_session_opts, opts, .event = "off-cpu", .pids = &threads_of_kernel,
		   .nr_pids = row->other_pid, .cgroups = &elsewhere, .nr_cgroups = row->other_cgroup,
		   .comm = row->other_comm ? "elsewhere" : NULL, .wait_min_ns = row->long_min ? LONG_NS : 0,
		   .period = row->slow_period ? LONG_NS : 0, .engine = row->module ? "kmod" : "perf");
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };
	struct tprof_session *session;
	struct tprof_filter *filter;
	struct tprof_error error;
	char path[64];

	snprintf(path, sizeof(path), "/bench/filters/%s.bpf.o", row->filter);
	session = tprof_session__open(&opts, &error);
	filter = session ? tprof_filter__open(path, &error) : NULL;
	if (!filter)
		fail("%s: %s", row->name, error.text);
	if (tprof_session__add_filter(session, filter) || tprof_session__start(session))
		fail("%s: %s", row->name, tprof_session__error(session));
	print_cost(row);
	/* The module counts waits out of scope when the ledger is settled. */
	if (tprof_session__flush(session) || tprof_session__ledger(session, &ledger))
		fail("%s: %s", row->name, tprof_session__error(session));
	if (ledger.fired.samples < 2 * ROUNDS || ledger.countings[TPROF_COUNTING_TABLE_FULL].samples)
		fail("%s: %llu of %u waits were observed", row->name, (unsigned long long)ledger.fired.samples,
		     2 * ROUNDS);
	tprof_session__close(session);
}

/* The offset of the pid in struct task_struct. */
static uint32_t find_task_pid(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int id = btf ? btf__find_by_name_kind(btf, "task_struct", BTF_KIND_STRUCT) : -1;
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
	uint32_t offset = 0;

	for (uint32_t i = 0; type && i < btf_vlen(type); i++) {
		if (strcmp(btf__name_by_offset(btf, btf_members(type)[i].name_off), "pid") == 0)
			offset = btf_member_bit_offset(type, i) / 8;
	}
	btf__free(btf);
	if (!offset)
		fail("struct task_struct has no pid");
	return offset;
}

static void with_programs(const struct row *row)
{
	const uint32_t task_pid = find_task_pid();
	struct bpf_object *object = bpf_object__open_file("/bench/filters/waits.bpf.o", NULL);
	int fds[2] = { -1, -1 };

	if (!object ||
	    bpf_map__set_initial_value(bpf_object__find_map_by_name(object, ".rodata"), &task_pid, sizeof(task_pid)) ||
	    bpf_object__load(object))
		fail("%s: its programs cannot be loaded", row->name);
	for (int i = 0; i < 2 && row->programs[i]; i++) {
		fds[i] = bpf_raw_tracepoint_open(row->tracepoints[i], bpf_program__fd(
			bpf_object__find_program_by_name(object, row->programs[i])));
		if (fds[i] < 0)
			fail("%s: %s cannot be attached", row->name, row->programs[i]);
	}
	print_cost(row);
	for (int i = 0; i < 2 && fds[i] >= 0; i++)
		close(fds[i]);
	bpf_object__close(object);
}

static uint64_t tracepoint_id(const char *name)
{
	char path[96], text[24] = "";
	FILE *file;

	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/sched/%s/id", name);
	file = fopen(path, "r");
	if (!file || !fgets(text, sizeof(text), file))
		fail("%s cannot be read", path);
	fclose(file);
	return strtoull(text, NULL, 10);
}

/* As perf sched record, for the tracepoints of a switch: events that write each firing to the ring of the CPU. */
static void with_perf(const struct row *row)
{
	size_t bytes = (RING_PAGES + 1) * (size_t)getpagesize();
	const struct perf_event_mmap_page *head;
	int fds[2] = { -1, -1 };

	for (int i = 0; i < 2; i++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .sample_period = 1,
			.config = tracepoint_id(row->tracepoints[i]),
			.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
		};

		fds[i] = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
		if (fds[i] < 0)
			fail("%s: no perf event: %s", row->name, strerror(errno));
	}
	head = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0);
	if (head == MAP_FAILED || ioctl(fds[1], PERF_EVENT_IOC_SET_OUTPUT, fds[0]))
		fail("%s: no ring: %s", row->name, strerror(errno));
	print_cost(row);
	if (head->data_head >= head->data_size)
		fail("%s: its ring is too small", row->name);
	printf("@wait %s-bytes %.1f\n", row->name, (double)head->data_head / 2 / (ROUNDS + WARM_ROUNDS));
	munmap((void *)head, bytes);
	close(fds[1]);
	close(fds[0]);
}

#define SWITCH	"sched_switch"
#define WAKING	"sched_waking"
#define PROGRAMS(name_, first, ...)								\
	{ .name = name_, .measure = with_programs, .programs = { first, __VA_ARGS__ },		\
	  .tracepoints = { SWITCH, WAKING } }
#define TPROF(name_, filter_, ...) { .name = name_, .measure = with_tprof, .filter = filter_, __VA_ARGS__ }

static const struct row rows[] = {
	{ .name = "floor", .measure = print_cost },
	PROGRAMS("empty", "empty", NULL),
	PROGRAMS("empty-both", "empty", "empty_waking"),
	TPROF("out-pid", "top", .other_pid = true),
	TPROF("out-comm", "top", .other_comm = true),
	TPROF("out-cgroup", "top", .other_cgroup = true),
	TPROF("below-min", "top", .long_min = true),
	TPROF("below-min-stacks", "stacks", .long_min = true),
	TPROF("between-periods", "top", .slow_period = true),
	TPROF("runqlat", "runqlat"),
	TPROF("top", "top"),
	TPROF("stacks", "stacks"),
	TPROF("offcpu", "offcpu"),
	TPROF("module-out-pid", "top", .module = true, .other_pid = true),
	TPROF("module-out-cgroup", "top", .module = true, .other_cgroup = true),
	TPROF("module-below-min", "top", .module = true, .long_min = true),
	TPROF("module-below-min-stacks", "stacks", .module = true, .long_min = true),
	TPROF("module-between-periods", "top", .module = true, .slow_period = true),
	TPROF("module-top", "top", .module = true),
	TPROF("module-stacks", "stacks", .module = true),
	TPROF("module-offcpu", "offcpu", .module = true),
	PROGRAMS("by-hand", "stacks", NULL),
	{ .name = "perf-sched", .measure = with_perf, .tracepoints = { SWITCH, WAKING } },
};

static bool is_wanted(const struct row *row, char *const *names)
{
	for (; *names; names++) {
		if (!strcmp(*names, row->name) || !strcmp(*names, "all"))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	(void)argc;
	if (mkdir(CGROUP, 0755) && errno != EEXIST)
		fail("%s: %s", CGROUP, strerror(errno));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (is_wanted(&rows[i], argv + 1))
			rows[i].measure(&rows[i]);
	}
	return 0;
}
