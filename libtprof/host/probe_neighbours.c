// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Reports which other BPF programs keep the perf engine from taking samples. Measures their run time for a moment. */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "bpf_neighbours.h"
#include "probe.h"

/* Long enough to see a program that runs a thousand times a second. */
#define WATCHED_US 100000
/* In percent of one CPU. Programs below this do not distort a profile noticeably. */
#define WORTH_A_WORD_PERCENT 1.0

/* The run time at the first reading; 0 if the program was loaded after it. */
static uint64_t ran_before(const struct bpf_neighbours *before, __u32 id)
{
	for (size_t i = 0; i < before->nr; i++) {
		if (before->programs[i].id == id)
			return before->programs[i].run_ns;
	}
	return 0;
}

static void judge(struct finding *finding, const struct bpf_neighbours *before, const struct bpf_neighbours *after,
		  uint64_t elapsed_ns)
{
	char busy[160] = "";
	size_t length = 0;

	for (size_t i = 0; i < after->nr; i++) {
		const struct bpf_neighbour *program = &after->programs[i];
		uint64_t ran_ns = program->run_ns - ran_before(before, program->id);
		double percent = 100.0 * (double)ran_ns / (double)elapsed_ns;

		if (percent < WORTH_A_WORD_PERCENT || length >= sizeof(busy))
			continue;
		length += (size_t)snprintf(busy + length, sizeof(busy) - length, "%s%s %s %.1f %%", length ? ", " : "",
					   program->kind, program->name, percent);
	}
	if (busy[0])
		finding_missing(finding, EBUSY, "no samples are taken while these run, in %% of a CPU: %s%s", busy,
				length >= sizeof(busy) ? "..." : "");
	else
		finding_ok(finding, "%zu loaded that prevent samples while they run; none runs for long", after->nr);
}

/* The kernel counts run time only while somebody has enabled the statistics. */
static int read_twice(struct bpf_neighbours *before, struct bpf_neighbours *after, uint64_t *elapsed_ns)
{
	int counting = bpf_enable_stats(BPF_STATS_RUN_TIME), err;

	if (counting < 0)
		return counting;
	*elapsed_ns = clock_own_ns();
	err = bpf_neighbours_read(before, NULL, 0);
	if (!err && before->nr)
		usleep(WATCHED_US);
	if (!err)
		err = bpf_neighbours_read(after, NULL, 0);
	*elapsed_ns = clock_own_ns() - *elapsed_ns;
	close(counting);
	return err;
}

void probe_neighbours(struct finding *finding)
{
	struct bpf_neighbours before = { NULL, 0 }, after = { NULL, 0 };
	uint64_t elapsed_ns;
	int err = read_twice(&before, &after, &elapsed_ns);

	if (err)
		finding_ok(finding, "cannot be listed: %s", strerror(-err));
	else
		judge(finding, &before, &after, elapsed_ns);
	bpf_neighbours_fini(&before);
	bpf_neighbours_fini(&after);
}
