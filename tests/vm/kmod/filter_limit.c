// SPDX-License-Identifier: GPL-2.0-only
/*
 * The maximum number of filters of a session, and their order: filters are called in the order in which they were
 * attached, and a replacement is called in the place of the old one. All filters see each sample, whatever verdict the
 * others return.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"

#define GONE		3		/* of the first filters, this one is closed */
#define REPLACED	7		/* and this one replaced */
#define OUT_OF_TURN	2		/* no verdict */

static int session, turn;

/*
 * Makes a filter that checks the order: the counter must contain @before, the number of the previous filter; then the
 * filter stores its own number. The session samples one CPU, so the filters do not race.
 */
static int make_in_turn(int before, int number, int verdict)
{
	const struct bpf_insn insns[] = {
		ADDRESS_OF_COUNTER(BPF_REG_1, turn),
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = number },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_3 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = verdict },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_2, .off = 1, .imm = before },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = OUT_OF_TURN },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	char name[TPROF_NAME_LEN];
	int map;

	snprintf(name, sizeof(name), "filter%d", number);
	map = make_filter(session, name, 0, insns, sizeof(insns) / sizeof(insns[0]));
	need(map >= 0, "filter %d is made", number);
	return map;
}

/* Returns the number of the filter that is called before filter @i: the last one before the first, skipping GONE. */
static int before(int i)
{
	if (i == 0)
		return TPROF_MAX_FILTERS;
	return i - 1 == GONE ? i - 2 : i - 1;
}

static int made_and_linked(int i)
{
	/* Some filters return KEEP, some DONE: the others are called in either case. */
	int map = make_in_turn(before(i), i, i % 2 ? TPROF_KEEP : TPROF_DONE), link = link_filter(map), error = errno;

	close(map);
	errno = error;
	return link;
}

static void order(void)
{
	uint64_t last_id = 0, calls = read_filter_info(session, 0).calls;
	char name[TPROF_NAME_LEN];

	check(calls > 0, "the first is called");
	for (int i = 0; i < TPROF_MAX_FILTERS; i++) {
		struct tprof_filter_info filter = read_filter_info(session, i);

		snprintf(name, sizeof(name), "filter%d", i < GONE ? i : i + 1);
		check(strcmp(filter.name, name) == 0, "%s is in place %d", name, i);
		check(filter.id > last_id, "%s: attached later than the one before", name);
		is(filter.calls, calls, "%s: called as often as the first", name);
		is(filter.bad, 0, "%s: and always in turn", name);
		last_id = filter.id;
	}
}

int main(void)
{
	struct tprof_filter_info none = { .size = sizeof(none), .index = TPROF_MAX_FILTERS };
	int links[TPROF_MAX_FILTERS + 1], other, map;
	struct tprof_ledger_read ledger;

	pin(0);
	session = create_session(open_device());
	turn = new_counter();
	need(session >= 0 && configure_on_cpu(session, 0, 0) == 0 && add_timer(session, MS) == 0,
	     "a session of one CPU");
	for (int i = 0; i < TPROF_MAX_FILTERS; i++) {
		links[i] = made_and_linked(i);
		need(links[i] >= 0, "filter %d is attached", i);
	}
	is(read_session(session).nr_filters, TPROF_MAX_FILTERS, "as many as there can be");
	refuses(made_and_linked(TPROF_MAX_FILTERS), ENOSPC, "one more");
	refuses(ioctl(session, TPROF_IOC_FILTER, &none), ENOENT, "there is none behind the last");
	other = create_session(open_device());
	need(other >= 0, "another session");
	map = make_filter(other, "other", 0, (const struct bpf_insn[]){ ANSWER(TPROF_DONE) }, 2);
	links[TPROF_MAX_FILTERS] = link_filter(map);
	check(links[TPROF_MAX_FILTERS] >= 0, "another session has room of its own");
	close(links[TPROF_MAX_FILTERS]);
	close(map);
	close(other);

	close(links[GONE]);
	is(read_session(session).nr_filters, TPROF_MAX_FILTERS - 1, "one is closed");
	links[GONE] = made_and_linked(TPROF_MAX_FILTERS);
	check(links[GONE] >= 0, "and another one fits");
	refuses(made_and_linked(TPROF_MAX_FILTERS), ENOSPC, "but only one");
	map = make_in_turn(before(REPLACED), REPLACED, TPROF_DONE);
	is(replace_filter(links[REPLACED], map), 0, "one is replaced");
	close(map);

	/* Starts as if the last filter had been called. */
	set_counter(turn, TPROF_MAX_FILTERS);
	need(ioctl(session, TPROF_IOC_START) == 0, "the session starts");
	while (read_ledger(session, -1).fired.samples < 20)
		burn(10 * MS);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "and stops");
	order();
	ledger = read_ledger(session, -1);
	check(closes(&ledger), "the ledger closes");
	is(ledger.lost[TPROF_LOST_STREAM_FULL].samples, read_filter_info(session, 0).calls,
	   "what some are done with is kept, for others keep it");
	for (int i = 0; i < TPROF_MAX_FILTERS; i++)
		close(links[i]);
	is(read_session(session).nr_filters, 0, "all are closed");
	close(turn);
	close(session);
	return done_testing();
}
