// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client in a cgroup of 16 MiB makes as many sessions as it can. It gets ENOMEM before the memory of the cgroup is
 * exceeded, nobody is killed for it, others go on making sessions, and all comes back when it ends. Without a cgroup it
 * is refused at the limit of its user.
 *
 * vm: machines=x86-64,next,next-arm64 seconds=120
 */
#include <sys/resource.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "memory.h"
#include "scope.h"

#define HOG		"tprof-hog"
#define MAX_BYTES	(16L << 20)
#define TRIES		3000		/* together some 100 MiB */

static int device;

/* Results of a child, in shared memory: at its limit the child can allocate no other. */
struct told {
	int nr_sessions;		/* that it had when it was refused */
	int error;			/* with what */
};

static struct told *told;

/* 0, or -1: one of its calls was refused. */
static int one_more(void)
{
	int session = create_session(device);

	return session < 0 || add_timer(session, MS) || attach(session, TPROF_TARGET_PROCESS, getpid()) ? -1 : 0;
}

static int make_sessions(void)
{
	become_nobody(1ULL << CAP_PERFMON);
	while (told->nr_sessions < TRIES && one_more() == 0)
		told->nr_sessions++;
	told->error = told->nr_sessions < TRIES ? errno : 0;
	return 0;
}

static int make_sessions_in_cgroup(void)
{
	join_cgroup(HOG);
	return make_sessions();
}

static void run(int (*work)(void))
{
	*told = (struct told){ 0 };
	is(in_child(work), 0, "the client ends by itself");
	is(open_sessions(device), 0, "none of its sessions is left");
	diag("%d sessions, then %s", told->nr_sessions, strerror(told->error));
}

int main(void)
{
	struct rlimit files = { 8192, 8192 };
	long left, most, peak;

	device = open_device();
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(told != MAP_FAILED && setrlimit(RLIMIT_NOFILE, &files) == 0, "memory and files");
	make_memory_cgroup(HOG);
	set_memory_max(HOG, MAX_BYTES);

	run(make_sessions_in_cgroup);
	is(told->error, ENOMEM, "in a cgroup of 16 MiB: the error is ENOMEM");
	check(told->nr_sessions > 20 && told->nr_sessions < 1024, "not with the first ones, before any other limit");
	peak = atol(read_file(CGROUPS HOG "/memory.peak"));
	check(peak > MAX_BYTES * 9 / 10 && peak <= MAX_BYTES, "the cgroup was full");
	is(killed_in(HOG), 0, "nobody is killed");
	/* Memory that RCU frees, and the pages that the kernel charges in advance: 64 for each CPU. */
	most = (1 << 20) + (64 << 12) * sysconf(_SC_NPROCESSORS_CONF);
	for (int i = 0; (left = memory_of(HOG)) > most && i < 100; i++)
		usleep(50000);
	check(left <= most, "what was charged comes back");

	run(make_sessions);
	is(told->error, EMFILE, "without a cgroup: EMFILE");
	is(told->nr_sessions, 1024, "after 1,024 sessions");
	is(one_more(), 0, "another user goes on");
	remove_cgroup(HOG);
	return done_testing();
}
