// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process as scope: all its threads and all later descendants, however short-lived, and nothing else. The weight in
 * scope is their CPU time, the rest is out of scope.
 *
 * vm: machines=x86-64,next seconds=120
 */
#include <pthread.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "scope.h"

#define PERIOD	500000

static int device, session;

/* Starts a session on the process. The target is attached first: without targets, a session samples all processes. */
static void start(pid_t pid, const char *name)
{
	session = create_session(device);
	need(session >= 0 && add_timer(session, PERIOD) == 0, "a session");
	need(attach(session, TPROF_TARGET_PROCESS, pid) == 0, "%s is in scope", name);
	need(ioctl(session, TPROF_IOC_START) == 0, "the session starts");
}

static void stop(const char *name)
{
	struct tprof_ledger_read ledger;

	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	ledger = read_ledger(session, -1);
	check(closes(&ledger) && !lost(&ledger), "%s: the ledger closes, nothing is lost", name);
	check(ledger.outcomes[TPROF_OUTCOME_OUT_OF_SCOPE].samples > 0, "%s: others are out of scope", name);
	close(session);
}

static void *burn_in_thread(void *unused)
{
	burn_cpu(100 * MS);
	return unused;
}

/* Runs threads, a child and a grandchild. */
static int family(void)
{
	pthread_t thread;
	pid_t pid;

	pthread_create(&thread, NULL, burn_in_thread, NULL);
	burn_cpu(100 * MS);
	pthread_join(thread, NULL);
	pid = fork();
	if (!pid) {
		burn_cpu(100 * MS);
		pid = fork();
		if (!pid) {
			burn_cpu(100 * MS);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return 0;
}

/*
 * Many short-lived processes. If a process is reaped while it still runs its last instructions, its CPU time lacks the
 * time since the last tick, which is long in a virtual machine or on a kernel with debugging checks. Therefore all run
 * on one CPU, where the parent cannot run at the same time as the child.
 */
static int storm(void)
{
	pin(1);
	for (int i = 0; i < 100; i++) {
		pid_t pid = fork();

		if (!pid) {
			pid_t child = vfork();

			if (!child)
				_exit(0);
			burn_cpu(MS / 2);
			waitpid(child, NULL, 0);
			_exit(0);
		}
		if (i % 4 == 3)
			while (waitpid(-1, NULL, 0) > 0)
				;
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	return 0;
}

/* Runs @work in a child that waits until it is in scope. */
static void work_of(const char *name, int (*work)(void))
{
	uint64_t before = cpu_time_ns(RUSAGE_CHILDREN), truth, seen;
	int go[2];
	char byte;
	pid_t pid;

	need(pipe2(go, O_CLOEXEC) == 0, "a pipe");
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(read(go[0], &byte, 1) == 1 ? work() : 1);
	start(pid, "the child");
	need(write(go[1], "", 1) == 1, "it goes on");
	burn(100 * MS);
	need(waitpid(pid, NULL, 0) == pid, "it ends");
	seen = seen_ns(session);
	truth = cpu_time_ns(RUSAGE_CHILDREN) - before;
	/* With KCSAN, the last instructions of a process take milliseconds, which its CPU time does not include. */
	if (work == storm && kernel_finds_races())
		check(true, "%s: what is seen is its CPU time # SKIP the kernel does not know it", name);
	else
		same_time(seen, truth, PERIOD, "%s: what is seen is its CPU time", name);
	diag("%s: seen %llu of %llu ns", name, (unsigned long long)seen, (unsigned long long)truth);
	/* The last instructions of the child may still run on another CPU. */
	burn(50 * MS);
	seen = seen_ns(session);
	burn(50 * MS);
	is(seen_ns(session), seen, "%s: then there is nothing to see", name);
	stop(name);
	close(go[0]);
	close(go[1]);
}

static void burn_on(void)
{
	for (;;)
		burn_cpu(MS);
}

/* Whether the time in scope exceeds @than within ten seconds. The sampled process may have to wait for a CPU. */
static bool more_is_seen(uint64_t than)
{
	for (int tries = 0; tries < 100; tries++) {
		if (seen_ns(session) > than)
			return true;
		usleep(100000);
	}
	return false;
}

/* The target is detached and attached again. */
static void detached(void)
{
	pid_t pid = fork();
	uint64_t seen;

	if (!pid)
		burn_on();
	start(pid, "a process");
	check(more_is_seen(0), "it is seen");
	is(detach(session, TPROF_TARGET_PROCESS, pid), 0, "it is taken out");
	seen = seen_ns(session);
	usleep(100000);
	is(seen_ns(session), seen, "it is not seen any more, nor is anybody");
	is(attach(session, TPROF_TARGET_PROCESS, pid), 0, "it is put back");
	check(more_is_seen(seen), "it is seen again");
	kill(pid, SIGKILL);
	need(waitpid(pid, NULL, 0) == pid, "it is killed");
	is(detach(session, TPROF_TARGET_PROCESS, pid) == 0 || errno == ENOENT, 1, "the dead can be taken out");
	stop("taken out");
}

/*
 * Forks more processes than the module has spare entries for, and more than it keeps of ended ones; the last one works.
 */
static void crowd(int go, int done)
{
	char byte;

	setpgid(0, 0);
	if (read(go, &byte, 1) != 1)
		_exit(1);
	for (int i = 0; i < 3000; i++) {
		pid_t pid = vfork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	if (!fork()) {
		write(done, "", 1);
		burn_on();
	}
	pause();
}

static void crowded(void)
{
	char byte, path[64];
	int go[2], done[2];
	uint64_t seen;
	pid_t pid;

	need(pipe2(go, O_CLOEXEC) == 0 && pipe2(done, O_CLOEXEC) == 0, "pipes");
	fflush(stdout);
	pid = fork();
	if (!pid)
		crowd(go[0], done[1]);
	start(pid, "the parent of a crowd");
	need(write(go[1], "", 1) == 1 && read(done[0], &byte, 1) == 1, "it has them");
	seen = seen_ns(session);
	check(more_is_seen(seen), "the last of a crowd is seen");
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", session);
	check(strstr(read_file(path), "\ntprof-unfollowed:\t0\n"), "all of them were followed");
	kill(-pid, SIGKILL);
	need(waitpid(pid, NULL, 0) == pid, "it is killed");
	stop("a crowd");
	for (int i = 0; i < 2; i++) {
		close(go[i]);
		close(done[i]);
	}
}

int main(void)
{
	device = open_device();
	work_of("family", family);
	work_of("storm", storm);
	detached();
	crowded();
	return done_testing();
}
