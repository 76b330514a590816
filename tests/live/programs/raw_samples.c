// SPDX-License-Identifier: GPL-2.0-only
/* Prints a raw recording for raw.sh: a line "CPU TIME SAMPLES WEIGHT TID THREAD LEAF" for each sample. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "tprof.h"

static int print(void *ctx, const struct tprof_raw_info *info, const struct tprof_raw_sample *sample)
{
	(void)ctx;
	printf("%d %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %s %s\n", sample->cpu, sample->time_ns - info->start_ns,
	       sample->samples, sample->weight, sample->tid, sample->thread, sample->frames[0]->symbol);
	return 0;
}

int main(int argc, char **argv)
{
	struct tprof_raw_sum sum = { .sz = sizeof(sum) };
	struct tprof_error error;
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1, err;

	if (fd < 0)
		return 2;
	err = tprof_raw__each(fd, argv[1], NULL, print, NULL, &sum, &error);
	close(fd);
	if (err) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	fprintf(stderr, "%" PRIu64 " %" PRIu64 " %s\n", sum.samples, sum.weight, sum.complete ? "complete" : "cut");
	return 0;
}
