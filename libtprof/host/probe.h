/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Checks of this machine's capabilities, for `tprof doctor` and for explaining why an operation was refused. */
#ifndef TPROF_PROBE_H
#define TPROF_PROBE_H

#include <stdbool.h>

#include "base/error.h"
#include "finding.h"

/*
 * Explains why sampling fails: reports the first required item that is missing, with the fix as the hint. Returns 0 and
 * leaves @error unchanged if nothing is missing; -EPERM (this user lacks permission) or -EOPNOTSUPP (this kernel lacks
 * support).
 */
int probe_explain(struct tprof_error *error);

/* Reads the first line of a small file without its newline; false if there is none. */
bool probe_read_line(const char *path, char *line, int size);

/* Does this process have CAP_PERFMON and CAP_BPF, or CAP_SYS_ADMIN, which includes both? */
bool probe_is_privileged(void);

struct probe {
	const char *name;
	void (*find)(struct finding *finding);
};

/* Requirements of every session, ordered so that an earlier one can be the cause of later ones. */
#define NR_PROBES_REQUIRED 6
extern const struct probe probes_required[NR_PROBES_REQUIRED];

/* Requirements of an engine (probe_engine.c). */
void probe_privileges(struct finding *finding);
void probe_kernel(struct finding *finding);
void probe_perf(struct finding *finding);
void probe_bpf(struct finding *finding);
void probe_btf(struct finding *finding);
void probe_lockdown(struct finding *finding);

/* Optional features (probe_extras.c). */
void probe_pmu(struct finding *finding);
void probe_kallsyms(struct finding *finding);
void probe_paranoid(struct finding *finding);
void probe_unprivileged_bpf(struct finding *finding);
void probe_jit(struct finding *finding);
void probe_max_rate(struct finding *finding);
void probe_bpffs(struct finding *finding);
void probe_cgroup(struct finding *finding);
void probe_pid_namespace(struct finding *finding);
void probe_time_namespace(struct finding *finding);
void probe_debug_symbols(struct finding *finding);

/* Other BPF programs (probe_neighbours.c). */
void probe_neighbours(struct finding *finding);

/* The kernel module (probe_module.c). */
void probe_module(struct finding *finding);

#endif
