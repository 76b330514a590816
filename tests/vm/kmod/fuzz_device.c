// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads make random calls on the same sessions: most are valid, some have one error. Each result is one that the
 * header documents for the call, the ledger closes whenever it is read, reads return complete records, and at the end
 * nothing is left and the next session works.
 *
 * The kernel arguments fuzz_seed= and fuzz_calls= select other calls, in rounds that start from nothing and leave
 * nothing; with the same seed, each thread of a round makes the same calls.
 *
 * vm: machines=x86-64,x86-64-16 seconds=1200
 */
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "fuzz.h"
#include "fuzz_session.h"
#include "probe.h"

#define CALLS		20000
#define ROUND		50000
#define NR_THREADS	4
#define NR_LINKS	8

/* Fixed descriptors, like those of the sessions. */
#define LINK(n)		(150 + (n))

static int filters[NR_SESSIONS][2];

static int do_info(struct fuzzer *f)
{
	struct tprof_module_info info = { .size = sizeof(info) };

	return fuzz_ioctl(f, device, TPROF_IOC_INFO, &info, sizeof(info));
}

static int do_source(struct fuzzer *f)
{
	struct tprof_source_info info = { .size = sizeof(info), .index = draw_below(f, 3) };

	return fuzz_ioctl(f, device, TPROF_IOC_SOURCE, &info, sizeof(info));
}

static int do_start(struct fuzzer *f)
{
	return ioctl(any_session(f), TPROF_IOC_START, draw(f));
}

static int do_stop(struct fuzzer *f)
{
	return ioctl(any_session(f), TPROF_IOC_STOP, draw(f));
}

static int do_flush(struct fuzzer *f)
{
	uint64_t cookie = draw(f);

	return fuzz_ioctl(f, any_session(f), TPROF_IOC_FLUSH, &cookie, sizeof(cookie));
}

static int do_clear(struct fuzzer *f)
{
	return ioctl(any_session(f), TPROF_IOC_CLEAR, draw(f));
}

static int do_ledger(struct fuzzer *f)
{
	struct tprof_ledger_read ledger = { .size = sizeof(ledger), .cpu = any_cpu(f) };

	if (fuzz_ioctl(f, any_session(f), TPROF_IOC_LEDGER, &ledger, sizeof(ledger)))
		return -1;
	if (ledger.size == sizeof(ledger) && !closes(&ledger))
		fuzz_stop(f, "the ledger does not close");
	return 0;
}

static int do_counts(struct fuzzer *f)
{
	struct tprof_counts counts = { .size = sizeof(counts), .event = draw_below(f, 3), .cpu = any_cpu(f) };

	return fuzz_ioctl(f, any_session(f), TPROF_IOC_COUNTS, &counts, sizeof(counts));
}

static int do_session(struct fuzzer *f)
{
	struct tprof_session_info info = { .size = sizeof(info) };

	return fuzz_ioctl(f, any_session(f), TPROF_IOC_SESSION, &info, sizeof(info));
}

static int do_filter(struct fuzzer *f)
{
	struct tprof_filter_info info = { .size = sizeof(info), .index = draw_below(f, 4) };

	return fuzz_ioctl(f, any_session(f), TPROF_IOC_FILTER, &info, sizeof(info));
}

/* A random call of the device or of a session, or an unknown one; with zeros after the size, or with random bytes. */
static int do_any_call(struct fuzzer *f)
{
	static const unsigned long known[] = {
		TPROF_IOC_INFO, TPROF_IOC_CREATE, TPROF_IOC_SOURCE, TPROF_IOC_CONFIGURE, TPROF_IOC_ADD_EVENT,
		TPROF_IOC_PERIOD, TPROF_IOC_ATTACH, TPROF_IOC_DETACH, TPROF_IOC_LEDGER, TPROF_IOC_COUNTS,
		TPROF_IOC_SESSION, TPROF_IOC_FILTER, TPROF_IOC_FILTER_ENABLE, TPROF_IOC_SEAL,
	};
	unsigned long call = known[draw_below(f, sizeof(known) / sizeof(known[0]))];
	uint32_t words[150] = { (uint32_t)_IOC_SIZE(call) };
	int result;

	if (one_in(f, 4))
		call = _IOC(draw_below(f, 4), TPROF_IOC_MAGIC, draw_below(f, 256), draw_below(f, sizeof(words)));
	for (unsigned int i = one_in(f, 2); i < sizeof(words) / sizeof(words[0]); i++)
		words[i] = one_in(f, 2) ? words[i] : (uint32_t)draw(f);
	if (one_in(f, 2))
		memset(words + 1, 0, sizeof(words) - sizeof(words[0]));
	result = fuzz_ioctl(f, any_session(f), call, words, sizeof(words));
	/* The number identifies the call; its direction and size may be wrong. */
	return result > 0 && _IOC_NR(call) == _IOC_NR(TPROF_IOC_CREATE) ? close(result) : result;
}

static int any_filter(struct fuzzer *f)
{
	return filters[draw_below(f, NR_SESSIONS)][draw_below(f, 2)];
}

static int any_link(struct fuzzer *f)
{
	return LINK((int)draw_below(f, NR_LINKS));
}

static int do_link(struct fuzzer *f)
{
	int link = link_filter(any_filter(f));

	if (link < 0)
		return -1;
	dup2(link, any_link(f));
	return close(link);
}

static int do_replace(struct fuzzer *f)
{
	return replace_filter(any_link(f), any_filter(f));
}

static int do_unlink(struct fuzzer *f)
{
	int link = any_link(f);

	return one_in(f, 2) ? close(link) : detach_filter(link);
}

static int do_read(struct fuzzer *f)
{
	ssize_t nr = read(any_session(f), fuzz_place(f, NULL, FUZZ_ROOM), draw_below(f, FUZZ_ROOM));

	for (const char *at = f->placed; nr > 0;) {
		struct tprof_record record;

		memcpy(&record, at, sizeof(record));
		if (record.size < sizeof(record) || record.size % 8 || record.size > nr ||
		    record.type == TPROF_RECORD_PAD || record.type > TPROF_RECORD_EVENT)
			return fuzz_stop(f, "what was read is no record");
		at += record.size;
		nr -= record.size;
	}
	return nr < 0 ? -1 : 0;
}

static int do_write(struct fuzzer *f)
{
	return (int)write(any_session(f), fuzz_place(f, NULL, FUZZ_ROOM), draw_below(f, TPROF_MAX_MARK_BYTES + 8));
}

static int do_poll(struct fuzzer *f)
{
	struct pollfd fd = { .fd = any_session(f), .events = (short)draw_below(f, 64) };

	return poll(&fd, 1, 0);
}

static int do_map(struct fuzzer *f)
{
	uint64_t cpu = draw_below(f, one_in(f, 8) ? 300 : 2);
	bool control = one_in(f, 2);
	uint64_t offset = control ? TPROF_STREAM_CONTROL(cpu) : TPROF_STREAM_DATA(cpu);
	size_t size = 4096 + (control ? 0 : 4096ULL << draw_below(f, 5));
	int rights = control || one_in(f, 16) ? PROT_READ | PROT_WRITE : PROT_READ;
	void *at;

	if (one_in(f, 16))
		offset += draw_below(f, 8) * 4096;
	if (one_in(f, 16))
		size += draw_below(f, 4) * 4096;
	if (one_in(f, 32))
		rights |= PROT_EXEC;
	at = mmap(NULL, size, rights, one_in(f, 32) ? MAP_PRIVATE : MAP_SHARED, any_session(f), (off_t)offset);
	if (at == MAP_FAILED)
		return -1;
	fuzz_see(f, at, size);
	return 0;
}

static int do_fork(struct fuzzer *f)
{
	int keep = any_slot(f), status;
	pid_t pid = fork();

	if (!pid) {
		ioctl(keep, TPROF_IOC_STOP);
		_exit(0);
	}
	if (pid < 0)
		return -1;
	if (waitpid(pid, &status, 0) != pid || status)
		return fuzz_stop(f, "a child did not end well");
	return 0;
}

static int do_look(struct fuzzer *f)
{
	static const char *const files[] = { "sessions", "sources", "filters" };
	char path[64], text[512];
	int fd;

	if (one_in(f, 2))
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", any_session(f));
	else
		snprintf(path, sizeof(path), "/sys/kernel/debug/tprof/%s", files[draw_below(f, 3)]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while (read(fd, text, sizeof(text)) > 0)
		;
	return close(fd);
}

/* Relative frequencies and permitted errors: a session may be closed, or replaced by the device. */
#define ANY_CALL	EFAULT, E2BIG, EINVAL, ENOTTY, ENOMEM
static const struct fuzz_call calls[] = {
	{ "INFO",	 2, do_info,	 { ANY_CALL } },
	{ "SOURCE",	 2, do_source,	 { ANY_CALL, ENOENT } },
	{ "CREATE",	20, do_create,	 { ANY_CALL } },
	{ "close",	 6, do_close,	 { EBADF } },
	{ "CONFIGURE",	20, do_configure, { ANY_CALL, EBADF, EBUSY, ENOSPC } },
	{ "ADD_EVENT, timer", 20, do_add_timer, { ANY_CALL, EBADF, EBUSY, ENOENT, ENOSPC } },
	{ "ADD_EVENT, perf", 12, do_add_perf, { ANY_CALL, EBADF, EBUSY, ENOENT, ENOSPC, EOPNOTSUPP } },
	{ "ADD_EVENT, probe", 2, do_add_probe, { ANY_CALL, EBADF, EBUSY, ENOENT, ENOSPC, EILSEQ } },
	{ "PERIOD",	 8, do_period,	 { ANY_CALL, EBADF, ENOENT } },
	{ "ATTACH",	 8, do_attach,	 { ANY_CALL, EBADF, ESRCH, ENOENT, ENOSPC } },
	{ "DETACH",	12, do_detach,	 { ANY_CALL, EBADF, ESRCH, ENOENT } },
	{ "START",	16, do_start,	 { ANY_CALL, EBADF, ENOENT } },
	{ "STOP",	 6, do_stop,	 { ANY_CALL, EBADF } },
	{ "FLUSH",	 6, do_flush,	 { ANY_CALL, EBADF } },
	{ "CLEAR",	 4, do_clear,	 { ANY_CALL, EBADF } },
	{ "LEDGER",	12, do_ledger,	 { ANY_CALL, EBADF, ENOENT } },
	{ "COUNTS",	 6, do_counts,	 { ANY_CALL, EBADF, ENOENT } },
	{ "SESSION",	 4, do_session,	 { ANY_CALL, EBADF } },
	{ "FILTER",	 6, do_filter,	 { ANY_CALL, EBADF, ENOENT } },
	{ "any call",	12, do_any_call, { ANY_CALL, EBADF, EBUSY, ENOENT, ENOSPC, ESRCH } },
	{ "link",	10, do_link,	 { EBADF, ENOSPC, EINVAL } },
	{ "replace",	12, do_replace,	 { EBADF, EINVAL, ENOLINK } },
	{ "unlink",	 6, do_unlink,	 { EBADF, EINVAL } },
	{ "read",	16, do_read,	 { EFAULT, EINVAL, EBADF, EBUSY, EAGAIN } },
	{ "write",	 8, do_write,	 { EFAULT, EINVAL, EBADF, ENOSPC } },
	{ "poll",	 6, do_poll,	 { 0 } },
	{ "mmap",	14, do_map,	 { EINVAL, EBADF, EBUSY, EPERM, EACCES, ENODEV, ENOMEM } },
	{ "scribble",	 8, fuzz_scribble, { EFAULT } },
	{ "munmap",	 4, fuzz_unmap,	 { 0 } },
	{ "fork",	 1, do_fork,	 { 0 } },
	{ "look",	 3, do_look,	 { ENOENT } },
};

/* Two filters for each session; one of four returns an invalid verdict. */
static void make_filters(void)
{
	static const struct bpf_insn keep[] = { ANSWER(TPROF_KEEP) }, done[] = { ANSWER(TPROF_DONE) };
	static const struct bpf_insn bad[] = { ANSWER(7) };
	static const struct bpf_insn *const answers[] = { keep, done, keep, bad };
	const struct filter_btf btf = filter_find_types();

	for (int i = 0; i < NR_SESSIONS; i++) {
		for (int j = 0; j < 2; j++) {
			int program = filter_load(&btf, answers[(2 * i + j) % 4], 2);

			filters[i][j] = make_filter_of(&btf, SESSION(i), "fuzz", i % 4, program);
			need(program >= 0 && filters[i][j] >= 0, "a filter");
			close(program);
		}
	}
	close(btf.fd);
}

static uint64_t asked(const char *name, uint64_t otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

static void close_all(void)
{
	for (int i = 0; i < NR_LINKS; i++)
		close(LINK(i));
	for (int i = 0; i < NR_SESSIONS; i++) {
		close(SESSION(i));
		close(filters[i][0]);
		close(filters[i][1]);
	}
}

/* Afterwards a new session works. */
static void next_works(void)
{
	static const struct bpf_insn done[] = { ANSWER(TPROF_DONE) };
	int session = create_session(device), link;
	struct tprof_ledger_read ledger;

	need(session >= 0 && add_timer(session, MS) == 0, "the next session");
	link = attach_filter(session, "next", 0, done, 2);
	check(link >= 0 && ioctl(session, TPROF_IOC_START) == 0, "it starts, with a filter");
	burn(100 * MS);
	check(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	ledger = read_ledger(session, -1);
	check(ledger.outcomes[TPROF_OUTCOME_DONE].samples > 0 && closes(&ledger) && !lost(&ledger),
	      "it has samples, and its ledger closes");
	close(link);
	close(session);
}

static int descriptors(void)
{
	int nr = 0;

	for (int fd = 0; fd < 1024; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

static void a_round(uint64_t seed, unsigned int nr)
{
	int nr_open = descriptors();

	diag("fuzz_seed=%llu fuzz_calls=%u", (unsigned long long)seed, nr);
	make_filters();
	fuzz(calls, sizeof(calls) / sizeof(calls[0]), seed, nr / NR_THREADS, NR_THREADS);
	close_all();
	is(descriptors(), nr_open, "no descriptor is left");
	is(open_sessions(device), 0, "no session is left");
	check(!*(strchr(read_file("/sys/kernel/debug/tprof/sources"), '\n') + 1), "no source is left");
	check(!*(strchr(read_file("/sys/kernel/debug/tprof/filters"), '\n') + 1), "no filter is left");
	next_works();
}

int main(void)
{
	uint64_t seed = asked("fuzz_seed", 1), nr = asked("fuzz_calls", CALLS);
	struct stat stat_of;

	device = open_device();
	need(stat("/sys/fs/cgroup", &stat_of) == 0, "there are cgroups");
	cgroup = stat_of.st_ino;
	probed_offset = file_offset_of(probed);
	/* No two threads of any rounds have the same seed. */
	for (; nr > ROUND; nr -= ROUND, seed += NR_THREADS)
		a_round(seed, ROUND);
	a_round(seed, (unsigned int)nr);
	return done_testing();
}
