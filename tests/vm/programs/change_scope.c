// SPDX-License-Identifier: GPL-2.0-only
/*
 * change_scope ENGINE [DIRECTORY]: adds and removes processes, threads and cgroups of a running session; DIRECTORY is
 * where a cgroup v2 file system is mounted. Prints TAP.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "changes.h"

static struct sum sum;

/* A process that is busy and has a busy child, and a busy grandchild whose parent has exited. */
struct family {
	pid_t pid, child, orphan;
};

static void leave_orphan(int fd)
{
	pid_t pid;

	if (fork())
		return;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, 0);
		for (volatile unsigned long rounds = 0;; rounds++)
			;
	}
	if (write(fd, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	_exit(0);
}

static struct family family(void)
{
	struct family family = { 0 };
	int fds[2];

	if (pipe(fds))
		bail("pipe", strerror(errno));
	family.pid = fork();
	if (!family.pid) {
		pid_t child = spin();

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(fds[1], &child, sizeof(child)) != sizeof(child))
			_exit(1);
		leave_orphan(fds[1]);
		for (volatile unsigned long rounds = 0;; rounds++)
			;
	}
	if (read(fds[0], &family.child, sizeof(pid_t)) != sizeof(pid_t) ||
	    read(fds[0], &family.orphan, sizeof(pid_t)) != sizeof(pid_t))
		bail("a family", strerror(errno));
	close(fds[0]);
	close(fds[1]);
	return family;
}

static void end_family(const struct family *family)
{
	kill(family->orphan, SIGKILL);
	kill(family->child, SIGKILL);
	end(family->pid);
}

static uint64_t samples_of(const struct tprof_profile *profile, pid_t pid)
{
	const struct tprof_entry *entry;
	uint64_t samples = 0;

	for (size_t i = 0; (entry = tprof_profile__entry(profile, i)); i++)
		samples += entry->pid == pid ? entry->samples : 0;
	return samples;
}

/* Whether exactly these processes of @all are sampled from now on. */
static void sampled(struct tprof_session *session, const char *what, const pid_t *all, size_t nr, unsigned int wanted)
{
	unsigned int got = 0;

	/* What was counted before the change. */
	take(session, &sum, what);
	for (int tries = 0; tries < 40 && (!tries || (got & wanted) != wanted); tries++) {
		struct tprof_profile *profile;

		tprof_session__wait(session, 250);
		profile = take_profile(session, &sum, what);
		for (size_t i = 0; i < nr; i++)
			got |= (unsigned int)(samples_of(profile, all[i]) > 0) << i;
		tprof_profile__free(profile);
	}
	tell(got == wanted, "%s: sampled are %x, wanted %x", what, got, wanted);
}

static void did(struct tprof_session *session, const char *what, int got)
{
	if (got)
		tell(false, "%s: %s (%d)", what, tprof_session__error(session), got);
}

static void processes(const char *engine)
{
	struct family one = family(), two = family();
	const pid_t all[] = { one.pid, one.child, one.orphan, two.pid, two.child, two.orphan };
	TPROF_OPTS(tprof_session_opts, opts, .engine = engine, .event = "cpu-clock", .rate_hz = 997,
		   .pids = &one.pid, .nr_pids = 1);
	struct tprof_session *session = start_session(&opts, "top");
	const unsigned int of_one = 3;

	sampled(session, "at the start", all, 6, of_one);
	did(session, "add a process", tprof_session__add_pid(session, two.pid));
	did(session, "add an orphan", tprof_session__add_pid(session, two.orphan));
	sampled(session, "added", all, 6, of_one | 070);
	did(session, "remove", tprof_session__remove_pid(session, one.pid));
	sampled(session, "removed, with its child", all, 6, 070);
	did(session, "add a thread", tprof_session__add_tid(session, one.pid));
	sampled(session, "added as a thread", all, 6, 1 | 070);
	did(session, "add again", tprof_session__add_pid(session, one.child));
	did(session, "add its parent", tprof_session__add_pid(session, one.pid));
	did(session, "remove the thread", tprof_session__remove_tid(session, one.pid));
	sampled(session, "parent and child", all, 6, of_one | 070);
	did(session, "remove the child", tprof_session__remove_pid(session, one.child));
	sampled(session, "a descendant of another target stays", all, 6, of_one | 070);
	did(session, "remove", tprof_session__remove_pid(session, one.pid));
	did(session, "remove", tprof_session__remove_pid(session, two.orphan));
	sampled(session, "removed", all, 6, 030);
	end_family(&two);
	did(session, "remove the ended", tprof_session__remove_pid(session, two.pid));
	sampled(session, "none is left", all, 6, 0);
	did(session, "add", tprof_session__add_pid(session, one.pid));
	sampled(session, "one is added", all, 6, of_one);
	tell(tprof_session__remove_pid(session, one.child) == -ENOENT, "%s; %s", tprof_session__error(session),
	     tprof_session__hint(session));
	tell(tprof_session__remove_tid(session, one.pid) == -ENOENT, "%s", tprof_session__error(session));
	tell(tprof_session__add_tid(session, 0) == -EINVAL, "%s", tprof_session__error(session));
	tell(tprof_session__add_cgroup(session, "/") == -EBUSY, "%s", tprof_session__error(session));
	end_family(&one);
	tprof_session__wait(session, 100);
	tell(tprof_session__targets_gone(session), "all targets have ended");
	did(session, "stop", tprof_session__stop(session));
	take(session, &sum, "end");
	closes(session, &sum, "processes");
	tprof_session__close(session);
}

/* A process that forks all the time, so that children appear while it is removed. */
static void forking(const char *engine)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGCHLD, SIG_IGN);
		for (;;) {
			if (!fork()) {
				for (volatile int rounds = 0; rounds < 200000; rounds++)
					;
				_exit(0);
			}
			usleep(300);
		}
	} else {
		TPROF_OPTS(tprof_session_opts, opts, .engine = engine, .event = "cpu-clock", .rate_hz = 4001,
			   .pids = &pid, .nr_pids = 1);
		struct tprof_session *session = start_session(&opts, "top");
		struct tprof_ledger ledger;

		memset(&sum, 0, sizeof(sum));
		for (int round = 0; round < 20; round++) {
			tprof_session__wait(session, 50);
			did(session, "remove", tprof_session__remove_pid(session, pid));
			/* Children that it had at that moment may end after the snapshot begins. */
			take(session, &sum, "removed");
			tprof_session__wait(session, 50);
			ledger = take(session, &sum, "without");
			if (ledger.outcomes[TPROF_OUTCOME_DONE].samples)
				tell(false, "round %d: %" PRIu64 " samples of what was removed", round,
				     (uint64_t)ledger.outcomes[TPROF_OUTCOME_DONE].samples);
			did(session, "add", tprof_session__add_pid(session, pid));
		}
		tell(true, "20 rounds of a process that forks");
		did(session, "stop", tprof_session__stop(session));
		take(session, &sum, "end");
		closes(session, &sum, "forks");
		tprof_session__close(session);
		end(pid);
	}
}

static void enter(const char *directory, const char *name, pid_t pid)
{
	char path[256], text[16];
	int fd, length = snprintf(text, sizeof(text), "%d\n", pid);

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s/cgroup.procs", directory, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, (size_t)length) != length)
		bail(path, strerror(errno));
	close(fd);
}

static void cgroups(const char *engine, const char *directory)
{
	static const char *const names[] = { "tprof-one", "tprof-two", "tprof-three" };
	pid_t pids[3];
	TPROF_OPTS(tprof_session_opts, opts, .engine = engine, .event = "cpu-clock", .rate_hz = 997,
		   .cgroups = names, .nr_cgroups = 2);
	struct tprof_session *session;

	memset(&sum, 0, sizeof(sum));
	for (size_t i = 0; i < 3; i++) {
		pids[i] = spin();
		enter(directory, names[i], pids[i]);
	}
	session = start_session(&opts, "top");
	sampled(session, "two cgroups", pids, 3, 3);
	did(session, "remove", tprof_session__remove_cgroup(session, names[0]));
	sampled(session, "the first is removed", pids, 3, 2);
	did(session, "add", tprof_session__add_cgroup(session, names[2]));
	did(session, "add again", tprof_session__add_cgroup(session, names[2]));
	sampled(session, "another is added", pids, 3, 6);
	did(session, "remove", tprof_session__remove_cgroup(session, names[1]));
	did(session, "remove", tprof_session__remove_cgroup(session, names[2]));
	sampled(session, "none is left", pids, 3, 0);
	did(session, "add", tprof_session__add_cgroup(session, names[0]));
	sampled(session, "one is added", pids, 3, 1);
	tell(tprof_session__remove_cgroup(session, names[1]) == -ENOENT, "%s; %s", tprof_session__error(session),
	     tprof_session__hint(session));
	tell(tprof_session__remove_cgroup(session, "nowhere") == -ENOENT, "%s", tprof_session__error(session));
	tell(tprof_session__add_cgroup(session, "nowhere") == -ENOENT, "%s", tprof_session__error(session));
	tell(tprof_session__add_tid(session, getpid()) == -EBUSY, "%s", tprof_session__error(session));
	did(session, "stop", tprof_session__stop(session));
	take(session, &sum, "end");
	closes(session, &sum, "cgroups");
	tprof_session__close(session);
	for (size_t i = 0; i < 3; i++) {
		char path[256];

		end(pids[i]);
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		for (int tries = 0; rmdir(path) && errno == EBUSY && tries < 100; tries++)
			usleep(10000);
	}
}

int main(int argc, char **argv)
{
	if (argc < 2)
		bail("arguments", "ENGINE [DIRECTORY]");
	processes(argv[1]);
	forking(argv[1]);
	if (argc > 2)
		cgroups(argv[1], argv[2]);
	printf("1..%d\n", nr_told);
	return nr_failed > 0;
}
