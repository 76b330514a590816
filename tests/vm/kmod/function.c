// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "function": each call of a function whose name matches the pattern is a hit, sessions share a source only if
 * the pattern is the same, what cannot be traced is refused when it is added, and with all functions of the kernel the
 * ledger closes. The first event loads the module of the source, which cannot be unloaded while a session has an event.
 *
 * vm: machines=x86-64,next not=debug,race seconds=240
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "probe.h"
#include "source.h"

#define CALLS	10000

static int device;

static int session_on(const char *pattern, uint64_t period)
{
	int session = create_session(device);

	need(session >= 0 && configure(session, 0, 1 << 16) == 0, "a session");
	need(add_probe(session, "function", pattern, 0, 0, period) == 0, "functions %s", pattern);
	sample_me(session);
	return session;
}

/* Returns the number of samples in scope; the ledger closes, and nothing of this thread is lost. */
static void counted(const char *pattern, uint64_t period, uint64_t calls)
{
	int session = session_on(pattern, period);
	struct tprof_ledger_read ledger;

	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	call_many(SYS_getppid, CALLS);
	call_many(SYS_getuid, CALLS);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	call_many(SYS_getppid, 10);
	ledger = read_ledger(session, -1);
	is(read_counts(session, 0, 0).value, calls, "%s, every %d: each is counted", pattern, (int)period);
	is(ledger.outcomes[TPROF_OUTCOME_DONE].samples, period ? calls / period : 0, "%s, every %d: samples", pattern,
	   (int)period);
	is(ledger.outcomes[TPROF_OUTCOME_DONE].weight, period ? calls : 0, "%s, every %d: their weight", pattern,
	   (int)period);
	check(closes(&ledger) && !lost(&ledger), "%s, every %d: the ledger closes, nothing is lost", pattern,
	      (int)period);
	close(session);
}

static void shared(void)
{
	int a = session_on(SYSCALL_FUNCTION("getppid"), 1), b = session_on(SYSCALL_FUNCTION("getppid"), 1);
	int other = session_on("__*_sys_getp?id", 1);
	unsigned int users = 0;

	need(ioctl(a, TPROF_IOC_START) == 0 && ioctl(b, TPROF_IOC_START) == 0, "two sessions start");
	is(running_sources("function", &users), 1, "one source of the same pattern");
	is(users, 2, "with two users");
	need(ioctl(other, TPROF_IOC_START) == 0, "a third session starts");
	is(running_sources("function", &users), 2, "another source of another pattern");
	call_many(SYS_getppid, 100);
	is(samples_in_scope(a), 100, "the first has the calls");
	is(samples_in_scope(b), 100, "so has the second");
	is(samples_in_scope(other), 100, "and the third, whose pattern matches");
	close(a);
	close(b);
	close(other);
}

/* Calls all over the kernel. */
static void all_functions(void)
{
	struct tprof_ledger_read ledger;
	int session = create_session(device);
	uint64_t done;

	need(session >= 0 && add_probe(session, "function", "*", 0, 0, 1) == 0, "all functions");
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	for (int i = 0; i < 20; i++) {
		call_many(SYS_getppid, 100);
		usleep(10000);
	}
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	ledger = read_ledger(session, -1);
	done = ledger.outcomes[TPROF_OUTCOME_DONE].samples;
	check(closes(&ledger), "all functions: the ledger closes");
	check(done >= 1000, "all functions: samples");
	for (int i = 0; i < TPROF_NR_LOST_REASONS; i++) {
		if (ledger.lost[i].samples)
			diag("lost %d: %llu", i, (unsigned long long)ledger.lost[i].samples);
	}
	diag("%llu fired, %llu done", (unsigned long long)ledger.fired.samples, (unsigned long long)done);
	close(session);
}

static int try(const char *pattern, uint64_t offset, uint32_t flags)
{
	int session = create_session(device), result, error;

	result = add_probe(session, "function", pattern, offset, flags, 1);
	error = errno;
	close(session);
	errno = error;
	return result;
}

static void refused(void)
{
	char longer[300];
	int session;

	refuses(try("no_such_function", 0, 0), ENOENT, "a function that does not exist");
	refuses(try("no_such_*", 0, 0), ENOENT, "a pattern that matches nothing");
	refuses(try("tprof_deliver", 0, 0), ENOENT, "a function of tprof");
	refuses(try("", 0, 0), EINVAL, "no pattern");
	refuses(try("17", 0, 0), EINVAL, "an index of a function");
	refuses(try("!vfs_*", 0, 0), EINVAL, "all but those of a pattern");
	refuses(try("vfs_*", 1, 0), EINVAL, "an offset");
	refuses(try("vfs_*", 0, TPROF_PLACE_RETURN), EINVAL, "returns");
	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	refuses(try(longer, 0, 0), ENAMETOOLONG, "a pattern that is too long");
	session = create_session(device);
	refuses(add_probe(session, "kprobe", "tprof_function:called", 0, 0, 1), EINVAL, "a kprobe in the source");
	close(session);
}

int main(void)
{
	int session;

	device = open_device();
	pin(0);
	is(access("/sys/module/tprof_function", F_OK), -1, "its module is not loaded");
	need(try("vfs_*", 0, 0) == 0, "the first event of the source loads it");
	counted(SYSCALL_FUNCTION("getppid"), 1, CALLS);
	counted(SYSCALL_FUNCTION("getppid"), 10, CALLS);
	counted(SYSCALL_FUNCTION("getppid"), 0, CALLS);
	/* These are the names that ftrace knows; the others are aliases. */
	counted("__*_sys_getp?id", 1, CALLS);
	counted("__*_sys_get[pu]*id", 1, 2 * CALLS);
	shared();
	refused();
	all_functions();
	session = session_on("vfs_*", 1);
	is(unload_module("tprof_function"), -1, "with an event of it, the module is not unloaded");
	close(session);
	need(unload_module("tprof_function") == 0, "without, it is");
	is(open_sessions(device), 0, "no session is left");
	return done_testing();
}
