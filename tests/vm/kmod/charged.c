// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of sessions is charged to the cgroup of the process that made them, within 2 % of what they take: what
 * they are made of, their streams, and the filters and targets that another process adds to them; and what is allocated
 * when a target forks.
 *
 * vm: machines=x86-64,next not=debug,race seconds=120
 */
#include <sys/resource.h>

#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "process.h"
#include "memory.h"
#include "scope.h"
#include "socket.h"

#define OURS		"tprof-charged"
#define THEIRS		"tprof-passed"
#define NR_SESSIONS	1000
#define NR_STREAMS	8
#define NR_PASSED	100
#define NR_CHILDREN	200
#define MB		(1L << 20)

static int device, sockets[2];
static int sessions[NR_SESSIONS];
static unsigned int nr_cpus;

/*
 * Memory of the kernel that sessions without streams are made of. For four bytes of percpu on each CPU there is a
 * pointer to the cgroup that pays for them, and for that pointer.
 */
static long kernel_bytes(void)
{
	long percpu = meminfo("Percpu");

	return meminfo("SUnreclaim") + percpu + percpu / nr_cpus * 2;
}

/* Memory that the module has mapped. */
static long mapped_bytes(void)
{
	FILE *file = fopen("/proc/vmallocinfo", "r");
	char line[256], *pages;
	long sum = 0;

	need(file, "vmallocinfo opens");
	while (fgets(line, sizeof(line), file)) {
		pages = strstr(line, " pages=");
		if (pages && strstr(line, "[tprof]"))
			sum += atol(pages + strlen(" pages="));
	}
	fclose(file);
	return sum * getpagesize();
}

static void within_2_percent(long charged, long used, const char *what)
{
	if (!check(labs(charged - used) * 50 <= used, "%s: charged within 2 %% of what is used", what))
		diag("charged %ld KiB, used %ld KiB", charged / 1024, used / 1024);
}

static void make_sessions(int nr)
{
	for (int i = 0; i < nr; i++) {
		sessions[i] = create_session(device);
		need(sessions[i] >= 0 && add_timer(sessions[i], 1000 * MS) == 0 &&
		     attach(sessions[i], TPROF_TARGET_PROCESS, getpid()) == 0, "session %d with a target", i);
	}
}

/* Closes sessions, and waits until RCU has freed their memory. */
static void close_sessions(unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		close(sessions[i]);
	usleep(500000);
}

static void sessions_and_targets(void)
{
	long charged, used;

	/* For what is made once for all. Not more of them: what they leave in caches would be used again. */
	make_sessions(10);
	close_sessions(10);
	charged = memory_of(OURS);
	used = kernel_bytes();
	make_sessions(NR_SESSIONS);
	charged = memory_of(OURS) - charged;
	used = kernel_bytes() - used;
	diag("%ld bytes for each session", used / NR_SESSIONS);
	within_2_percent(charged, used, "sessions");
	close_sessions(NR_SESSIONS);
}

/* On all CPUs together 8 MiB for each of them. */
static void streams(void)
{
	long charged = memory_of(OURS), used = mapped_bytes();
	uint32_t bytes = 8 * MB;

	while (bytes * nr_cpus > 8 * MB)
		bytes /= 2;
	for (int i = 0; i < NR_STREAMS; i++) {
		sessions[i] = create_session(device);
		need(sessions[i] >= 0 && configure(sessions[i], 0, bytes) == 0, "session %d with streams", i);
	}
	charged = memory_of(OURS) - charged;
	used = mapped_bytes() - used;
	within_2_percent(charged, used, "streams");
	close_sessions(NR_STREAMS);
}

static int make_and_send(void)
{
	join_cgroup(THEIRS);
	for (int i = 0; i < NR_PASSED; i++) {
		int session = create_session(device);

		if (session < 0 || add_timer(session, 1000 * MS) || send_fd(sockets[1], session))
			return 1;
		close(session);
	}
	return 0;
}

/* Sessions of a process in another cgroup, which has ended. */
static void receive_sessions(void)
{
	need(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "sockets");
	is(in_child(make_and_send), 0, "a process in another cgroup makes sessions, sends them, and ends");
	for (int i = 0; i < NR_PASSED; i++) {
		sessions[i] = receive_fd(sockets[0], 0);
		need(sessions[i] >= 0, "session %d comes", i);
	}
}

/* That cgroup has been charged at least that much since it had @before. */
static void creator_pays(long before, long least, const char *what)
{
	long charged = memory_of(THEIRS) - before;

	if (!check(charged >= least, "%s: charged to the cgroup of the creator", what))
		diag("%ld KiB, at least %ld KiB are due", charged / 1024, least / 1024);
}

/* An entry for each child, in each session; some of them the sessions have had since they follow us. */
static void forks(long before)
{
	pid_t children[NR_CHILDREN];

	for (int i = 0; i < NR_CHILDREN; i++) {
		children[i] = fork();
		if (!children[i]) {
			pause();
			_exit(0);
		}
	}
	creator_pays(before, NR_PASSED * (32768L + NR_CHILDREN * 48L), "children of targets");
	for (int i = 0; i < NR_CHILDREN; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
}

static void passed(void)
{
	static const struct bpf_insn done[] = { ANSWER(TPROF_DONE) };
	long before;
	int link;

	receive_sessions();
	before = memory_of(THEIRS);
	need(configure(sessions[0], 0, MB) == 0, "we give one streams");
	creator_pays(before, nr_cpus * MB, "streams");
	before = memory_of(THEIRS);
	for (int i = 0; i < NR_PASSED; i++)
		need(attach(sessions[i], TPROF_TARGET_PROCESS, getpid()) == 0, "we are a target");
	creator_pays(before, NR_PASSED * 32768L, "targets");
	forks(before);
	need(ioctl(sessions[0], TPROF_IOC_START) == 0, "we start it");
	link = attach_filter(sessions[0], "done", 0, done, 2);
	need(link >= 0, "we attach a filter");
	close(link);
	close_sessions(NR_PASSED);
	is(open_sessions(device), 0, "they are closed");
	remove_cgroup(THEIRS);
}

int main(void)
{
	struct rlimit files = { 8192, 8192 };

	device = open_device();
	nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	need(setrlimit(RLIMIT_NOFILE, &files) == 0, "files");
	make_memory_cgroup(OURS);
	make_memory_cgroup(THEIRS);
	join_cgroup(OURS);
	pin(0);
	sessions_and_targets();
	streams();
	passed();
	join_cgroup("");
	remove_cgroup(OURS);
	return done_testing();
}
