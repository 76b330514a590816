// SPDX-License-Identifier: GPL-2.0-only
/* Forks the command after `--`, and holds it before exec until the session runs. */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/exit_code.h"
#include "base/out.h"
#include "base/write_signals.h"

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };	/* as in shells */

/* Ctrl-C and timeout(1) also signal the command, which may need time to clean up. */
#define SAME_SIGNAL_MS 2000
#define TERMINATED_MS 200

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Runs in the child: unblocks the signals that the parent's watch has blocked. */
static void reset_signals(void)
{
	sigset_t none;

	write_signals_give_back();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void redirect(int out, int err, bool no_input)
{
	int null = no_input ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	if (out >= 0)
		dup2(out, STDOUT_FILENO);
	if (err >= 0)
		dup2(err, STDERR_FILENO);
}

static void __attribute__((noreturn)) child(char **argv, int gate, int report)
{
	char byte;
	int err;

	/* End of file means that the parent gave up or died. */
	while (read(gate, &byte, 1) != 1)
		if (errno != EINTR)
			_exit(EXIT_FAIL);
	descriptors_give_back();
	execvp(argv[0], argv);
	err = errno;
	if (write(report, &err, sizeof(err)) < 0)
		_exit(EXIT_FAIL);
	_exit(err == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

static int fork_failed(struct spawn *spawn, const char *what)
{
	out_error(NULL, "%s: %s: %s", spawn->name, what, strerror(errno));
	spawn_end(spawn, false);
	return EXIT_FAIL;
}

int spawn_prepare(struct spawn *spawn, char **argv, int out, int err, bool no_input)
{
	int gate[2], report[2];

	*spawn = (struct spawn)SPAWN_NONE;
	spawn->name = argv[0];
	if (pipe2(gate, O_CLOEXEC))
		return fork_failed(spawn, "pipe");
	spawn->gate = gate[1];
	if (pipe2(report, O_CLOEXEC)) {
		close(gate[0]);
		return fork_failed(spawn, "pipe");
	}
	spawn->report = report[0];
	spawn->pid = fork();
	if (spawn->pid == 0) {
		/* With its own copy of the write end, the child would never see end of file. */
		close(gate[1]);
		reset_signals();
		redirect(out, err, no_input);
		child(argv, gate[0], report[1]);
	}
	close(gate[0]);
	close(report[1]);
	if (spawn->pid < 0) {
		spawn->pid = 0;
		return fork_failed(spawn, "fork");
	}
	spawn->pidfd = pidfd_open(spawn->pid, 0);
	return spawn->pidfd < 0 ? fork_failed(spawn, "pidfd_open") : EXIT_OK;
}

int spawn_go(struct spawn *spawn)
{
	ssize_t nr;
	int err;

	/* EPIPE: a signal has killed the child already, which its exit status shows. */
	if (write(spawn->gate, "", 1) != 1 && errno != EPIPE)
		return fork_failed(spawn, "pipe");
	close_fd(&spawn->gate);
	/* Returns at once when exec closes the other end. */
	do
		nr = read(spawn->report, &err, sizeof(err));
	while (nr < 0 && errno == EINTR);
	close_fd(&spawn->report);
	if (nr != sizeof(err))
		return EXIT_OK;
	out_error(err == ENOENT ? "give the path of a program, or a name in PATH" :
				  "give a program that this user may execute",
		  "%s: %s", spawn->name, strerror(err));
	return spawn_wait(spawn);
}

int spawn_wait(struct spawn *spawn)
{
	int status = 0;
	pid_t pid;

	do
		pid = waitpid(spawn->pid, &status, 0);
	while (pid < 0 && errno == EINTR);
	spawn->pid = 0;
	if (pid < 0)
		spawn->code = EXIT_FAIL;
	else
		spawn->code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return spawn->code;
}

bool spawn_has_ended(const struct spawn *spawn, int wait_ms)
{
	struct pollfd ended = { .fd = spawn->pidfd, .events = POLLIN };

	return poll(&ended, 1, wait_ms) == 1;
}

int spawn_end(struct spawn *spawn, bool signalled)
{
	/* Before closing the gate, because a child that never ran waits there. */
	if (spawn->pid > 0 && spawn_has_ended(spawn, signalled ? SAME_SIGNAL_MS : 0)) {
		spawn_wait(spawn);
	} else if (spawn->pid > 0) {
		kill(spawn->pid, SIGTERM);
		/* Most commands exit at once; others are left to init. */
		if (spawn_has_ended(spawn, TERMINATED_MS))
			spawn_wait(spawn);
		spawn->code = EXIT_OK;
	}
	close_fd(&spawn->gate);
	close_fd(&spawn->report);
	close_fd(&spawn->pidfd);
	spawn->pid = 0;
	return spawn->code;
}
