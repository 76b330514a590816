// SPDX-License-Identifier: GPL-2.0-only
/*
 * hand_over FILTER: a session that several processes have, one after the other, because the one before has closed it or
 * was killed. All samples are in a profile of one of them, or said to be lost with a process that was killed. Prints
 * TAP.
 */
#include "changes.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include "../include/socket.h"

#define ROUNDS 25

/* The reports of all users of the session, in memory that they share. */
struct reports {
	uint64_t rows;			/* samples of all rows */
	uint64_t lost;			/* as the last warning says */
	uint64_t most;			/* samples of one snapshot */
	uint32_t nr_snapshots;
	uint32_t nr_unclosed;		/* ledgers that did not close, or did not agree with the rows */
	bool is_reading;		/* within a snapshot */
	bool has_failed;
	char why[512];
};

static struct reports *reports;

static void report(struct tprof_session *session)
{
	struct tprof_profile *profile;
	struct tprof_ledger ledger;
	struct tprof_tally left;
	uint64_t rows = 0, aggregated;

	reports->is_reading = true;
	profile = tprof_session__snapshot(session);
	if (!profile) {
		snprintf(reports->why, sizeof(reports->why), "%s", tprof_session__error(session));
		reports->has_failed = true;
		_exit(1);
	}
	/* At once: a user that is killed before has read them, and tells nobody. */
	aggregated = tprof_profile__ledger(profile)->countings[TPROF_COUNTING_AGGREGATED].samples;
	reports->rows += aggregated;
	reports->is_reading = false;
	ledger = *tprof_profile__ledger(profile);
	left = tprof_ledger__difference(&ledger);
	for (size_t i = 0; tprof_profile__entry(profile, i); i++)
		rows += tprof_profile__entry(profile, i)->samples;
	reports->most = rows > reports->most ? rows : reports->most;
	reports->nr_snapshots++;
	if (left.samples || left.weight || rows != aggregated) {
		printf("# rows %" PRIu64 ", aggregated %" PRIu64 ", difference %" PRIu64 "\n", rows,
		       aggregated, (uint64_t)left.samples);
		fflush(stdout);
		reports->nr_unclosed++;
	}
	tprof_profile__free(profile);
}

/* "... have read N samples that are in none of their profiles": all users so far */
static uint64_t said_lost(const struct tprof_session *session)
{
	struct tprof_info info = { .sz = sizeof(info) };
	const char *said;

	tprof_session__info(session, &info);
	said = info.warnings ? strstr(info.warnings, "have read ") : NULL;
	return said ? strtoull(said + strlen("have read "), NULL, 10) : 0;
}

static struct tprof_session *take_over(int fd)
{
	struct tprof_error error = { 0 };
	struct tprof_session *session = tprof_session__from_fd(fd, NULL, &error);

	if (session)
		return session;
	snprintf(reports->why, sizeof(reports->why), "%s", error.text);
	reports->has_failed = true;
	return NULL;
}

/* Has the session until it is killed. */
static pid_t user(int fd)
{
	pid_t pid = fork();
	struct tprof_session *session;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	session = take_over(fd);
	if (!session)
		_exit(1);
	reports->lost = said_lost(session);
	for (;;) {
		report(session);
		tprof_session__wait(session, 5);
	}
}

static void wait_for_snapshots(uint32_t nr)
{
	uint32_t before = reports->nr_snapshots;

	for (int i = 0; i < 3000 && reports->nr_snapshots < before + nr && !reports->has_failed; i++)
		usleep(10000);
}

/* Users are killed at any time. */
static void kill_users(int fd)
{
	uint32_t nr_reading = 0;
	struct tprof_session *session;
	struct tprof_ledger ledger;
	uint64_t found, total;

	for (int i = 0; i < ROUNDS && !reports->has_failed; i++) {
		pid_t pid = user(fd);

		wait_for_snapshots(2);
		usleep((useconds_t)(i * 700 % 20000));
		end(pid);
		nr_reading += reports->is_reading;
		reports->is_reading = false;
	}
	tell(!reports->has_failed, "%d users: %s", ROUNDS, reports->why);
	session = take_over(fd);
	if (!session)
		bail("the last one", reports->why);
	reports->lost = said_lost(session);
	tell(!tprof_session__stop(session), "%s", tprof_session__error(session));
	report(session);
	ledger = ledger_of(session);
	total = ledger.countings[TPROF_COUNTING_AGGREGATED].samples;
	found = reports->rows + reports->lost;
	printf("# %" PRIu64 " samples: %" PRIu64 " in %u profiles, %" PRIu64 " lost with %u users\n", total,
	       reports->rows, reports->nr_snapshots, reports->lost, nr_reading);
	tell(reports->nr_unclosed == 0, "the ledgers close, and agree with the rows: %u do not", reports->nr_unclosed);
	/* Some instructions lie between the end of a snapshot and the report: at most one user was killed there. */
	tell(found <= total && total - found <= reports->most, "all samples are found, or told: %" PRIu64
	     " of %" PRIu64, found, total);
	tell(reports->rows > total / 4, "most are found");
	tprof_session__close(session);
}

/* Opens the session, and sends its descriptor; has it until it is killed. */
static pid_t opener(pid_t busy, const char *filter, int socket_fd)
{
	struct tprof_session_opts opts = {
		.sz = sizeof(opts), .engine = "kmod", .event = "cpu-clock", .rate_hz = 2500,
		.pids = &busy, .nr_pids = 1,
	};
	struct tprof_error error = { 0 };
	struct tprof_session *session;
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	session = tprof_session__open(&opts, &error);
	if (!session || tprof_session__add_filter(session, tprof_filter__open(filter, &error)) ||
	    tprof_session__prepare(session))
		bail("open", error.text[0] ? error.text : tprof_session__error(session));
	send_fd(socket_fd, tprof_session__fd(session));
	if (tprof_session__start(session))
		bail("start", tprof_session__error(session));
	for (;;) {
		report(session);
		tprof_session__wait(session, 5);
	}
}

static void refuse(int fd, const struct tprof_session_opts *opts, int wanted, const char *what)
{
	struct tprof_error error = { 0 };
	struct tprof_session *session = tprof_session__from_fd(fd, opts, &error);

	tell(!session && errno == wanted && error.text[0], "%s: %s", what, error.text);
	tprof_session__close(session);
}

/* Makes a file that claims to be the memory of a session. */
static int forged(const char *version, int rest)
{
	const size_t bytes = 4 << 20;
	int fd = memfd_create("forged", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	char *memory;

	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		bail("memfd", strerror(errno));
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		bail("mmap", strerror(errno));
	memset(memory, rest, bytes);
	memset(memory, 0, 48);
	strcpy(memory, "tprof session");
	strcpy(memory + 16, version);
	munmap(memory, bytes);
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW))
		bail("seals", strerror(errno));
	return fd;
}

static void refuse_forged(const char *version, int rest, const char *what)
{
	int fd = forged(version, rest), pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair))
		bail("socketpair", strerror(errno));
	send_fd(pair[1], fd);
	refuse(pair[0], NULL, EPROTO, what);
	close(fd);
	close(pair[0]);
	close(pair[1]);
}

static int nr_descriptors(void)
{
	int nr = 0;

	for (int fd = 0; fd < 1024; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

static void refusals(int fd)
{
	const struct tprof_session_opts rate = { .sz = sizeof(rate), .rate_hz = 99 };
	int pair[2], before = nr_descriptors();

	refuse(fd, NULL, EBUSY, "another process has it");
	refuse(fd, &rate, EINVAL, "a rate");
	refuse(0, NULL, EPROTO, "no socket");
	refuse(-1, NULL, EBADF, "no descriptor");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair))
		bail("socketpair", strerror(errno));
	refuse(pair[0], NULL, EPROTO, "an empty socket");
	send_fd(pair[1], 0);
	refuse(pair[0], NULL, EPROTO, "another message");
	refuse_forged("0.0", 0, "another version");
	refuse_forged(tprof_version(), 0, "nothing described");
	refuse_forged(tprof_version(), 0xff, "numbers that are too large");
	refuse_forged(tprof_version(), 1, "numbers that do not fit");
	close(pair[0]);
	close(pair[1]);
	tell(nr_descriptors() == before, "no descriptor stays open: %d", nr_descriptors() - before);
}

static uint64_t duration_of_next(struct tprof_session *session)
{
	struct tprof_profile *profile = tprof_session__snapshot(session);
	uint64_t ns = profile ? tprof_profile__duration_ns(profile) : UINT64_MAX;

	tprof_profile__free(profile);
	return ns;
}

static struct tprof_session *must_take(int fd, const char *when)
{
	struct tprof_session *session = take_over(fd);

	if (!session)
		bail(when, reports->why);
	return session;
}

/* The time in which nothing is sampled is in no duration. */
static void durations(int fd)
{
	struct tprof_session *session = must_take(fd, "durations");
	uint64_t started_ns, ns;

	tell(!tprof_session__stop(session), "it stops: %s", tprof_session__error(session));
	report(session);
	tprof_session__close(session);
	/* Longer than the session runs below. */
	usleep(600000);
	session = must_take(fd, "stopped");
	ns = duration_of_next(session);
	tell(ns < 100000000, "stopped: %.3f s", (double)ns / 1e9);
	tprof_session__start(session);
	started_ns = now_ns();
	tprof_session__pause(session);
	usleep(1000000);
	tprof_session__resume(session);
	tprof_session__wait(session, 200);
	tprof_session__close(session);
	session = must_take(fd, "paused before");
	ns = duration_of_next(session);
	tell(ns > 150000000 && ns < now_ns() - started_ns - 900000000, "without the pause: %.3f of %.3f s",
	     (double)ns / 1e9, (double)(now_ns() - started_ns) / 1e9);
	tprof_session__close(session);
}

/* A user that closes the session has read samples, and reported none of them. */
static void told_once(int fd)
{
	struct tprof_session *session = must_take(fd, "to read");
	uint64_t before = said_lost(session), first;

	tprof_session__wait(session, 6000);
	tprof_session__close(session);
	session = must_take(fd, "after reading");
	first = said_lost(session) - before;
	tell(first > 0, "%" PRIu64 " were read and not reported", first);
	tprof_session__close(session);
	session = must_take(fd, "once more");
	tell(said_lost(session) == before + first, "which are no more later: %" PRIu64, said_lost(session) - before);
	tprof_session__close(session);
}

/* A child that lives on does not keep a session that was closed. */
static void forked(int fd)
{
	struct tprof_session *session = must_take(fd, "to fork");
	pid_t child = fork();

	while (!child)
		pause();
	tprof_session__close(session);
	session = take_over(fd);
	tell(session, "with a child of the last user: %s", reports->why);
	tell(!tprof_session__pin(session), "it is pinned: %s", tprof_session__error(session));
	tprof_session__close(session);
	end(child);
}

/* The descriptor is no privilege to read the processes of others: without it, the session stays as it is. */
static void unprivileged(int fd)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		if (setuid(65534))
			_exit(1);
		_exit(tprof_session__from_fd(fd, NULL, NULL) || (errno != EPERM && errno != EACCES) ? 1 : 0);
	}
	waitpid(child, &status, 0);
	tell(status == 0, "without privileges: refused, status %d", status);
	tprof_session__close(must_take(fd, "after that"));
}

/* Control messages that the owner of the socket has requested. */
static void with_credentials(int fd)
{
	const int yes = 1, no = 0;
	struct tprof_session *session;

	setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes));
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMP, &yes, sizeof(yes));
	/* As another process would get it. */
	session = take_over((int)syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, getpid(), 0), fd, 0));
	tell(session, "a socket that passes credentials: %s", reports->why);
	setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &no, sizeof(no));
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMP, &no, sizeof(no));
	tprof_session__close(session);
}

/* Whoever has the descriptor can write into the memory, and ruin the session, but not its user. */
static void ruin(int fd)
{
	struct tprof_session *session = must_take(fd, "to be ruined");
	const size_t head = 48, bytes = 65536;
	int memory_fd = receive_fd(fd, MSG_PEEK);
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd, 0);

	if (memory == MAP_FAILED)
		bail("mmap", strerror(errno));
	memset(memory + head, 0xff, bytes - head);
	report(session);
	tell(!reports->has_failed, "the memory is overwritten: %s", reports->why);
	tprof_session__close(session);
	refuse(fd, NULL, EPROTO, "an overwritten memory");
	munmap(memory, bytes);
	close(memory_fd);
}

static void refuse_perf(const char *filter)
{
	struct tprof_session_opts opts = { .sz = sizeof(opts), .engine = "perf", .event = "cpu-clock", .rate_hz = 99 };
	struct tprof_error error = { 0 };
	struct tprof_session *session = tprof_session__open(&opts, &error);

	if (!session || tprof_session__add_filter(session, tprof_filter__open(filter, &error)))
		bail("open", error.text);
	tell(tprof_session__fd(session) == -EINVAL, "not prepared: %s", tprof_session__error(session));
	if (tprof_session__prepare(session))
		bail("prepare", tprof_session__error(session));
	tell(tprof_session__fd(session) == -EOPNOTSUPP, "engine perf: %s", tprof_session__error(session));
	tprof_session__close(session);
}

/* A user that closes the session leaves it in its state. */
static void close_and_go_on(int fd, const char *filter)
{
	struct tprof_session *session = take_over(fd);
	struct tprof_info info = { .sz = sizeof(info) };
	struct tprof_ledger before, after;
	struct tprof_filter *with;
	uint64_t more;

	if (!session)
		bail("stopped", reports->why);
	before = ledger_of(session);
	tell(!tprof_session__start(session), "a stopped session starts: %s", tprof_session__error(session));
	tell(!tprof_session__set_rate(session, 0, 500), "its rate changes: %s", tprof_session__error(session));
	tell(tprof_session__add_pid(session, getpid()) == -EBUSY, "its targets do not: %s",
	     tprof_session__error(session));
	tell(tprof_session__remove_cgroup(session, "/") == -EBUSY, "nor its cgroups: %s",
	     tprof_session__error(session));
	with = tprof_filter__open(filter, NULL);
	tell(tprof_session__replace_filter(session, tprof_session__filter(session, 0), with) == -EBUSY,
	     "nor its filters: %s", tprof_session__error(session));
	tell(tprof_session__fd(session) == -EBUSY, "it has one descriptor: %s", tprof_session__error(session));
	tell(!tprof_session__pause(session), "it pauses: %s", tprof_session__error(session));
	tprof_session__close(session);
	session = take_over(fd);
	if (!session)
		bail("paused", reports->why);
	tell(tprof_session__start(session) == -EBUSY, "it is paused: %s", tprof_session__error(session));
	tell(!tprof_session__resume(session), "it resumes: %s", tprof_session__error(session));
	tprof_session__info(session, &info);
	tell(info.rate_hz == 500 && info.period > 1950000 && info.period < 2050000, "%" PRIu64 " Hz, period %" PRIu64,
	     (uint64_t)info.rate_hz, (uint64_t)info.period);
	tprof_session__close(session);
	usleep(300000);
	session = take_over(fd);
	if (!session)
		bail("running", reports->why);
	tell(said_lost(session) == reports->lost, "nothing was read");
	report(session);
	after = ledger_of(session);
	more = after.countings[TPROF_COUNTING_AGGREGATED].samples - before.countings[TPROF_COUNTING_AGGREGATED].samples;
	tell(more > 20, "it went on while nobody had it: %" PRIu64 " more samples", more);
	tprof_session__close(session);
}

int main(int argc, char **argv)
{
	pid_t busy = spin(), first;
	int pair[2], fd;

	reports = mmap(NULL, sizeof(*reports), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (argc != 2 || reports == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		bail("usage", "hand_over FILTER");
	refuse_perf(argv[1]);
	first = opener(busy, argv[1], pair[1]);
	fd = receive_fd(pair[0], 0);
	if (fd < 0)
		bail("the descriptor", "none was sent");
	wait_for_snapshots(3);
	refusals(fd);
	end(first);
	reports->is_reading = false;
	kill_users(fd);
	close_and_go_on(fd, argv[1]);
	durations(fd);
	told_once(fd);
	forked(fd);
	with_credentials(fd);
	unprivileged(fd);
	ruin(fd);
	tell(reports->nr_unclosed == 0, "the ledgers close, and agree with the rows: %u do not", reports->nr_unclosed);
	close(fd);
	end(busy);
	printf("1..%d\n", nr_told);
	return nr_failed > 0;
}
