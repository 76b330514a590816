/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples that a filter kept, one per line. */
#ifndef TPROF_RUN_SAMPLE_H
#define TPROF_RUN_SAMPLE_H

#include "tprof.h"

struct run_samples {
	struct tprof_session *session;
	bool json;
};

/* For tprof_session__read_samples(), with struct run_samples as the context. */
int run_sample_print(void *ctx, const struct tprof_sample *sample);

#endif
