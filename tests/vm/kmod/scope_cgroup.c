// SPDX-License-Identifier: GPL-2.0-only
/*
 * A cgroup as scope: tasks in it or in its descendants, for as long as they are there; together with a process, tasks
 * that match both. Removing the cgroup is harmless.
 *
 * vm: all=arm64
 */
#include <sys/stat.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "scope.h"

#define PERIOD	500000
#define TOP	"/sys/fs/cgroup/tprof-test"
#define BELOW	TOP "/below"
#define BESIDE	"/sys/fs/cgroup/tprof-beside"

static int device;

static uint64_t id_of(const char *path)
{
	struct stat st;

	need(stat(path, &st) == 0, "%s is there", path);
	return st.st_ino;
}

static void move_to(const char *path)
{
	char procs[256];

	snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
	need(write_file(procs, "0") == 0, "we go to %s", path);
}

/* The time in scope, read between two readings of our CPU time. */
struct moment {
	uint64_t before_ns, seen_ns, after_ns;
};

static struct moment look(int session)
{
	struct moment moment = { .before_ns = thread_time_ns() };

	moment.seen_ns = seen_ns(session);
	moment.after_ns = thread_time_ns();
	return moment;
}

/*
 * Compares the time in scope with the CPU time that we use in the cgroup. The two cannot be read at the same time, so
 * the comparison permits any value between the two readings of the CPU time.
 */
static void burn_in(const char *path, int session, bool visible, const char *name)
{
	struct moment began, ended;
	uint64_t seen, least, most;

	move_to(path);
	began = look(session);
	burn_cpu(100 * MS);
	ended = look(session);
	seen = ended.seen_ns - began.seen_ns;
	least = ended.before_ns - began.after_ns;
	most = ended.after_ns - began.before_ns;
	if (visible)
		same_time(seen, seen < least ? least : seen > most ? most : seen, PERIOD, "%s: seen", name);
	else
		is(seen, 0, "%s: not seen", name);
}

static int session_of(const char *path)
{
	int session = create_session(device);

	need(session >= 0 && add_timer(session, PERIOD) == 0 && ioctl(session, TPROF_IOC_START) == 0,
	     "a session starts");
	is(attach(session, TPROF_TARGET_CGROUP, id_of(path)), 0, "%s is attached", path);
	is(attach(session, TPROF_TARGET_CGROUP, id_of(path)), 0, "twice is once");
	return session;
}

static void trees(void)
{
	int session = session_of(TOP);

	burn_in("/sys/fs/cgroup", session, false, "outside");
	burn_in(TOP, session, true, "in it");
	burn_in(BELOW, session, true, "below it");
	burn_in(BESIDE, session, false, "beside it");
	is(attach(session, TPROF_TARGET_CGROUP, id_of(BESIDE)), 0, "another one, while it runs");
	burn_in(BESIDE, session, true, "in that");
	burn_in(BELOW, session, true, "still below the first");
	is(detach(session, TPROF_TARGET_CGROUP, id_of(TOP)), 0, "the first is taken out");
	burn_in(BELOW, session, false, "below it");
	burn_in(BESIDE, session, true, "in the other");
	is(detach(session, TPROF_TARGET_CGROUP, id_of(BESIDE)), 0, "so is the other");
	burn_in(BESIDE, session, false, "in none");
	burn_in("/sys/fs/cgroup", session, false, "nor is anybody else");
	close(session);
}

static void both(void)
{
	int session = session_of(TOP);
	pid_t other = fork();

	if (!other) {
		move_to(TOP);
		for (;;)
			burn_cpu(MS);
	}
	is(attach(session, TPROF_TARGET_PROCESS, getpid()), 0, "a process as well");
	burn_in(TOP, session, true, "who is in both");
	burn_in(BESIDE, session, false, "who is only the process; another is only in the cgroup");
	kill(other, SIGKILL);
	need(waitpid(other, NULL, 0) == other, "the other one ends");
	close(session);
}

static void removed(void)
{
	int session = session_of(BELOW), nr = 1;
	uint64_t id = id_of(BELOW);
	char path[64];

	burn_in(BELOW, session, true, "in it");
	move_to("/sys/fs/cgroup");
	is(rmdir(BELOW), 0, "it is removed");
	burn_in("/sys/fs/cgroup", session, false, "nobody is in it");
	is(detach(session, TPROF_TARGET_CGROUP, id), 0, "it can be taken out");
	refuses(attach(session, TPROF_TARGET_CGROUP, id), ENOENT, "but not put in");
	need(attach(session, TPROF_TARGET_CGROUP, id_of(TOP)) == 0, "another one");
	for (int i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), TOP "/%d", i);
		need(mkdir(path, 0755) == 0, "a cgroup");
		if (attach(session, TPROF_TARGET_CGROUP, id_of(path)) == 0)
			nr++;
		else
			need(errno == ENOSPC, "there is no room");
	}
	is(nr, 64, "64 of them fit");
	burn_in(TOP "/0", session, true, "one of many");
	move_to("/sys/fs/cgroup");
	for (int i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), TOP "/%d", i);
		need(rmdir(path) == 0, "a cgroup goes");
	}
	close(session);
}

int main(void)
{
	device = open_device();
	need(mkdir(TOP, 0755) == 0 && mkdir(BELOW, 0755) == 0 && mkdir(BESIDE, 0755) == 0, "cgroups");
	trees();
	both();
	removed();
	is(rmdir(TOP), 0, "nothing is left in the first");
	is(rmdir(BESIDE), 0, "nor in the other");
	return done_testing();
}
