// SPDX-License-Identifier: GPL-2.0-only
/*
 * NMIs interrupt all kinds of code: filters that change a table, system calls that change the same table, the module
 * while it handles its timer, sections with interrupts disabled. Filters do not run in the NMI, so each sample is
 * counted, and none finds the table locked.
 * vm: machines=x86-64,x86-64-16 all=x86-64
 */
#include <pthread.h>
#include <stdatomic.h>

#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "source.h"

#define NR_KEYS 1024			/* of the shared table */
#define IN_IRQ (1 << 16)		/* in the key of a count: an interrupt handler was running */

struct counting {
	const char *name;
	int session, link, counts;
	uint64_t fired, in_irq;			/* set after it has stopped */
};

static atomic_bool over;
static int shared;

static int new_map(uint32_t nr)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_HASH, .key_size = sizeof(uint32_t), .value_size = sizeof(uint64_t),
		.max_entries = nr,
	};
	int fd = (int)filter_bpf(BPF_MAP_CREATE, &attr, sizeof(attr));

	need(fd >= 0, "a table is made");
	return fd;
}

static long on_map(int command, int fd, uint32_t key, uint64_t *value)
{
	union bpf_attr attr = { .map_fd = (uint32_t)fd, .key = (uintptr_t)&key, .value = (uintptr_t)value };

	return filter_bpf(command, &attr, sizeof(attr));
}

/* Makes a map with two counts for each CPU: in interrupt handlers and elsewhere. */
static int new_counts(void)
{
	int fd = new_map(4096);
	uint64_t zero = 0;

	for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		for (uint32_t irq = 0; irq <= IN_IRQ; irq += IN_IRQ)
			need(on_map(BPF_MAP_UPDATE_ELEM, fd, (uint32_t)cpu | irq, &zero) == 0, "a count is made");
	}
	return fd;
}

#define MOVE(to, from) { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from) }
#define ON_STACK(to, offset) MOVE(to, BPF_REG_10), \
	{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (to), .imm = (offset) }
#define MAP(to, fd) \
	{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = (to), .src_reg = BPF_PSEUDO_MAP_FD, .imm = (fd) }, { 0 }
#define CALL(helper) { .code = BPF_JMP | BPF_CALL, .imm = (helper) }

/*
 * The filter increments counts[CPU and context], sets shared[time % NR_KEYS], and returns an invalid verdict on error.
 */
static int attach_counting(int session, const char *name, int counts)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1 },
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = BPF_REG_7, .src_reg = BPF_REG_6,
		  .off = offsetof(struct tprof_sample, flags) },
		{ .code = BPF_ALU64 | BPF_AND | BPF_K, .dst_reg = BPF_REG_7, .imm = TPROF_SAMPLE_IRQ },
		{ .code = BPF_ALU64 | BPF_MUL | BPF_K, .dst_reg = BPF_REG_7, .imm = IN_IRQ / TPROF_SAMPLE_IRQ },
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_6,
		  .off = offsetof(struct tprof_sample, cpu) },
		{ .code = BPF_ALU64 | BPF_OR | BPF_X, .dst_reg = BPF_REG_7, .src_reg = BPF_REG_1 },
		{ .code = BPF_STX | BPF_MEM | BPF_W, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_7, .off = -4 },
		MAP(BPF_REG_1, counts),
		ON_STACK(BPF_REG_2, -4),
		CALL(BPF_FUNC_map_lookup_elem),
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = 17 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_1, .imm = BPF_ADD },
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_7, .src_reg = BPF_REG_6,
		  .off = offsetof(struct tprof_sample, time_ns) },
		{ .code = BPF_ALU64 | BPF_AND | BPF_K, .dst_reg = BPF_REG_7, .imm = NR_KEYS - 1 },
		{ .code = BPF_STX | BPF_MEM | BPF_W, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_7, .off = -4 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_7, .off = -16 },
		MAP(BPF_REG_1, shared),
		ON_STACK(BPF_REG_2, -4),
		ON_STACK(BPF_REG_3, -16),
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_4, .imm = BPF_ANY },
		CALL(BPF_FUNC_map_update_elem),
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_0, .off = 2 },
		ANSWER(TPROF_DONE),
		ANSWER(TPROF_KEEP + 1),
	};
	int link = attach_filter(session, name, 0, program, sizeof(program) / sizeof(program[0]));

	need(link >= 0, "%s: a filter that counts", name);
	return link;
}

static int configure_budget(int session, uint32_t permille)
{
	struct tprof_config config = { .size = sizeof(config), .budget_permille = permille };

	return ioctl(session, TPROF_IOC_CONFIGURE, &config);
}

static struct counting start(const char *name, uint64_t period)
{
	struct counting c = { .name = name, .session = create_session(open_device()), .counts = new_counts() };

	need(c.session >= 0, "%s: a session is made", name);
	/* The time of a filter includes the time in which the virtual CPU waits for a real one. */
	is(configure_budget(c.session, 1000), 0, "%s: filters may take what they need", name);
	is(strcmp(name, "timer") ? add_source(c.session, name, NULL, period) : add_timer(c.session, period), 0,
	   "%s: an event", name);
	c.link = attach_counting(c.session, name, c.counts);
	is(ioctl(c.session, TPROF_IOC_START), 0, "%s: the session starts", name);
	return c;
}

static void stop(struct counting *c)
{
	struct tprof_ledger_read ledger;
	uint64_t counted = 0, value;

	is(ioctl(c->session, TPROF_IOC_STOP), 0, "%s: the session stops", c->name);
	ledger = read_ledger(c->session, -1);
	for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		need(on_map(BPF_MAP_LOOKUP_ELEM, c->counts, (uint32_t)cpu | IN_IRQ, &value) == 0, "a count is read");
		c->in_irq += value;
		counted += value;
		need(on_map(BPF_MAP_LOOKUP_ELEM, c->counts, (uint32_t)cpu, &value) == 0, "a count is read");
		counted += value;
	}
	check(closes(&ledger), "%s: the ledger closes", c->name);
	is(counted, ledger.fired.samples, "%s: each sample was counted", c->name);
	is(ledger.lost[TPROF_LOST_BAD_VERDICT].samples, 0, "%s: none found the table locked", c->name);
	is(ledger.lost[TPROF_LOST_OVER_BUDGET].samples, 0, "%s: no filter is over its budget", c->name);
	is(lost(&ledger), 0, "%s: nothing is lost", c->name);
	c->fired = ledger.fired.samples;
	diag("%s: %llu samples, %llu in interrupt handlers", c->name, (unsigned long long)c->fired,
	     (unsigned long long)c->in_irq);
	close(c->link);
	close(c->session);
	close(c->counts);
}

/* Changes the shared table with system calls; only documented errors are permitted. */
static void *change_table(void *unused)
{
	uint64_t value = 0;

	for (uint32_t i = 0; !over; i++) {
		uint32_t key = i * 7919 % NR_KEYS;

		if (on_map(BPF_MAP_UPDATE_ELEM, shared, key, &value))
			return "update";
		if (on_map(BPF_MAP_DELETE_ELEM, shared, (key + NR_KEYS / 2) % NR_KEYS, NULL) && errno != ENOENT)
			return "delete";
		if (on_map(BPF_MAP_LOOKUP_ELEM, shared, key, &value) && errno != ENOENT)
			return "lookup";
	}
	return unused;
}

/* Fires NMIs while interrupts are disabled. */
static void *burst(void *unused)
{
	while (!over) {
		if (!write_parameter("tprof_nmi", "burst", 20))
			return "burst";
		usleep(10000);
	}
	return unused;
}

int main(void)
{
	void *(*const work[])(void *) = { change_table, change_table, burst };
	pthread_t threads[3];
	struct counting nmi, timer;

	shared = new_map(4 * NR_KEYS);
	need(load_source("tprof_nmi", "") == 0, "the source is there");
	/* The timer starts first: the kernel then patches the idle loop, which NMIs would delay on an emulated CPU. */
	timer = start("timer", 200000);
	nmi = start("nmi", 200000);
	for (int i = 0; i < 3; i++)
		need(pthread_create(&threads[i], NULL, work[i], NULL) == 0, "there is work");
	sleep(3);
	over = true;
	for (int i = 0; i < 3; i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		check(!failed, "the work was done%s%s", failed ? ", but for: " : "", failed ? (char *)failed : "");
	}
	stop(&nmi);
	stop(&timer);
	is(nmi.fired, read_nmis().samples, "each NMI was a sample");
	check(nmi.in_irq > 0, "some have hit interrupt handlers");
	is(unload_source("tprof_nmi"), 0, "the source goes");
	return done_testing();
}
