// SPDX-License-Identifier: GPL-2.0-only
/*
 * The example source of docs/sources.md has the documented samples, with the task that caused them.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "process.h"
#include "samples.h"
#include "source.h"

#define PERIOD 100

static const struct bpf_insn keep[] = { ANSWER(TPROF_KEEP) };

struct seen {
	unsigned int mine, user;
	uint64_t weights, bytes;
};

static void look(const struct tprof_sample *sample, void *ctx)
{
	struct seen *seen = ctx;

	seen->mine += (pid_t)sample->tid == getpid();
	seen->user += !!(sample->flags & TPROF_SAMPLE_USER);
	seen->weights = seen->weights * 1000 + sample->weight;
	seen->bytes = seen->bytes * 1000 + sample->data;
}

static void sink(size_t size)
{
	FILE *file = open_parameter("tprof_sink", "bytes", "w");

	need(fprintf(file, "%0*d", (int)size, 0) == (int)size && fclose(file) == 0, "bytes are written");
}

int main(void)
{
	int session = create_session(open_device()), link;
	struct tprof_ledger_read ledger;
	struct seen seen = { 0 };

	pin(0);
	need(session >= 0, "a session is made");
	need(load_source("tprof_sink", "") == 0, "the source is there");
	is(configure(session, 0, 65536), 0, "it has a stream");
	is(add_source(session, "sink", NULL, PERIOD), 0, "an event");
	link = attach_filter(session, "keep", 0, keep, 2);
	check(link >= 0, "a filter that keeps all samples");
	is(ioctl(session, TPROF_IOC_START), 0, "the session starts");
	/* The remainder of the period after each write: 60, 20, 90, 5. */
	sink(60);
	sink(60);
	sink(370);
	sink(15);
	is(ioctl(session, TPROF_IOC_STOP), 0, "the session stops");
	sink(500);
	is(read_samples(session, look, &seen), 3, "a sample as often as a period was full");
	is(seen.weights, 100300100, "in whole periods");
	is(seen.bytes, 60370015, "from the writes that filled it");
	is(seen.mine, 3, "of this task");
	is(seen.user, 3, "in user mode");
	ledger = read_ledger(session, -1);
	is(ledger.fired.weight, 500, "the ledger has their weight");
	check(closes(&ledger), "and closes");
	close(link);
	close(session);
	is(unload_source("tprof_sink"), 0, "the source goes");
	return done_testing();
}
