// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "kprobe": each passage and each return is a hit, a sample has the address of its place, sessions share a
 * source only if the place is the same, and what cannot be probed is refused when it is added.
 */
#include <pthread.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "filter.h"
#include "probe.h"
#include "samples.h"
#include "source.h"

#define GETPPID	SYSCALL_FUNCTION("getppid")
#define GETUID	SYSCALL_FUNCTION("getuid")

static int device;

static uint64_t address_of(const char *function)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	unsigned long long address, found = 0;
	char line[512], symbol[256];

	need(symbols, "the symbols of the kernel");
	while (!found && fgets(line, sizeof(line), symbols)) {
		if (sscanf(line, "%llx %*c %255s", &address, symbol) == 2 && strcmp(symbol, function) == 0)
			found = address;
	}
	fclose(symbols);
	need(found, "%s is in the kernel", function);
	return found;
}

static int session_on(const char *function, uint64_t offset, uint32_t flags, uint64_t period)
{
	int session = create_session(device);

	need(session >= 0 && configure(session, 0, 1 << 16) == 0, "a session");
	need(add_probe(session, "kprobe", function, offset, flags, period) == 0, "a probe on %s", function);
	sample_me(session);
	return session;
}

/* 10,000 calls. */
static void counted(const char *what, uint32_t flags, uint64_t period)
{
	int session = session_on(GETPPID, 0, flags, period);
	struct tprof_ledger_read ledger;
	struct tprof_counts counts;

	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	call_many(SYS_getppid, 10000);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	call_many(SYS_getppid, 10);
	ledger = read_ledger(session, -1);
	counts = read_counts(session, 0, 0);
	is(counts.value, 10000, "%s, every %d: each is counted", what, (int)period);
	check(counts.enabled_ns && counts.enabled_ns == counts.running_ns, "%s, every %d: it has run", what,
	      (int)period);
	is(ledger.outcomes[TPROF_OUTCOME_DONE].samples, period ? 10000 / period : 0, "%s, every %d: samples", what,
	   (int)period);
	is(ledger.outcomes[TPROF_OUTCOME_DONE].weight, period ? 10000 : 0, "%s, every %d: their weight", what,
	   (int)period);
	check(closes(&ledger) && !lost(&ledger), "%s, every %d: the ledger closes, nothing is lost", what, (int)period);
	close(session);
}

/* The rest of a longer period counts for the next sample of a shorter one. */
static void another_period(void)
{
	struct tprof_period period = { .size = sizeof(period), .period = 10 };
	int session = session_on(GETPPID, 0, 0, 1000);
	uint64_t weight;

	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	call_many(SYS_getppid, 1500);
	need(ioctl(session, TPROF_IOC_PERIOD, &period) == 0, "its period changes");
	call_many(SYS_getppid, 1500);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	weight = read_ledger(session, -1).outcomes[TPROF_OUTCOME_DONE].weight;
	/* Less than a period has not fired yet, and less than one is carried over. */
	check(weight <= 3000 && weight > 3000 - 2 * 10, "another period: no hit is lost");
	close(session);
}

#define MAX_SLEEPERS	512

static void *sleep_once(void *unused)
{
	struct timespec t = { .tv_nsec = 500 * MS };

	syscall(SYS_nanosleep, &t, NULL);
	return unused;
}

/* More threads are in the function at once than the kernel keeps track of, which is two for each CPU, at least ten. */
static void missed(void)
{
	int session = create_session(device), nr = 4 * (int)sysconf(_SC_NPROCESSORS_CONF) + 20;
	pthread_t threads[MAX_SLEEPERS];
	struct tprof_ledger_read ledger;
	uint64_t count;

	need(nr <= MAX_SLEEPERS, "not too many CPUs");
	need(add_probe(session, "kprobe", SYSCALL_FUNCTION("nanosleep"), 0, TPROF_PLACE_RETURN, 1) == 0, "returns");
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	for (int i = 0; i < nr; i++)
		need(!pthread_create(&threads[i], NULL, sleep_once, NULL), "a thread");
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	flush(session);
	count = read_counts(session, 0, -1).value;
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	ledger = read_ledger(session, -1);
	check(ledger.fired.samples && ledger.fired.samples < (uint64_t)nr, "some returns are missed");
	check(count >= (uint64_t)nr, "they are in the count");
	is(read_counts(session, 0, -1).value, count, "and stay there after the stop");
	diag("%d returns, %llu counted, %llu samples", nr, (unsigned long long)count,
	     (unsigned long long)ledger.fired.samples);
	close(session);
}

static void see(const struct tprof_sample *sample, void *ctx)
{
	uint64_t *address = ctx;

	if (!(sample->flags & TPROF_SAMPLE_KERNEL) || (*address && *address != sample->ip))
		*address = UINT64_MAX;
	else
		*address = sample->ip;
}

/* The address that all samples of 100 calls have. */
static uint64_t address_in(int session)
{
	static const struct bpf_insn keep[] = { ANSWER(TPROF_KEEP) };
	int link = attach_filter(session, "keep", 0, keep, 2);
	uint64_t address = 0;

	need(link >= 0 && ioctl(session, TPROF_IOC_START) == 0, "it starts");
	call_many(SYS_getppid, 100);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	is(read_samples(session, see, &address), 100, "each sample is in the stream");
	close(link);
	close(session);
	return address;
}

static void placed(void)
{
	uint64_t function = address_of(GETPPID), entry, inside;

	entry = address_in(session_on(GETPPID, 0, 0, 1));
	/* Behind the instruction that marks the target of an indirect call, if there is one. */
	check(entry == function || entry == function + 4, "a sample has the address of the place");
	inside = address_in(session_on("", entry, 0, 1));
	is(inside, entry, "a place can be given by its address");
	inside = address_in(session_on(GETPPID, 0, TPROF_PLACE_RETURN, 1));
	check(inside > function + 4096 || inside < function, "a sample of a return has the address of the caller");
}

static void shared(void)
{
	int sessions[4] = {
		session_on(GETPPID, 0, 0, 1), session_on(GETPPID, 0, 0, 3),
		session_on(GETPPID, 0, TPROF_PLACE_RETURN, 1), session_on(GETUID, 0, 0, 1),
	};
	unsigned int users;

	for (int i = 0; i < 2; i++)
		need(ioctl(sessions[i], TPROF_IOC_START) == 0, "session %d starts", i);
	is(running_sources("kprobe", &users), 1, "two sessions on the same place have one source");
	is(users, 2, "which they share");
	for (int i = 2; i < 4; i++)
		need(ioctl(sessions[i], TPROF_IOC_START) == 0, "session %d starts", i);
	is(running_sources("kprobe", &users), 3, "returns and another function are other sources");
	call_many(SYS_getppid, 300);
	call_many(SYS_getuid, 7);
	is(samples_in_scope(sessions[0]), 300, "the first has its samples");
	is(samples_in_scope(sessions[1]), 100, "the second has one of three");
	is(samples_in_scope(sessions[2]), 300, "the third has the returns");
	is(samples_in_scope(sessions[3]), 7, "the fourth has the other function");
	/* The source was made with the text of the first. */
	close(sessions[0]);
	call_many(SYS_getppid, 300);
	is(samples_in_scope(sessions[1]), 200, "the second goes on without the first");
	for (int i = 1; i < 4; i++)
		close(sessions[i]);
	is(running_sources("kprobe", &users), 0, "no source is left");
}

/* A CPU goes and comes back under the session. */
static void across_hotplug(void)
{
	int session = session_on(GETPPID, 0, 0, 1);

	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	pin(1);
	call_many(SYS_getppid, 50);
	pin(0);
	need(set_online(1, false) == 0 && set_online(1, true) == 0, "CPU 1 goes and comes");
	usleep(500000);
	pin(1);
	call_many(SYS_getppid, 50);
	pin(0);
	is(samples_in_scope(session), 100, "a CPU that went and came has its samples of both times");
	is(read_counts(session, 0, 1).value, 100, "and its count");
	close(session);
}

/* The function of a module that goes: the probe goes with it, and the session stays. */
static void of_a_module(void)
{
	int session = create_session(device);

	refuses(add_probe(session, "kprobe", "tprof_burst:set_fire", 0, 0, 1), ENOENT, "a module that is not loaded");
	need(load_source("tprof_burst", "") == 0, "the module is loaded");
	need(add_probe(session, "kprobe", "tprof_burst:set_fire", 0, 0, 1) == 0, "a function of a module");
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	need(write_parameter("tprof_burst", "fire", 1), "the function runs");
	flush(session);
	is(read_ledger(session, -1).fired.samples, 1, "it is a sample");
	is(unload_source("tprof_burst"), 0, "the module can be unloaded");
	is(ioctl(session, TPROF_IOC_STOP), 0, "the session stops");
	refuses(ioctl(session, TPROF_IOC_START), ENOENT, "and does not start without the function");
	need(load_source("tprof_burst", "") == 0, "the module is loaded again");
	is(ioctl(session, TPROF_IOC_START), 0, "then it starts");
	need(write_parameter("tprof_burst", "fire", 1), "the function runs");
	flush(session);
	is(read_ledger(session, -1).fired.samples, 2, "it is the next sample");
	close(session);
	is(unload_source("tprof_burst"), 0, "the module is unloaded");
}

static int try(const void *attr, uint32_t size)
{
	struct tprof_event event = { .size = sizeof(event), .source = "kprobe", .period = 1,
		.attr = (uintptr_t)attr, .attr_size = size };
	int session = create_session(device), result, error;

	result = ioctl(session, TPROF_IOC_ADD_EVENT, &event);
	error = errno;
	close(session);
	errno = error;
	return result;
}

static int try_place(const char *text, uint64_t offset, uint32_t flags)
{
	int session = create_session(device), result, error;

	result = add_probe(session, "kprobe", text, offset, flags, 1);
	error = errno;
	close(session);
	errno = error;
	return result;
}

static void refused(void)
{
	struct { struct tprof_place place; char text[32]; } attr = { .text = GETPPID };
	uint32_t whole = (uint32_t)(sizeof(attr.place) + strlen(attr.text) + 1);
	char longer[300];

	is(try(&attr, whole), 0, "attributes");
	refuses(try(NULL, 0), EINVAL, "no attributes");
	refuses(try(&attr, sizeof(attr.place)), EINVAL, "attributes without a text");
	refuses(try(&attr, whole - 1), EINVAL, "a text without its NUL");
	refuses(try(&attr, whole + 1), EINVAL, "more than the text");
	attr.place.flags = 2;
	refuses(try(&attr, whole), EINVAL, "an unknown flag");
	attr.place = (struct tprof_place){ .pad = 1 };
	refuses(try(&attr, whole), EINVAL, "a pad");
	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	refuses(try_place(longer, 0, 0), ENAMETOOLONG, "a name that is too long");
	refuses(try_place("no_such_function", 0, 0), ENOENT, "a function that does not exist");
	refuses(try_place("jiffies", 0, 0), EINVAL, "data");
	refuses(try_place("tprof:tprof_deliver", 0, 0), EINVAL, "a function of the module itself");
	refuses(try_place("tprof_deliver", 0, TPROF_PLACE_RETURN), EINVAL, "returns from it");
	refuses(try_place(GETPPID, 1ULL << 32, 0), EINVAL, "an offset of 4 GiB");
	refuses(try_place("", 0x1000, 0), ENOENT, "an address of user space");
	refuses(try_place("", 0, 0), EINVAL, "no address");
}

int main(void)
{
	device = open_device();
	pin(0);
	counted("calls", 0, 1);
	counted("calls", 0, 10);
	counted("calls", 0, 0);
	counted("returns", TPROF_PLACE_RETURN, 1);
	counted("returns", TPROF_PLACE_RETURN, 10);
	another_period();
	missed();
	placed();
	shared();
	across_hotplug();
	of_a_module();
	refused();
	is(open_sessions(device), 0, "no session is left");
	return done_testing();
}
