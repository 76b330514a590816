// SPDX-License-Identifier: GPL-2.0-only
/*
 * PID namespaces: a sample has PIDs of the initial namespace and of the namespace of the session, which is that of its
 * creator; targets are named in the namespace of the process that attaches them.
 *
 * vm: all=arm64
 */
#include <sys/mman.h>

#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "process.h"
#include "samples.h"

struct seen {
	unsigned int inside, outside, idle, wrong;
};

/* Results of the process in the other namespace, which the first process reports. */
static volatile struct {
	pid_t inside, outside;		/* numbers in the initial namespace */
	struct seen all, itself;
	int attach_errno;
	bool done;
} *shared;

static void look(const struct tprof_sample *s, void *ctx)
{
	struct seen *seen = ctx;

	if ((pid_t)s->tgid == shared->inside) {
		seen->inside++;
		seen->wrong += s->tid != s->tgid || s->ns_tgid != 1 || s->ns_tid != 1;
	} else {
		seen->outside += (pid_t)s->tgid == shared->outside;
		seen->idle += !s->tgid;
		seen->wrong += s->ns_tgid || s->ns_tid;
	}
}

static void look_from_outside(const struct tprof_sample *s, void *ctx)
{
	struct seen *seen = ctx;

	seen->inside += (pid_t)s->tgid == shared->inside;
	seen->outside += (pid_t)s->tgid == shared->outside;
	seen->wrong += s->ns_tgid != s->tgid || s->ns_tid != s->tid;
}

/* Samples for 100 ms and returns the PIDs in the samples. */
static struct seen sample(const struct tprof_target *target, void (*each)(const struct tprof_sample *, void *))
{
	static const struct bpf_insn keep[] = { ANSWER(TPROF_KEEP) };
	struct seen seen = { 0 };
	int device = open_device(), session = create_session(device), link;

	need(configure(session, 0, 1 << 20) == 0 && add_timer(session, MS) == 0, "a session");
	if (target)
		need(ioctl(session, TPROF_IOC_ATTACH, target) == 0, "with a target");
	link = attach_filter(session, "keep", 0, keep, 2);
	need(link >= 0, "that keeps all");
	need(ioctl(session, TPROF_IOC_START) == 0, "is started");
	burn(100 * MS);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "is stopped");
	read_samples(session, each, &seen);
	close(link);
	close(session);
	close(device);
	return seen;
}

/* Runs as process 1 of a namespace. */
static void inside(void)
{
	struct tprof_target itself = { .size = sizeof(itself), .id = 1 };
	struct tprof_target stranger = { .size = sizeof(stranger), .id = shared->outside };
	int device = open_device(), session = create_session(device);

	while (!shared->inside)
		;
	shared->attach_errno = ioctl(session, TPROF_IOC_ATTACH, &stranger) ? errno : 0;
	close(session);
	shared->all = sample(NULL, look);
	shared->itself = sample(&itself, look);
	shared->done = true;
	for (;;)
		;
}

int main(void)
{
	struct seen seen;
	pid_t pid;

	shared = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(shared != MAP_FAILED, "shared memory");
	pid = fork();
	while (!pid)
		;
	shared->outside = pid;
	need(unshare(CLONE_NEWPID) == 0, "another namespace");
	pid = fork();
	if (!pid)
		inside();
	shared->inside = pid;
	while (!shared->done)
		need(usleep(10000) == 0 && waitpid(pid, NULL, WNOHANG) == 0, "a process in it samples");
	seen = sample(NULL, look_from_outside);

	check(seen.inside > 0 && seen.outside > 0, "seen from outside: both processes");
	is(seen.wrong, 0, "seen from outside: with the same numbers twice");
	check(shared->all.inside > 0 && shared->all.outside > 0, "seen from inside: both processes");
	is(shared->all.wrong, 0, "seen from inside: the own with the number 1, others with none");
	is(shared->attach_errno, ESRCH, "a process without a number here is no target");
	check(shared->itself.inside > 0, "process 1 is a target");
	is(shared->itself.outside + shared->itself.idle + shared->itself.wrong, 0, "and the process itself");
	kill(pid, SIGKILL);
	kill(shared->outside, SIGKILL);
	while (wait(NULL) > 0)
		;
	return done_testing();
}
