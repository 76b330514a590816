/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Probes of what only a session uses. */
#ifndef TPROF_PROBE_LIST_H
#define TPROF_PROBE_LIST_H

#include "host/finding.h"

/* What holds a session that has given up its rights (probe_sandbox.c). */
void probe_sandbox(struct finding *finding);

/* The maps of JIT compilers (probe_perf_maps.c). */
void probe_perf_maps(struct finding *finding);

#endif
