// SPDX-License-Identifier: GPL-2.0-only
/*
 * To place a probe in a file that is mapped very often takes long, and so does to remove it. Meanwhile other sessions
 * start and stop, lists can be read, and the session itself answers.
 *
 * vm: all=arm64 seconds=120
 */
#include <sys/stat.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "probe.h"

#define NR_MAPPINGS	20000
/* More than what can happen before the first call of the placing process, or after its last. */
#define ROUNDS		5

#ifdef __x86_64__
#define NOP		0x90909090U
#else
#define NOP		0xd503201fU
#endif

enum phase { WAITS, PLACES, RUNS, REMOVES, HAS_ENDED };

/* Shared with the process that places the probe. */
struct progress {
	enum phase phase;
	int failed;
};

static int device, file;
static struct progress *progress;

static enum phase phase(void)
{
	return __atomic_load_n(&progress->phase, __ATOMIC_SEQ_CST);
}

static void enter(enum phase next)
{
	__atomic_store_n(&progress->phase, next, __ATOMIC_SEQ_CST);
}

static void wait_for(enum phase next)
{
	while (phase() < next)
		usleep(1000);
}

static void make_file(char *path)
{
	uint32_t page[1024];

	for (size_t i = 0; i < sizeof(page) / sizeof(page[0]); i++)
		page[i] = NOP;
	file = mkstemp(path);
	need(file >= 0 && fchmod(file, 0755) == 0, "a file");
	need(write(file, page, sizeof(page)) == (ssize_t)sizeof(page), "with a page of code");
}

/* A child that maps the file many times. */
static pid_t map_often(void)
{
	int ready[2];
	char done;
	pid_t pid;

	need(pipe(ready) == 0, "a pipe");
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "a child is made");
	if (!pid) {
		done = 1;
		for (int i = 0; i < NR_MAPPINGS; i++) {
			if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED)
				done = 0;
		}
		if (write(ready[1], &done, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	need(read(ready[0], &done, 1) == 1 && done, "the file is mapped");
	close(ready[0]);
	close(ready[1]);
	return pid;
}

/* A child that starts and stops the session. */
static pid_t place(int session)
{
	pid_t pid = new_child();

	if (pid)
		return pid;
	enter(PLACES);
	progress->failed = ioctl(session, TPROF_IOC_START) != 0;
	enter(RUNS);
	sleep(1);
	enter(REMOVES);
	progress->failed |= ioctl(session, TPROF_IOC_STOP) != 0;
	enter(HAS_ENDED);
	_exit(0);
}

/* What other users do: a session from its beginning to its end, and lists. */
static void use_the_module(int session)
{
	int mine = create_session(device);

	need(mine >= 0 && add_timer(mine, 10 * MS) == 0, "another session");
	need(ioctl(mine, TPROF_IOC_START) == 0 && ioctl(mine, TPROF_IOC_STOP) == 0, "it starts and stops");
	close(mine);
	read_file("/sys/kernel/debug/tprof/sources");
	read_file("/sys/kernel/debug/tprof/sessions");
	read_session(session);
}

static void others_go_on(int session, enum phase during, const char *what)
{
	int rounds = -1;

	wait_for(during);
	do {
		use_the_module(session);
		rounds++;
	} while (phase() == during);
	diag("%s: %d rounds", what, rounds);
	check(rounds >= ROUNDS, "%s: other sessions start and stop meanwhile", what);
}

int main(void)
{
	char path[] = "/tmp/placing-XXXXXX";
	struct tprof_ledger_read ledger;
	pid_t mapper, placer;
	int session;

	device = open_device();
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(progress != MAP_FAILED, "shared memory");
	make_file(path);
	mapper = map_often();
	session = create_session(device);
	need(session >= 0 && add_probe(session, "uprobe", path, 0, 0, 1) == 0, "a probe in the file");
	placer = place(session);
	others_go_on(session, PLACES, "to place");
	others_go_on(session, REMOVES, "to remove");
	need(waitpid(placer, NULL, 0) == placer, "it ends");
	is(progress->failed, 0, "the session started and stopped");
	is(phase(), HAS_ENDED, "the child got to its end");
	ledger = read_ledger(session, -1);
	check(closes(&ledger), "its ledger closes");
	kill(mapper, SIGKILL);
	waitpid(mapper, NULL, 0);
	close(session);
	close(file);
	unlink(path);
	return done_testing();
}
