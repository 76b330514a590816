// SPDX-License-Identifier: GPL-2.0-only
/*
 * A breakpoint event on a function that filters call is hit in the delivery of each sample, in an exception that looks
 * like an NMI. Each hit counts as a re-entry, not as a sample, so there is no recursion.
 *
 * vm: machines=x86-64,next
 */
#include <linux/hw_breakpoint.h>

#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "process.h"
#include "source.h"
#include "walk.h"

static uint64_t address_of(const char *name)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	unsigned long long address, found = 0;
	char line[512], symbol[256];

	need(symbols, "the kernel's symbols");
	while (!found && fgets(line, sizeof(line), symbols)) {
		if (sscanf(line, "%llx %*c %255s", &address, symbol) == 2 && strcmp(symbol, name) == 0)
			found = address;
	}
	fclose(symbols);
	return found;
}

static int add_breakpoint(int session, uint32_t type, uint64_t address)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr), .bp_type = type, .bp_addr = address,
		.bp_len = sizeof(long),
	};
	struct tprof_event event = {
		.size = sizeof(event), .source = "perf", .period = 1,
		.attr = (uintptr_t)&attr, .attr_size = sizeof(attr),
	};

	return ioctl(session, TPROF_IOC_ADD_EVENT, &event);
}

/* All four breakpoint registers of a CPU are in use; their period can be changed nevertheless. */
static void all_taken(int device)
{
	struct tprof_period period = { .size = sizeof(period), .period = 10 };
	struct tprof_ledger_read ledger;
	uint64_t count;
	int session = create_session(device), other = create_session(device);
	static volatile long places[5];

	for (int i = 0; i < 4; i++)
		need(add_breakpoint(session, HW_BREAKPOINT_W, (uintptr_t)&places[i]) == i, "a breakpoint");
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	refuses(add_breakpoint(other, HW_BREAKPOINT_W, (uintptr_t)&places[4]), ENOSPC, "there is no other one");
	need(ioctl(session, TPROF_IOC_PERIOD, &period) == 0, "the period of one changes");
	for (int i = 0; i < 1000; i++)
		places[0] = i;
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	ledger = read_ledger(session, -1);
	count = read_counts(session, 0, -1).value;
	check(count >= 1000, "each write is counted");
	check(ledger.fired.samples >= 99 && ledger.fired.samples < 110, "there is a sample for each ten");
	check(ledger.fired.weight <= count + 10 && ledger.fired.weight + 10 >= count, "that weighs as much");
	close(other);
	close(session);
}

int main(void)
{
	int device = open_device(), session = create_session(device), link = attach_walk(session);
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	uint64_t address = address_of("tprof_walk_kernel"), walked, again;
	struct tprof_ledger_read ledger;
	static char buffer[1 << 20];

	pin(0);
	need(address, "the address of what the filter calls");
	need(add_timer(session, MS) == 0, "a timer");
	need(add_breakpoint(session, HW_BREAKPOINT_X, address) == 1, "a breakpoint there");
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	for (uint64_t end = now_ns() + 500 * MS; now_ns() < end;)
		need(read(zero, buffer, sizeof(buffer)) == sizeof(buffer), "zeros are read");
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	ledger = read_ledger(session, -1);
	/* Samples that the filter kept, lost without a stream; samples with the leaf alone are done. */
	walked = ledger.lost[TPROF_LOST_STREAM_FULL].samples;
	again = ledger.lost[TPROF_LOST_REENTRY].samples;
	check(walked > 10, "the filter has walked");
	check(again > 10 && again <= walked + ledger.outcomes[TPROF_OUTCOME_DONE].samples,
	      "a walk is one re-entry, and no more");
	is(again, read_counts(session, 1, -1).value, "these are all that hit the breakpoint");
	check(closes(&ledger), "the ledger closes");
	diag("%llu walks, %llu re-entries, %llu samples", (unsigned long long)walked,
	     (unsigned long long)again, (unsigned long long)ledger.fired.samples);
	close(link);
	close(session);
	all_taken(device);
	return done_testing();
}
