// SPDX-License-Identifier: GPL-2.0-only
/* Prints kept samples, one per line: time, CPU, thread, mode, function. */
#include "run_sample.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/cell.h"
#include "base/json.h"

static enum tprof_mode mode_of(const struct tprof_sample *sample)
{
	if (sample->flags & TPROF_SAMPLE_IDLE)
		return TPROF_MODE_IDLE;
	if (sample->flags & TPROF_SAMPLE_GUEST)
		return TPROF_MODE_GUEST;
	return sample->flags & TPROF_SAMPLE_USER ? TPROF_MODE_USER : TPROF_MODE_KERNEL;
}

/* The name of its event. */
static const char *event_of(const struct run_samples *samples, const struct tprof_sample *sample)
{
	struct tprof_event_info event = { .sz = sizeof(event) };

	return tprof_session__event(samples->session, sample->event, &event) ? "" : event.event;
}

/* @event: NULL if there is one. */
static void print_text(const struct tprof_sample *sample, const struct tprof_symbol *symbol, const char *event)
{
	struct cell comm;

	printf("%" PRIu64 ".%06" PRIu64 " [%03u] %s %7u/%-7u %-6s %s%s%s", (uint64_t)sample->time_ns / 1000000000,
	       (uint64_t)sample->time_ns / 1000 % 1000000, sample->cpu,
	       cell_fit(&comm, sample->comm, TPROF_COMM_LEN - 1), sample->tgid, sample->tid,
	       tprof_mode__name(mode_of(sample)), event ? event : "", event ? ": " : "", symbol->name);
	/* Without a function name, the symbol is the object already. */
	if (symbol->name[0] != '[')
		printf(" (%s)", symbol->object);
	putchar('\n');
}

static int print_json(const struct tprof_sample *sample, const struct tprof_symbol *symbol, const char *event)
{
	json_t *object;
	char ip[24];

	snprintf(ip, sizeof(ip), "0x%" PRIx64, (uint64_t)sample->ip);
	object = json_pack("{so si so so so ss ss so so so so ss}", "time_ns", json_of_count(sample->time_ns),
			   "cpu", sample->cpu, "comm", json_of_text(sample->comm), "pid", json_integer(sample->tgid),
			   "tid", json_integer(sample->tid), "mode", tprof_mode__name(mode_of(sample)), "ip", ip,
			   "symbol", json_of_text(symbol->name), "object", json_of_text(symbol->object),
			   "offset", json_of_count(symbol->offset), "weight", json_of_count(sample->weight),
			   "event", event);
	return json_print(json_pack("{so}", "sample", object));
}

int run_sample_print(void *ctx, const struct tprof_sample *sample)
{
	const struct run_samples *samples = ctx;
	struct tprof_symbol symbol;
	int err;

	err = tprof_session__symbolize(samples->session, (pid_t)sample->tgid, sample->exec_id, sample->ip, &symbol);
	if (err)
		return err;
	if (samples->json)
		err = print_json(sample, &symbol, event_of(samples, sample));
	else
		print_text(sample, &symbol, tprof_session__nr_events(samples->session) > 1 ?
			   event_of(samples, sample) : NULL);
	if (err)
		return err;
	/* Stop reading samples after a write error; fetch_samples() reports it. */
	return ferror(stdout) ? 1 : 0;
}
