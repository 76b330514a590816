// SPDX-License-Identifier: GPL-2.0-only
/*
 * More samples than filters can process: the excess is lost as staging_full, and neither the ledger nor a flush from
 * another CPU waits for the end of the flood.
 * vm: machines=x86-64,x86-64-16
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "process.h"
#include "source.h"

#define FLOODED 0
#define PERIOD 50000

#define DIVIDE { .code = BPF_ALU64 | BPF_DIV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_1 }

/* A short loop for the verifier that takes some milliseconds on an emulated CPU, which is slow at divisions. */
static const struct bpf_insn slow[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 10000 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = -1 },
	DIVIDE, DIVIDE, DIVIDE, DIVIDE, DIVIDE, DIVIDE, DIVIDE, DIVIDE,
	{ .code = BPF_ALU64 | BPF_SUB | BPF_K, .dst_reg = BPF_REG_1, .imm = 1 },
	{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_1, .off = -11, .imm = 0 },
	ANSWER(TPROF_DONE),
};

static int new_session(void)
{
	uint64_t mask = 1 << FLOODED;
	struct tprof_config config = {
		.size = sizeof(config), .budget_permille = 1000,
		.cpus = (uintptr_t)&mask, .cpus_size = sizeof(mask),
	};
	int session = create_session(open_device());

	need(session >= 0, "a session is made");
	is(ioctl(session, TPROF_IOC_CONFIGURE, &config), 0, "it samples one CPU, and its filter may take all of it");
	return session;
}

int main(void)
{
	int session = new_session(), links[2];
	struct tprof_ledger_read ledger;

	pin(FLOODED + 1);
	need(load_source("tprof_nmi", "") == 0, "the source is there");
	is(add_source(session, "nmi", NULL, PERIOD), 0, "an event");
	/* Two filters, so that neither exceeds its budget by using the whole CPU. */
	for (int i = 0; i < 2; i++) {
		links[i] = attach_filter(session, "slow", 0, slow, sizeof(slow) / sizeof(slow[0]));
		check(links[i] >= 0, "a filter that takes long");
	}
	is(ioctl(session, TPROF_IOC_START), 0, "the session starts");
	do {
		burn(10 * MS);
		ledger = read_ledger(session, FLOODED);
	} while (!ledger.lost[TPROF_LOST_STAGING_FULL].samples);
	check(true, "what comes faster than they take it is accounted for while it comes");
	flush(session);
	check(true, "a flush ends while they come");
	is(ioctl(session, TPROF_IOC_STOP), 0, "the session stops");
	ledger = read_ledger(session, -1);
	check(closes(&ledger), "the ledger closes");
	is(ledger.fired.samples, read_nmis().samples, "each NMI is in it");
	is(ledger.lost[TPROF_LOST_STAGING_FULL].samples, lost(&ledger), "nothing is lost for another reason");
	diag("%llu fired, %llu done", ledger.fired.samples, ledger.outcomes[TPROF_OUTCOME_DONE].samples);
	close(links[0]);
	close(links[1]);
	close(session);
	is(unload_source("tprof_nmi"), 0, "the source goes");
	return done_testing();
}
