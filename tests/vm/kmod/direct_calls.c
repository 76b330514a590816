// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filters are called without their trampolines, unless the parameter direct_calls is off: either way the filter sees
 * the same samples, and the kernel's run-time statistics of BPF count its calls. The program that is called is the one
 * that BPF took, whatever happens to the file descriptor that named it.
 */
#include <pthread.h>

#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"

#define PARAMETER	"/sys/module/tprof/parameters/direct_calls"
#define PERIOD		(MS / 20)
#define ROUNDS		300

static int device, session, counters[2];

/* Whether debugfs says of the filter called @name that it is called so. */
static bool called(const char *name, const char *how)
{
	char *line = strstr(read_file("/sys/kernel/debug/tprof/filters"), name), *end;

	need(line && (end = strchr(line, '\n')), "debugfs lists the filter %s", name);
	*end = 0;
	return strcmp(strrchr(line, '\t') + 1, how) == 0;
}

static struct bpf_prog_info program_info(int program)
{
	struct bpf_prog_info info = { 0 };
	union bpf_attr ask = { .info = { .bpf_fd = (uint32_t)program, .info_len = sizeof(info),
					 .info = (uintptr_t)&info } };

	need(filter_bpf(BPF_OBJ_GET_INFO_BY_FD, &ask, sizeof(ask)) == 0, "the kernel tells of a program");
	return info;
}

static int counting_program(const struct filter_btf *btf, int counter)
{
	const struct bpf_insn insns[] = {
		ADDRESS_OF_COUNTER(BPF_REG_1, counter),
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_2, .imm = BPF_ADD },
		ANSWER(TPROF_DONE),
	};
	int program = filter_load(btf, insns, sizeof(insns) / sizeof(insns[0]));

	need(program >= 0, "a program that counts");
	return program;
}

/* One filter, attached while the parameter has this value. */
static void one_way(const struct filter_btf *btf, const char *value, const char *how)
{
	int program = counting_program(btf, counters[0]), map, link;
	struct tprof_filter_info filter;

	is(write_file(PARAMETER, value), 0, "direct_calls: %s", value);
	set_counter(counters[0], 0);
	map = make_filter_of(btf, session, how, 0, program);
	link = link_filter(map);
	need(link >= 0, "%s: a filter is attached", how);
	check(called(how, how), "%s: debugfs says so", how);
	burn(100 * MS);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "%s: the session stops", how);
	filter = read_filter_info(session, 0);
	check(filter.calls > 0, "%s: the filter is called", how);
	is(read_counter(counters[0]), filter.calls, "%s: its program runs for each call", how);
	is(program_info(program).run_cnt, filter.calls, "%s: and the kernel's statistics count each run", how);
	is(filter.bad + filter.kept, 0, "%s: each verdict arrives", how);
	need(ioctl(session, TPROF_IOC_START) == 0, "%s: the session starts", how);
	close(link);
	close(map);
	close(program);
}

static struct {
	int programs[2], fd;
	bool end;
} swapper;

static void *swap(void *unused)
{
	for (unsigned int i = 0; !__atomic_load_n(&swapper.end, __ATOMIC_RELAXED); i++)
		dup2(swapper.programs[i % 2], swapper.fd);
	return unused;
}

/* The number of the program that BPF took for the filter. */
static uint32_t program_of(const struct filter_btf *btf, int map)
{
	char *value = calloc(1, btf->value_size);
	uint32_t key = 0, id;
	union bpf_attr attr = { .map_fd = (uint32_t)map, .key = (uintptr_t)&key, .value = (uintptr_t)value };

	need(value && filter_bpf(BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr)) == 0, "the map of a filter is read");
	memcpy(&id, value + btf->data_offset + offsetof(struct filter_ops, sample), sizeof(id));
	free(value);
	return id;
}

/* Returns the program that runs in the filter of @map, 0 or 1; -1: both, or one that BPF does not name. */
static int runs(const struct filter_btf *btf, int map, const uint32_t *ids)
{
	uint64_t seen[2];
	int link = link_filter(map), which;

	need(link >= 0, "a filter is attached");
	for (int i = 0; i < 2; i++)
		set_counter(counters[i], 0);
	do {
		for (int i = 0; i < 2; i++)
			seen[i] = read_counter(counters[i]);
	} while (!seen[0] && !seen[1]);
	close(link);
	which = seen[1] > 0;
	return seen[!which] || program_of(btf, map) != ids[which] ? -1 : which;
}

static void swapped(const struct filter_btf *btf)
{
	uint32_t ids[2], each[2] = { 0 }, wrong = 0, direct = 0;
	pthread_t thread;

	is(write_file(PARAMETER, "Y"), 0, "swapped: direct_calls: Y");
	for (int i = 0; i < 2; i++) {
		swapper.programs[i] = counting_program(btf, counters[i]);
		ids[i] = program_info(swapper.programs[i]).id;
	}
	swapper.fd = dup(swapper.programs[0]);
	need(swapper.fd >= 0 && !pthread_create(&thread, NULL, swap, NULL), "a thread");
	for (int i = 0; i < ROUNDS; i++) {
		int map = make_filter_of(btf, session, "swapped", 0, swapper.fd), which;

		need(map >= 0, "swapped: a filter");
		which = runs(btf, map, ids);
		if (which < 0)
			wrong++;
		else
			each[which]++;
		close(map);
	}
	__atomic_store_n(&swapper.end, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	is(wrong, 0, "swapped: the program that BPF names is the one that runs");
	check(each[0] && each[1], "swapped: either has run");
	for (int i = 0; i < 10; i++) {
		int map = make_filter_of(btf, session, "settled", 0, swapper.fd), link = link_filter(map);

		direct += called("settled", "direct");
		close(link);
		close(map);
	}
	is(direct, 10, "swapped: nothing is left of it");
	diag("one ran %u times, the other %u", each[0], each[1]);
}

int main(void)
{
	union bpf_attr stats = { .enable_stats = { .type = BPF_STATS_RUN_TIME } };
	struct filter_btf btf;
	pid_t spinner = spin();

	device = open_device();
	btf = filter_find_types();
	is(read_file(PARAMETER)[0], 'Y', "direct_calls: on by default");
	is(write_file(PARAMETER, "maybe"), -1, "direct_calls: not every value");
	for (int i = 0; i < 2; i++)
		counters[i] = new_counter();
	need(filter_bpf(BPF_ENABLE_STATS, &stats, sizeof(stats)) >= 0, "run-time statistics are on");
	session = create_session(device);
	need(session >= 0 && add_timer(session, PERIOD) == 0 && ioctl(session, TPROF_IOC_START) == 0,
	     "a session runs");
	one_way(&btf, "Y", "direct");
	one_way(&btf, "N", "trampoline");
	swapped(&btf);
	kill(spinner, SIGKILL);
	waitpid(spinner, NULL, 0);
	return done_testing();
}
