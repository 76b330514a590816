// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "uprobe": the count of hits is the number of calls, of all processes that run the file and of no other; the
 * file is the one that was at the path when the event was added.
 *
 * vm: seconds=120
 */
#include <pthread.h>
#include <sys/stat.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "probe.h"

#define NR_THREADS	32
#define CALLS		1000

static int device;

/* The function that is probed. */
__attribute__((noipa)) static void probed(void)
{
	__asm__ volatile("" : : : "memory");
}

__attribute__((noipa)) static void neighbour(void)
{
	__asm__ volatile("nop" : : : "memory");
}

static void call_probed(long times)
{
	for (long i = 0; i < times; i++)
		probed();
}

static int session_on(const char *path, void (*function)(void), uint32_t flags, uint64_t period)
{
	int session = create_session(device);

	need(session >= 0 && add_probe(session, "uprobe", path, file_offset_of(function), flags, period) == 0,
	     "a probe in %s", path);
	return session;
}

static void judge(int session, uint64_t calls, uint64_t period, const char *what)
{
	struct tprof_ledger_read ledger;

	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	ledger = read_ledger(session, -1);
	is(read_counts(session, 0, -1).value, calls, "%s: each call is counted", what);
	if (period == 1)
		is(ledger.fired.samples, calls, "%s: each call is a sample", what);
	/* The rest of a period, on each CPU. */
	check(ledger.fired.weight <= calls &&
	      (!period || ledger.fired.weight + period * sysconf(_SC_NPROCESSORS_CONF) > calls),
	      "%s: the samples weigh as much", what);
	check(closes(&ledger) && !lost(&ledger), "%s: the ledger closes, nothing is lost", what);
	close(session);
}

static void counted(const char *what, uint32_t flags, uint64_t period)
{
	int session = session_on("/proc/self/exe", probed, flags, period);

	call_probed(CALLS);
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	call_probed(CALLS);
	neighbour();
	judge(session, CALLS, period, what);
	call_probed(CALLS);
}

static void *in_thread(void *unused)
{
	call_probed(CALLS);
	return unused;
}

static void threads(void)
{
	int session = session_on("/proc/self/exe", probed, 0, 1);
	pthread_t all[NR_THREADS];

	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	for (int i = 0; i < NR_THREADS; i++)
		need(!pthread_create(&all[i], NULL, in_thread, NULL), "a thread");
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(all[i], NULL);
	judge(session, NR_THREADS * CALLS, 1, "32 threads");
}

/* Two sessions come and go while threads call. */
static void come_and_go(void)
{
	int session = session_on("/proc/self/exe", probed, 0, 1);
	pthread_t all[NR_THREADS];

	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	for (int i = 0; i < NR_THREADS; i++)
		need(!pthread_create(&all[i], NULL, in_thread, NULL), "a thread");
	for (int i = 0; i < 5; i++) {
		int other = session_on("/proc/self/exe", probed, i % 2 ? TPROF_PLACE_RETURN : 0, 1 + i);

		need(ioctl(other, TPROF_IOC_START) == 0, "another one starts");
		close(other);
	}
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(all[i], NULL);
	judge(session, NR_THREADS * CALLS, 1, "others come and go");
}

/* A program that calls as often as it is told, and answers. */
struct program {
	pid_t pid;
	int to, from;
};

static int serve(void)
{
	int calls;

	while (read(0, &calls, sizeof(calls)) == sizeof(calls)) {
		call_probed(calls);
		if (write(1, &calls, sizeof(calls)) != sizeof(calls))
			return 1;
	}
	return 0;
}

static struct program run(const char *path)
{
	struct program program;
	int to[2], from[2];

	need(!pipe2(to, O_CLOEXEC) && !pipe2(from, O_CLOEXEC), "pipes");
	fflush(stdout);
	program.pid = fork();
	if (!program.pid) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		execl(path, path, "serve", NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	program.to = to[1];
	program.from = from[0];
	return program;
}

static void tell(const struct program *program, int calls)
{
	int done;

	need(write(program->to, &calls, sizeof(calls)) == sizeof(calls) &&
	     read(program->from, &done, sizeof(done)) == sizeof(done), "a program calls %d times", calls);
}

static void end(struct program *program)
{
	close(program->to);
	close(program->from);
	waitpid(program->pid, NULL, 0);
}

static void copy_to(const char *path)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	static char buffer[1 << 16];
	ssize_t size;

	need(from >= 0 && to >= 0, "%s is made", path);
	while ((size = read(from, buffer, sizeof(buffer))) > 0)
		need(write(to, buffer, (size_t)size) == size, "%s is written", path);
	close(from);
	close(to);
}

static void replaced(void)
{
	struct program before, after;
	int session;

	copy_to("/tmp/one");
	copy_to("/tmp/two");
	before = run("/tmp/one");
	tell(&before, 10);
	session = session_on("/tmp/one", probed, 0, 1);
	need(!rename("/tmp/two", "/tmp/one"), "another file takes the path");
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	after = run("/tmp/one");
	tell(&before, 1000);
	tell(&after, 77);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	is(read_counts(session, 0, -1).value, 1000, "the file is the one that was at the path");
	close(session);
	end(&before);
	end(&after);
	unlink("/tmp/one");
}

/* Programs that start and end, and one that is killed, under the session. */
static void ended(void)
{
	struct program first, second;
	int session;

	copy_to("/tmp/one");
	session = session_on("/tmp/one", probed, 0, 1);
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts before the program");
	first = run("/tmp/one");
	second = run("/tmp/one");
	tell(&first, 100);
	tell(&second, 200);
	kill(first.pid, SIGKILL);
	end(&first);
	tell(&second, 300);
	end(&second);
	is(samples_in_scope(session), 600, "programs that have ended have their samples");
	first = run("/tmp/one");
	tell(&first, 100);
	is(ioctl(session, TPROF_IOC_STOP), 0, "it stops while a program runs");
	tell(&first, 100);
	is(read_counts(session, 0, -1).value, 700, "which is not probed any more");
	close(session);
	end(&first);
	unlink("/tmp/one");
}

static void shared(void)
{
	int sessions[4] = {
		session_on("/proc/self/exe", probed, 0, 1), session_on("/proc/self/exe", probed, 0, 10),
		session_on("/proc/self/exe", neighbour, 0, 1),
		session_on("/proc/self/exe", probed, TPROF_PLACE_RETURN, 1),
	};
	unsigned int users;

	for (int i = 0; i < 2; i++)
		need(ioctl(sessions[i], TPROF_IOC_START) == 0, "session %d starts", i);
	is(running_sources("uprobe", &users), 1, "two sessions on the same place have one source");
	is(users, 2, "which they share");
	for (int i = 2; i < 4; i++)
		need(ioctl(sessions[i], TPROF_IOC_START) == 0, "session %d starts", i);
	is(running_sources("uprobe", &users), 3, "another place and returns are other sources");
	sample_me(sessions[0]);
	call_probed(100);
	neighbour();
	is(samples_in_scope(sessions[0]), 100, "the first has its samples");
	close(sessions[0]);
	call_probed(100);
	neighbour();
	is(read_counts(sessions[1], 0, -1).value, 200, "the second goes on without the first");
	is(read_counts(sessions[2], 0, -1).value, 2, "the third has the other function");
	is(read_counts(sessions[3], 0, -1).value, 200, "the fourth has the returns");
	for (int i = 1; i < 4; i++)
		close(sessions[i]);
}

static int try(const char *path, uint64_t offset)
{
	int session = create_session(device), result, error;

	result = add_probe(session, "uprobe", path, offset, 0, 1);
	error = errno;
	close(session);
	errno = error;
	return result;
}

/* With the capability, but not with the right to search the directory. */
static int in_closed_directory(void)
{
	int session = create_session(device);

	become_nobody(1ULL << CAP_PERFMON);
	if (add_probe(session, "uprobe", "/tmp/closed/one", 0x1000, 0, 1) != -1 || errno != EACCES)
		return 1;
	return add_probe(session, "uprobe", "/proc/self/exe", file_offset_of(probed), 0, 1) ? 2 : 0;
}

static void refused(void)
{
	refuses(try("/tmp/no-such-file", 0), ENOENT, "no such file");
	refuses(try("", 0), ENOENT, "no path");
	refuses(try("/tmp", 0), EINVAL, "a directory");
	refuses(try("/dev/null", 0), EINVAL, "a device");
	refuses(try("/proc/self/exe", 1ULL << 40), EINVAL, "a place behind the file");
	refuses(try("/proc/self/exe", UINT64_MAX), EINVAL, "a place that is no offset");
	mkdir("/tmp/closed", 0700);
	copy_to("/tmp/closed/one");
	is(in_child(in_closed_directory), 0, "the path is looked up with the rights of the caller");
	unlink("/tmp/closed/one");
	rmdir("/tmp/closed");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return serve();
	(void)argv;
	device = open_device();
	counted("calls", 0, 1);
	counted("calls", 0, 10);
	counted("calls", 0, 0);
	counted("returns", TPROF_PLACE_RETURN, 1);
	threads();
	come_and_go();
	replaced();
	ended();
	shared();
	refused();
	is(open_sessions(device), 0, "no session is left");
	return done_testing();
}
