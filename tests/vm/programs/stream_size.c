// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream_size ENGINE: kept samples that are not read fill a stream of the requested size, and the others are lost as
 * stream_full; engine kmod does not call the filter for these, if told so. Prints TAP.
 */
#include "changes.h"

#define PERIOD_NS 200000

static const char *engine;

static int count(void *ctx, const struct tprof_sample *sample)
{
	(void)sample;
	++*(unsigned long *)ctx;
	return 0;
}

static unsigned long read_all(struct tprof_session *session)
{
	unsigned long nr = 0;

	if (tprof_session__read_samples(session, count, &nr) < 0)
		bail("read", tprof_session__error(session));
	return nr;
}

static bool is_kmod(void)
{
	return strcmp(engine, "kmod") == 0;
}

/* Number of calls of the filter; only engine kmod knows it. */
static uint64_t calls(struct tprof_session *session)
{
	struct tprof_filter_state state = { .sz = sizeof(state) };

	return is_kmod() && !tprof_session__filter_state(session, 0, &state) ? state.calls : 0;
}

/* Samples one CPU until the stream is full. Returns the number of samples in it. */
static unsigned long fill(size_t bytes, bool stall)
{
	TPROF_OPTS(tprof_session_opts, opts, .engine = engine, .event = "cpu-clock", .period = PERIOD_NS, .cpus = "0",
		   .stream_bytes = bytes, .stall = stall);
	struct tprof_session *session = start_session(&opts, "pass");
	const struct tprof_tally *lost, *kept;
	unsigned long nr, again;
	struct tprof_ledger ledger;
	uint64_t called, more, before;

	/* On a slow machine, the stream may have been full before this. */
	read_all(session);
	ledger = ledger_of(session);
	before = ledger.lost[TPROF_LOST_STREAM_FULL].samples;
	for (int i = 0; i < 3000; i++) {
		ledger = ledger_of(session);
		if (ledger.lost[TPROF_LOST_STREAM_FULL].samples > before + 10)
			break;
		usleep(10000);
	}
	called = calls(session);
	usleep(100000);
	more = calls(session) - called;
	tell(!is_kmod() || (stall ? more == 0 : more > 0), "%zu bytes%s: %" PRIu64 " calls while it was full", bytes,
	     stall ? ", stall" : "", more);
	nr = read_all(session);
	usleep(200000);
	again = read_all(session);
	tell(nr > 0 && again > 0, "%zu bytes: %lu samples, and %lu once they were read", bytes, nr, again);
	tprof_session__stop(session);
	ledger = ledger_of(session);
	lost = &ledger.lost[TPROF_LOST_STREAM_FULL];
	kept = &ledger.outcomes[TPROF_OUTCOME_KEPT];
	tell(!tprof_ledger__difference(&ledger).samples && lost->samples && kept->samples >= nr + again,
	     "%zu bytes: the ledger closes: %" PRIu64 " kept, %" PRIu64 " lost", bytes, (uint64_t)kept->samples,
	     (uint64_t)lost->samples);
	tprof_session__close(session);
	return nr;
}

int main(int argc, char **argv)
{
	TPROF_OPTS(tprof_session_opts, stall, .engine = argc > 1 ? argv[1] : "perf", .stall = true);
	struct tprof_error error = { 0 };
	const pid_t busy = spin(), other = spin();
	unsigned long small, large;

	engine = stall.engine;
	small = fill(4096, false);
	large = fill(32768, is_kmod());
	/* A record of a sample has its size and a header; records of the stream itself may be between them. */
	tell(small <= 4096 / sizeof(struct tprof_sample) && small >= 4096 / sizeof(struct tprof_sample) / 2 &&
	     large > 6 * small && large <= 32768 / sizeof(struct tprof_sample),
	     "%lu and %lu samples of %zu bytes", small, large, sizeof(struct tprof_sample));
	if (!is_kmod())
		tell(!tprof_session__open(&stall, &error) && errno == EOPNOTSUPP && strstr(error.text, "stall"),
		     "stall: %s", error.text);
	end(busy);
	end(other);
	printf("1..%d\n", nr_told);
	return nr_failed > 0;
}
