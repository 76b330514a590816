/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Probes for `tprof doctor` of features that only sessions use. */
#ifndef TPROF_PROBE_LIST_H
#define TPROF_PROBE_LIST_H

#include "host/finding.h"

/* The parts of the sandbox of a session (probe_sandbox.c). */
void probe_sandbox(struct finding *finding);

/* The perf-PID.map files of JIT compilers (probe_perf_maps.c). */
void probe_perf_maps(struct finding *finding);

#endif
