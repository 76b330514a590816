/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the samples that a filter kept, one per line. */
#ifndef TPROF_RUN_SAMPLE_H
#define TPROF_RUN_SAMPLE_H

#include "tprof.h"

struct run_samples {
	struct tprof_session *session;
	bool json;
};

/* Callback of tprof_session__read_samples(); @ctx is a struct run_samples. */
int run_sample_print(void *ctx, const struct tprof_sample *sample);

#endif
