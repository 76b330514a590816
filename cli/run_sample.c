// SPDX-License-Identifier: GPL-2.0-only
/* Samples that a filter kept, one per line: time, CPU, who, mode, where. */
#include "run_sample.h"

#include <inttypes.h>
#include <stdio.h>

#include "cell.h"
#include "json.h"

static enum tprof_mode mode_of(const struct tprof_sample *sample)
{
	if (sample->flags & TPROF_SAMPLE_IDLE)
		return TPROF_MODE_IDLE;
	if (sample->flags & TPROF_SAMPLE_GUEST)
		return TPROF_MODE_GUEST;
	return sample->flags & TPROF_SAMPLE_USER ? TPROF_MODE_USER : TPROF_MODE_KERNEL;
}

static void print_text(const struct tprof_sample *sample, const struct tprof_symbol *symbol)
{
	struct cell comm;

	printf("%" PRIu64 ".%06" PRIu64 " [%03u] %s %7u/%-7u %-6s %s", (uint64_t)sample->time_ns / 1000000000,
	       (uint64_t)sample->time_ns / 1000 % 1000000, sample->cpu,
	       cell_fit(&comm, sample->comm, TPROF_COMM_LEN - 1), sample->tgid, sample->tid,
	       tprof_mode__name(mode_of(sample)), symbol->name);
	/* A function without a name is called by its object already. */
	if (symbol->name[0] != '[')
		printf(" (%s)", symbol->object);
	putchar('\n');
}

static void print_json(const struct tprof_sample *sample, const struct tprof_symbol *symbol)
{
	struct json_object *object = json_object_new_object(), *line = json_object_new_object();
	char ip[24];

	snprintf(ip, sizeof(ip), "0x%" PRIx64, (uint64_t)sample->ip);
	json_set_number(object, "time_ns", (int64_t)sample->time_ns);
	json_set_number(object, "cpu", sample->cpu);
	json_set_text(object, "comm", sample->comm);
	json_set_number(object, "pid", sample->tgid);
	json_set_number(object, "tid", sample->tid);
	json_set_text(object, "mode", tprof_mode__name(mode_of(sample)));
	json_set_text(object, "ip", ip);
	json_set_text(object, "symbol", symbol->name);
	json_set_text(object, "object", symbol->object);
	json_set_number(object, "offset", (int64_t)symbol->offset);
	json_set_number(object, "weight", (int64_t)sample->weight);
	json_object_object_add(line, "sample", object);
	json_print(line);
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
		print_json(sample, &symbol);
	else
		print_text(sample, &symbol);
	/* Nobody reads on: no use in reading the rest. fetch_samples() says why. */
	return ferror(stdout) ? 1 : 0;
}
