// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parameters of the module: valid and invalid values, their effect on sessions, and messages in the kernel log.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "process.h"

#define PARAMETERS	"/sys/module/tprof/parameters/"
#define BUDGET		PARAMETERS "budget_permille"
#define STREAM_LIMIT	PARAMETERS "stream_limit_mb"
#define MB		(1U << 20)

static int device;

static void banner(void)
{
	struct tprof_module_info info = { .size = sizeof(info) };
	char line[80];

	need(ioctl(device, TPROF_IOC_INFO, &info) == 0, "INFO answers");
	is(info.abi, TPROF_ABI_VERSION, "the ABI is the one of the header");
	check(info.version[0] && !info.version[TPROF_NAME_LEN - 1], "it has a version");
	snprintf(line, sizeof(line), "tprof: version %s, ABI %u,", info.version, info.abi);
	check(strstr(kernel_log(), line), "the kernel log tells version and ABI");
}

/* Makes a session with a filter that is called 20,000 times a second. */
static int filtered_session(int *link)
{
	static const struct bpf_insn done[] = { ANSWER(TPROF_DONE) };
	int session = create_session(device);

	need(session >= 0 && add_timer(session, MS / 20) == 0, "a session is made");
	*link = attach_filter(session, "costly", 0, done, 2);
	need(*link >= 0, "its filter is attached");
	return session;
}

static uint32_t filter_state(int session)
{
	struct tprof_filter_info filter = { .size = sizeof(filter) };

	need(ioctl(session, TPROF_IOC_FILTER, &filter) == 0, "FILTER answers");
	return filter.state;
}

static void budget(void)
{
	static const char *const wrong[] = { "0", "1001", "-1", "x" };
	int early, late, early_link, late_link;
	struct tprof_ledger_read ledger;

	is(atoi(read_file(BUDGET)), 500, "budget_permille: 500 by default");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		is(write_file(BUDGET, wrong[i]), -1, "budget_permille: %s is refused", wrong[i]);
	is(atoi(read_file(BUDGET)), 500, "budget_permille: is what it was");
	is(write_file(BUDGET, "1000"), 0, "budget_permille: 1000");

	early = filtered_session(&early_link);
	is(write_file(BUDGET, "1"), 0, "budget_permille: 1");
	late = filtered_session(&late_link);
	need(ioctl(early, TPROF_IOC_START) == 0 && ioctl(late, TPROF_IOC_START) == 0, "both are started");
	while (filter_state(late) == TPROF_FILTER_ACTIVE)
		burn(20 * MS);
	burn(20 * MS);
	check(true, "a session made after the change has its filter switched off");
	is(filter_state(early), TPROF_FILTER_ACTIVE, "one made before has not");
	is(ioctl(late, TPROF_IOC_STOP), 0, "it stops");
	ledger = read_ledger(late, -1);
	check(ledger.lost[TPROF_LOST_OVER_BUDGET].samples > 0 && closes(&ledger), "what it did not see is over_budget");
	await_log("tprof: filter costly of session");
	check(true, "the kernel log names it");
	is(write_file(BUDGET, "500"), 0, "budget_permille: 500");
	close(early_link);
	close(late_link);
	close(early);
	close(late);
}

static void stream_limit(void)
{
	unsigned int nr_cpus = sysconf(_SC_NPROCESSORS_CONF), half = 4096;
	int first = create_session(device), second = create_session(device);

	need(first >= 0 && second >= 0, "two sessions are made");
	is(atoi(read_file(STREAM_LIMIT)), 256, "stream_limit_mb: 256 by default");
	/* The smallest stream that takes more than half of 1 MB, with the two extra pages of each ring. */
	while ((half + 8192) * nr_cpus <= MB / 2)
		half *= 2;
	is(write_file(STREAM_LIMIT, "1"), 0, "stream_limit_mb: 1");
	refuses(configure(first, 0, 2 * half), ENOSPC, "a stream that is too large alone");
	is(configure(first, 0, half), 0, "one that is not");
	refuses(configure(second, 0, half), ENOSPC, "another is too much");
	is(configure(first, 0, 0), 0, "the first is given back");
	is(configure(second, 0, half), 0, "now there is room for the other");
	close(second);
	is(configure(first, 0, half), 0, "a session that is closed gives back what it had");
	is(write_file(STREAM_LIMIT, "0"), 0, "stream_limit_mb: 0");
	second = create_session(device);
	refuses(configure(second, 0, 4096), ENOSPC, "there is room for nothing");
	is(read_session(first).stream_bytes, half, "and what is there stays");
	is(write_file(STREAM_LIMIT, "256"), 0, "stream_limit_mb: 256");
	is(configure(second, 0, half), 0, "there is room again");
	close(first);
	close(second);
}

int main(void)
{
	device = open_device();
	banner();
	budget();
	stream_limit();
	return done_testing();
}
