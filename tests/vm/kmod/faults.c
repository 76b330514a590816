// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocations and user copies in each call fail, one at a time: the call returns ENOMEM or EFAULT or works without the
 * memory, succeeds when it is repeated, and leaks nothing. A session that runs meanwhile loses no sample. The same for
 * CPUs that go offline and online, with failures in the hotplug thread of the CPU, and for loading the module.
 *
 * vm: machines=debug seconds=900
 */
#include <dirent.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"
#include "scope.h"
#include "source.h"

#define STREAM_BYTES	16384
#define MAX_FAULTS	4000
#define EACH		60		/* the first failure points are tried one by one, then every STRIDE-th: loops */
#define STRIDE		13
#define SESSION		100		/* a fixed descriptor of the tested session, because its filter names it */

static int device, filter, other_filter, link_fd = -1;
static int fail_nth;				/* /proc/TID/fail-nth of the thread with failures */
static uint64_t cgroup;
static void *mapped = MAP_FAILED;

/* Makes the nth operation that can fail in that thread fail. */
static void arm(int nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%d", nth);

	need(pwrite(fail_nth, text, (size_t)length, 0) == length, "a failure is asked for");
}

/* Whether it failed. The read itself can fail: then nothing had failed before. */
static bool disarm(void)
{
	char left[16] = "";
	bool happened = pread(fail_nth, left, sizeof(left) - 1, 0) > 0 && atoi(left) == 0;
	bool asked = pwrite(fail_nth, "0", 1, 0) == 1 || pwrite(fail_nth, "0", 1, 0) == 1;

	need(asked, "no failure is asked for any more");
	return happened;
}

static int take_session(int fd)
{
	int session = fd < 0 ? -1 : dup3(fd, SESSION, O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return session;
}

static void with_session(void)
{
	need(take_session(create_session(device)) == SESSION, "a session");
}

static void with_stream(void)
{
	with_session();
	need(configure(SESSION, 0, STREAM_BYTES) == 0, "with a stream");
}

static void with_timer(void)
{
	with_stream();
	need(add_timer(SESSION, MS) == 0, "with a timer");
}

static void with_perf(void)
{
	with_stream();
	need(add_perf(SESSION, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, MS) == 0, "with an event of perf");
}

static void running(void)
{
	with_timer();
	need(ioctl(SESSION, TPROF_IOC_START) == 0, "that runs");
}

static void running_perf(void)
{
	with_perf();
	need(ioctl(SESSION, TPROF_IOC_START) == 0, "that runs");
}

static void with_filter(void)
{
	running();
	link_fd = link_filter(filter);
	need(link_fd >= 0, "with a filter");
}

static void with_records(void)
{
	with_filter();
	need(write(SESSION, "mark", 4) == 4, "with a record in its stream");
}

static void with_target(void)
{
	running();
	need(attach(SESSION, TPROF_TARGET_PROCESS, (uint64_t)getpid()) == 0, "with a target");
}

static int create(void)
{
	return take_session(create_session(device));
}

static int give_stream(void)
{
	return configure(SESSION, 0, 2 * STREAM_BYTES);
}

static int choose_cpus(void)
{
	return configure_on_cpu(SESSION, 0, 0);
}

static int give_timer(void)
{
	return add_timer(SESSION, MS);
}

static int give_perf(void)
{
	return add_perf(SESSION, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, MS);
}

static int start(void)
{
	return ioctl(SESSION, TPROF_IOC_START);
}

static int stop(void)
{
	return ioctl(SESSION, TPROF_IOC_STOP);
}

static int end(void)
{
	return close(SESSION);
}

static int change_period(void)
{
	struct tprof_period period = { .size = sizeof(period), .period = 300000 };

	return ioctl(SESSION, TPROF_IOC_PERIOD, &period);
}

static int attach_process(void)
{
	return attach(SESSION, TPROF_TARGET_PROCESS, (uint64_t)getpid());
}

static int attach_thread(void)
{
	return attach(SESSION, TPROF_TARGET_THREAD, (uint64_t)getpid());
}

static int attach_cgroup(void)
{
	return attach(SESSION, TPROF_TARGET_CGROUP, cgroup);
}

static int detach_process(void)
{
	return detach(SESSION, TPROF_TARGET_PROCESS, (uint64_t)getpid());
}

/* Forks a child of a task in scope. A failure of fork() itself is accepted. */
static int fork_in_scope(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return pid < 0 ? -1 : 0;
}

static int flush_it(void)
{
	uint64_t cookie = 1;

	return ioctl(SESSION, TPROF_IOC_FLUSH, &cookie);
}

static int clear(void)
{
	return ioctl(SESSION, TPROF_IOC_CLEAR);
}

static int ledger(void)
{
	struct tprof_ledger_read read = { .size = sizeof(read), .cpu = -1 };

	return ioctl(SESSION, TPROF_IOC_LEDGER, &read);
}

static int tell(void)
{
	struct tprof_session_info info = { .size = sizeof(info) };

	return ioctl(SESSION, TPROF_IOC_SESSION, &info);
}

static int link_it(void)
{
	link_fd = link_filter(filter);
	return link_fd;
}

static int replace_it(void)
{
	return replace_filter(link_fd, other_filter);
}

static int unlink_it(void)
{
	int link = link_fd;

	link_fd = -1;
	return close(link);
}

static int map(void)
{
	mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, SESSION, TPROF_STREAM_CONTROL(0));
	return mapped == MAP_FAILED ? -1 : 0;
}

static int read_it(void)
{
	static char bytes[STREAM_BYTES];

	return (int)read(SESSION, bytes, sizeof(bytes));
}

static int mark(void)
{
	return (int)write(SESSION, "mark", 4);
}

/* Failures here do not undo the setup of other steps, so it can be tried at any time. */
static int cpu_goes(void)
{
	return set_online(1, false);
}

static int cpu_comes(void)
{
	return set_online(1, true);
}

static void without_cpu(void)
{
	running_perf();
	need(set_online(1, false) == 0, "a CPU goes");
}

static void with_module(void)
{
	need(load_module("tprof") == 0, "the module comes");
}

/* The failure that is asked for is one of the module's init, see tprof_fault. */
static int load(void)
{
	char left[16] = "";
	int nth = pread(fail_nth, left, sizeof(left) - 1, 0) > 0 ? atoi(left) : 0;

	disarm();
	return write_parameter("tprof_fault", "nth", (unsigned int)nth) ? load_module("tprof") : -1;
}

static int unload(void)
{
	return unload_module("tprof");
}

/* A call with its setup. */
struct step {
	const char *name;
	void (*prepare)(void);
	int (*call)(void);
};

static const struct step steps[] = {
	{ "CREATE", NULL, create },
	{ "CONFIGURE, stream", with_stream, give_stream },
	{ "CONFIGURE, CPUs", with_session, choose_cpus },
	{ "ADD_EVENT, timer", with_session, give_timer },
	{ "ADD_EVENT, perf", with_session, give_perf },
	{ "START, timer", with_timer, start },
	{ "START, perf", with_perf, start },
	{ "PERIOD", running, change_period },
	{ "PERIOD, perf", running_perf, change_period },
	{ "ATTACH, process", running, attach_process },
	{ "ATTACH, thread", running, attach_thread },
	{ "ATTACH, cgroup", running, attach_cgroup },
	{ "DETACH", with_target, detach_process },
	{ "FLUSH", running, flush_it },
	{ "CLEAR", running, clear },
	{ "LEDGER", running, ledger },
	{ "SESSION", running, tell },
	{ "link", running, link_it },
	{ "replace", with_filter, replace_it },
	{ "unlink", with_filter, unlink_it },
	{ "mmap", with_stream, map },
	{ "read", with_records, read_it },
	{ "write", with_stream, mark },
	{ "STOP, timer", with_filter, stop },
	{ "STOP, perf", running_perf, stop },
	{ "close, timer", with_filter, end },
	{ "close, perf", running_perf, end },
};

static const struct step fork_steps[] = {
	{ "fork", with_target, fork_in_scope },
};

static const struct step cpu_steps[] = {
	{ "a CPU goes", running_perf, cpu_goes },
	{ "a CPU comes", without_cpu, cpu_comes },
};

static const struct step module_steps[] = {
	{ "load", NULL, load },
	{ "unload", with_module, unload },
};

static void clean_up(void)
{
	if (device < 0) {
		/* Only the module must be removed. */
		if (unload_module("tprof") && errno != ENOENT)
			need(false, "the module goes, errno %d", errno);
		return;
	}
	if (mapped != MAP_FAILED)
		munmap(mapped, 4096);
	mapped = MAP_FAILED;
	if (link_fd >= 0)
		close(link_fd);
	link_fd = -1;
	close(SESSION);
	set_online(1, true);
}

/* @strict: the only permitted errors are ENOMEM and EFAULT; else other errors of the kernel are permitted too. */
static void walk(const struct step *step, bool strict)
{
	int nth, tried = 0, refused = 0, sessions = device < 0 ? 0 : open_sessions(device);
	const char *wrong = NULL;
	bool happened = true;

	for (nth = 1; happened && !wrong && nth < MAX_FAULTS; nth += nth < EACH ? 1 : STRIDE) {
		int result, error;

		if (step->prepare)
			step->prepare();
		arm(nth);
		result = step->call();
		error = errno;
		happened = disarm();
		tried += happened;
		refused += result < 0;
		if (result < 0 && !happened)
			wrong = "nothing failed, and it does";
		else if (result < 0 && strict && error != ENOMEM && error != EFAULT)
			wrong = "says something else";
		else if (result < 0 && step->call() < 0)
			wrong = "does not work when it is made again";
		if (wrong)
			diag("failure %d: result %d, errno %d, then errno %d", nth, result, error, errno);
		clean_up();
		if (!wrong && device >= 0 && open_sessions(device) != sessions)
			wrong = "a session stays";
	}
	if (!check(!wrong && !happened, "%s: with each failure, %d, of which it says %d", step->name, tried, refused))
		diag("%s: %s", step->name, wrong ? wrong : "too many");
}

#define WALK(steps, strict) walk_all(steps, sizeof(steps) / sizeof((steps)[0]), strict)
static void walk_all(const struct step *first, unsigned int nr, bool strict)
{
	for (unsigned int i = 0; i < nr; i++)
		walk(&first[i], strict);
}

/* Selects the thread with failures. */
static void choose_thread(pid_t tid)
{
	char path[64];

	close(fail_nth);
	snprintf(path, sizeof(path), "/proc/%d/fail-nth", tid);
	fail_nth = open(path, O_RDWR | O_CLOEXEC);
	need(fail_nth >= 0, "%s opens", path);
}

/* Returns the kernel thread of a CPU that runs its hotplug callbacks. */
static pid_t cpu_thread(const char *name)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	while (!found && (entry = readdir(proc))) {
		char path[300], comm[32] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = atoi(entry->d_name) ? fopen(path, "r") : NULL;
		if (file && fgets(comm, sizeof(comm), file) && !strncmp(comm, name, strlen(name)))
			found = atoi(entry->d_name);
		if (file)
			fclose(file);
	}
	closedir(proc);
	need(found > 0, "there is a thread %s", name);
	return found;
}

/* Allocations that may sleep fail too. */
static void fail_all_kinds(void)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	static const struct { const char *name, *value; } how[] = {
		{ "ignore-gfp-wait", "N" }, { "ignore-gfp-highmem", "N" }, { "min-order", "0" }, { "verbose", "0" },
	};
	char path[128];

	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 4; j++) {
			snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", kinds[i], how[j].name);
			need(access(path, F_OK) || write_file(path, how[j].value) == 0, "%s is set", path);
		}
	}
	fail_nth = -1;
	choose_thread(getpid());
}

int main(void)
{
	static const struct bpf_insn keep[] = { ANSWER(TPROF_KEEP) };
	struct tprof_ledger_read before, after;
	struct stat stat_of;
	int bystander;

	need(stat("/sys/fs/cgroup", &stat_of) == 0, "there are cgroups");
	cgroup = stat_of.st_ino;
	device = open_device();
	fail_all_kinds();
	filter = make_filter(SESSION, "fault", 0, keep, 2);
	other_filter = make_filter(SESSION, "other", 0, keep, 2);
	bystander = create_session(device);
	need(filter >= 0 && other_filter >= 0 && bystander >= 0 && add_timer(bystander, 10 * MS) == 0 &&
	     ioctl(bystander, TPROF_IOC_START) == 0, "a session that runs all the while");
	before = read_ledger(bystander, 0);
	WALK(steps, true);
	WALK(fork_steps, false);
	choose_thread(cpu_thread("cpuhp/1"));
	WALK(cpu_steps, false);
	choose_thread(getpid());
	need(ioctl(bystander, TPROF_IOC_STOP) == 0, "it stops");
	after = read_ledger(bystander, 0);
	check(closes(&after) && !lost(&after), "the ledger of the one that ran all the while closes, nothing is lost");
	check(after.fired.samples > before.fired.samples, "it had samples");
	close(bystander);
	close(filter);
	close(other_filter);
	is(open_sessions(device), 0, "no session is left");

	close(device);
	device = -1;
	unload_released_module("tprof");
	need(load_source("tprof_fault", "") == 0, "failures in its init");
	WALK(module_steps, false);
	need(unload_source("tprof_fault") == 0, "no more failures");
	with_module();
	return done_testing();
}
