// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec: a process that executes another program loses its sessions; one that is sampled stays sampled, also if the
 * program is set-user-id.
 *
 * vm: all=arm64
 */
#include <sys/stat.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "scope.h"

#define COPY "/tmp/exec_copy"

static int device;

/* The other program: with "burn", burns CPU time as root until it is killed. */
static int run_as(const char *what)
{
	if (strcmp(what, "sleep") == 0)
		return pause();
	if (geteuid())
		return 1;
	for (;;)
		;
}

static pid_t start(const char *what, bool has_session)
{
	pid_t pid = new_child();

	if (pid)
		return pid;
	if (has_session) {
		int session = create_session(device);

		if (session < 0 || add_timer(session, 1 * MS) || ioctl(session, TPROF_IOC_START))
			_exit(100);
		while (!read_ledger(session, -1).fired.samples)
			;
	} else {
		/* Until the session has its target */
		raise(SIGSTOP);
		become_nobody(0);
	}
	execl(COPY, COPY, what, NULL);
	_exit(101);
}

static bool executes(pid_t pid, const char *what)
{
	const char *line;
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	line = read_file(path);
	return strcmp(line, COPY) == 0 && strcmp(line + strlen(COPY) + 1, what) == 0;
}

static void end(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	need(waitpid(pid, &status, 0) == pid, "the child ends");
	is(WIFSIGNALED(status) ? WTERMSIG(status) : -1, SIGKILL, "it ran until then");
}

static void owner(void)
{
	pid_t pid = start("sleep", true);

	for (int i = 0; i < 1000 && !executes(pid, "sleep"); i++)
		usleep(10000);
	check(executes(pid, "sleep"), "the owner of a session executes another program");
	is(open_sessions(device), 0, "the session has gone");
	end(pid);
}

static void set_user_id(void)
{
	int session = create_session(device), status;
	pid_t pid = start("burn", false);
	struct tprof_target target = { .size = sizeof(target), .kind = TPROF_TARGET_PROCESS, .id = pid };
	struct tprof_ledger_read before, after;

	need(session >= 0 && add_timer(session, 1 * MS) == 0, "a session");
	need(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status), "the child waits");
	need(ioctl(session, TPROF_IOC_ATTACH, &target) == 0 && ioctl(session, TPROF_IOC_START) == 0, "it has a target");
	kill(pid, SIGCONT);
	for (int i = 0; i < 1000 && !executes(pid, "burn"); i++)
		usleep(10000);
	check(executes(pid, "burn"), "the target, of nobody, executes a program that is set-user-id root");
	before = read_ledger(session, -1);
	usleep(300000);
	flush(session);
	after = read_ledger(session, -1);
	check(after.outcomes[TPROF_OUTCOME_DONE].samples > before.outcomes[TPROF_OUTCOME_DONE].samples + 10,
	      "it is still sampled");
	check(closes(&after), "the ledger closes");
	end(pid);
	close(session);
}

int main(int argc, char **argv)
{
	char command[256];

	if (argc > 1)
		return run_as(argv[1]);
	device = open_device();
	snprintf(command, sizeof(command), "cp %s %s", argv[0], COPY);
	need(system(command) == 0 && chmod(COPY, 04755) == 0, "a copy of the program");
	owner();
	set_user_id();
	unlink(COPY);
	return done_testing();
}
