// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lists of sources, sessions, filters, users and calls in debugfs have the columns of tprof(4), and together with
 * SOURCE and fdinfo the same numbers as the ioctls.
 *
 * vm: all=arm64
 */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>

#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "process.h"

#define LISTS		"/sys/kernel/debug/tprof/"
#define MAX_COLUMNS	16
/* A tab and a newline in a process name must not make more columns and lines. */
#define COMM		"a\tb\nc"
#define COMM_SHOWN	"a\\011b\\012c"

static int session;

/* Splits line number @line of a list, from 0, into columns; returns their number, or 0 if there is no such line. */
static int columns(const char *list, int line, char *column[MAX_COLUMNS])
{
	static char text[4096];
	char path[80], *at, *next;
	int nr = 0;

	snprintf(path, sizeof(path), LISTS "%s", list);
	snprintf(text, sizeof(text), "%s", read_file(path));
	next = text;
	while ((at = strsep(&next, "\n")) && line--)
		;
	while (at && *at && nr < MAX_COLUMNS) {
		column[nr] = strsep(&at, "\t");
		nr++;
	}
	return nr;
}

static void has_line(const char *list, int line, const char *words)
{
	char *column[MAX_COLUMNS], joined[256] = "";
	int nr = columns(list, line, column);

	for (int i = 0; i < nr; i++) {
		strcat(joined, i ? " " : "");
		strcat(joined, column[i]);
	}
	if (!check(strcmp(joined, words) == 0, "%s: line %d is that of the manual", list, line))
		diag("%s", joined);
}

static void has_columns(const char *list, const char *names)
{
	char *column[MAX_COLUMNS];

	has_line(list, 0, names);
	is(columns(list, 1, column), 0, "%s: empty as long as there is nothing", list);
}

static void shows(const char *what, const char *shown, const char *wanted)
{
	if (!check(strcmp(shown, wanted) == 0, "%s", what))
		diag("%s, not %s", shown, wanted);
}

static void kinds(int device)
{
	struct tprof_module_info info = { .size = sizeof(info) };
	struct tprof_source_info source = { .size = sizeof(source) };

	need(ioctl(device, TPROF_IOC_INFO, &info) == 0, "INFO answers");
	is(info.nr_sources, 5 + !!(info.features & TPROF_FEATURE_KPROBE) + !!(info.features & TPROF_FEATURE_UPROBE),
	   "INFO: the sources of tprof itself");
	is(ioctl(device, TPROF_IOC_SOURCE, &source), 0, "SOURCE: the first");
	shows("SOURCE: is the timer", source.name, "timer");
	is(source.min_period, TPROF_MIN_TIMER_NS, "SOURCE: its shortest period");
	is(source.max_period, TPROF_MAX_TIMER_NS, "SOURCE: its longest period");
	is(source.flags, 0, "SOURCE: has one event and does not count without sampling");
	source.index = 1;
	is(ioctl(device, TPROF_IOC_SOURCE, &source), 0, "SOURCE: the second");
	shows("SOURCE: is perf", source.name, "perf");
	is(source.flags, TPROF_SOURCE_CAN_COUNT | TPROF_SOURCE_HAS_ATTR, "SOURCE: events that can be counted");
	source.index = info.nr_sources;
	refuses(ioctl(device, TPROF_IOC_SOURCE, &source), ENOENT, "SOURCE: no other");
}

static void running(void)
{
	char *column[MAX_COLUMNS];

	need(columns("sources", 1, column) == 9, "sources: a line of nine columns");
	shows("sources: source", column[1], "timer");
	shows("sources: event", column[2], "-");
	shows("sources: period", column[3], "1000000");
	shows("sources: users", column[4], "1");
	shows("sources: cpus", column[5], "1");
	check(strtoull(column[6], NULL, 0) > 0, "sources: fired");
	check(*column[7] >= '0' && *column[7] <= '9', "sources: delivery_ns");
	shows("sources: period_factor", column[8], "1");
	is(columns("sources", 2, column), 0, "sources: no other line");
}

static void number(const char *what, const char *shown, unsigned long long wanted)
{
	is(strtoll(shown, NULL, 0), (long long)wanted, "%s", what);
}

static void stopped(void)
{
	struct tprof_ledger_read ledger = read_ledger(session, -1);
	char *column[MAX_COLUMNS];

	is(columns("sources", 1, column), 0, "sources: none, for nothing runs");
	need(columns("sessions", 1, column) == 11, "sessions: a line of eleven columns");
	number("sessions: id", column[0], read_session(session).id);
	shows("sessions: state", column[1], "stopped");
	number("sessions: pid", column[2], getpid());
	shows("sessions: comm", column[3], COMM_SHOWN);
	number("sessions: events", column[4], 1);
	number("sessions: filters", column[5], 1);
	number("sessions: fired", column[6], ledger.fired.samples);
	number("sessions: lost", column[7], lost(&ledger));
	number("sessions: epoch", column[8], 1);
	is(columns("sessions", 2, column), 0, "sessions: no other line");
}

static void filters(void)
{
	struct tprof_filter_info filter = { .size = sizeof(filter) };
	char *column[MAX_COLUMNS];

	need(ioctl(session, TPROF_IOC_FILTER, &filter) == 0, "FILTER answers");
	check(filter.calls > 0 && filter.run_ns > 0, "the filter was called");
	need(columns("filters", 1, column) == 12, "filters: a line of twelve columns");
	number("filters: session", column[0], read_session(session).id);
	number("filters: id", column[1], filter.id);
	shows("filters: name", column[2], "keeper");
	shows("filters: state", column[3], "active");
	number("filters: calls", column[4], filter.calls);
	number("filters: run_ns", column[5], filter.run_ns);
	number("filters: kept", column[6], filter.kept);
	number("filters: bad", column[7], filter.bad);
	number("filters: longest_ns", column[8], filter.longest_ns);
	number("filters: pid", column[9], getpid());
	shows("filters: comm", column[10], COMM_SHOWN);
	shows("filters: call", column[11], "direct");
}

/* Checks the numbers in a line of fdinfo. */
static void tells(const char *name, unsigned long long samples, unsigned long long weight)
{
	unsigned long long got[2] = { 0 };
	char path[64], label[64];
	const char *line;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", session);
	snprintf(label, sizeof(label), "\ntprof-%s:\t", name);
	line = strstr(read_file(path), label);
	if (line)
		sscanf(line + strlen(label), "%llu\t%llu", &got[0], &got[1]);
	check(line && got[0] == samples && got[1] == weight, "fdinfo: %s", name);
}

static void fdinfo(void)
{
	static const char *const outcomes[] = {
#define X(NAME, name, text) #name,
		TPROF_OUTCOMES(X)
#undef X
	};
	static const char *const reasons[] = {
#define X(NAME, name, text) "lost-" #name,
		TPROF_LOST_REASONS(X)
#undef X
	};
	struct tprof_ledger_read ledger = read_ledger(session, -1);

	tells("session", read_session(session).id, 0);
	tells("epoch", 1, 0);
	tells("events", 1, 0);
	tells("filters", 1, 0);
	tells("unfollowed", 0, 0);
	tells("fired", ledger.fired.samples, ledger.fired.weight);
	for (int i = 0; i < TPROF_NR_OUTCOMES; i++)
		tells(outcomes[i], ledger.outcomes[i].samples, ledger.outcomes[i].weight);
	for (int i = 0; i < TPROF_NR_LOST_REASONS; i++)
		tells(reasons[i], ledger.lost[i].samples, ledger.lost[i].weight);
}

struct call_row {
	unsigned long long calls, failed;
};

static struct call_row read_calls(const char *name)
{
	char *column[MAX_COLUMNS];

	for (int line = 0; columns("calls", line, column) == 3; line++) {
		if (strcmp(column[0], name) == 0)
			return (struct call_row){ strtoull(column[1], NULL, 0), strtoull(column[2], NULL, 0) };
	}
	need(false, "calls: a line for %s", name);
	return (struct call_row){ 0 };
}

/* One call of each kind, and whether it fails. */
static void calls(int device)
{
	struct tprof_module_info info = { .size = sizeof(info) };
	struct tprof_period period = { .size = sizeof(period), .event = 9, .period = MS };
	struct tprof_create create = { .size = sizeof(create), .flags = ~0U };
	static const struct {
		const char *name;
		unsigned int failed;
	} kinds[] = {
		{ "info", 0 }, { "create", 1 }, { "flush", 0 }, { "ledger", 0 }, { "period", 1 }, { "other", 2 },
		{ "read", 1 }, { "write", 1 }, { "mmap", 1 },
	};
	struct call_row before[sizeof(kinds) / sizeof(kinds[0])], after;
	char byte = 0, *column[MAX_COLUMNS];

	need(columns("calls", 0, column) == 3, "calls: three columns");
	shows("calls: the first column", column[0], "call");
	shows("calls: the second column", column[1], "calls");
	shows("calls: the third column", column[2], "failed");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		before[i] = read_calls(kinds[i].name);
	need(ioctl(device, TPROF_IOC_INFO, &info) == 0 && ioctl(device, TPROF_IOC_CREATE, &create) < 0, "the device");
	flush(session);
	read_ledger(session, -1);
	need(ioctl(session, TPROF_IOC_PERIOD, &period) < 0 && ioctl(session, TIOCGWINSZ, &byte) < 0 &&
	     ioctl(session, _IO(TPROF_IOC_MAGIC, 0xff)) < 0 && read(session, &byte, 1) < 0 &&
	     write(session, &byte, 1) < 0 && mmap(NULL, 4096, PROT_READ, MAP_SHARED, session, 0) == MAP_FAILED,
	     "calls of the session that fail");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		after = read_calls(kinds[i].name);
		is(after.calls - before[i].calls, kinds[i].failed ? kinds[i].failed : 1, "calls: %s", kinds[i].name);
		is(after.failed - before[i].failed, kinds[i].failed, "calls: %s, failed", kinds[i].name);
	}
}

static int open_list_as_nobody(void)
{
	become_nobody(1ULL << CAP_PERFMON);
	return open(LISTS "sessions", O_RDONLY) >= 0 ? 0 : errno;
}

int main(void)
{
	static const struct bpf_insn keep[] = { ANSWER(TPROF_KEEP) };
	char *column[MAX_COLUMNS];
	int device = open_device(), link;

	kinds(device);
	has_columns("sources", "id source event period users cpus fired delivery_ns period_factor");
	has_columns("sessions", "id state pid comm events filters fired lost epoch filter_ns memory");
	has_columns("filters", "session id name state calls run_ns kept bad longest_ns pid comm call");
	has_columns("users", "uid sessions events targets stream_bytes waits");
	has_line("owners", 0, "filters capacity waiting working replaced unclear full");
	has_line("owners", 1, "0 0 0 0 0 0 0");
	is(in_child(open_list_as_nobody), EACCES, "the lists are for root");

	need(prctl(PR_SET_NAME, COMM) == 0, "the process has a strange name");
	pin(0);
	session = create_session(device);
	need(configure_on_cpu(session, 0, 0) == 0, "a session of CPU 0");
	need(add_timer(session, MS) == 0, "with the timer");
	link = attach_filter(session, "keeper", 0, keep, 2);
	need(link >= 0, "with a filter");
	need(ioctl(session, TPROF_IOC_CLEAR) == 0, "in its second epoch");
	need(ioctl(session, TPROF_IOC_START) == 0, "is started");
	burn(50 * MS);
	flush(session);
	running();
	need(ioctl(session, TPROF_IOC_STOP) == 0, "is stopped");
	stopped();
	filters();
	fdinfo();
	calls(device);
	close(link);
	is(columns("filters", 1, column), 0, "filters: none when its link is closed");
	close(session);
	is(columns("sessions", 1, column), 0, "sessions: none when it is closed");
	return done_testing();
}
