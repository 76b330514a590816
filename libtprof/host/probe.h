/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* What this machine can do: asked by `tprof doctor`, and by whoever was refused something and wants to say why. */
#ifndef TPROF_PROBE_H
#define TPROF_PROBE_H

#include <stdbool.h>

#include "base/error.h"
#include "finding.h"

/*
 * Why nothing works here: the first thing that is required and missing, with what mends it as the hint.
 * Returns 0 and leaves the error alone if all is there; -EPERM (this user may not) or -EOPNOTSUPP (this kernel
 * cannot).
 */
int probe_explain(struct tprof_error *error);

/* The first line of a small file without its newline; false if there is none. */
bool probe_read_line(const char *path, char *line, int size);

/* Does this process have CAP_PERFMON and CAP_BPF, or CAP_SYS_ADMIN, which stands for both? */
bool probe_is_privileged(void);

struct probe {
	const char *name;
	void (*find)(struct finding *finding);
};

/* Those without which nothing works, in the order in which they matter: the first is the reason for what follows. */
#define NR_PROBES_REQUIRED 6
extern const struct probe probes_required[NR_PROBES_REQUIRED];

/* What an engine needs (probe_engine.c). */
void probe_privileges(struct finding *finding);
void probe_kernel(struct finding *finding);
void probe_perf(struct finding *finding);
void probe_bpf(struct finding *finding);
void probe_btf(struct finding *finding);
void probe_lockdown(struct finding *finding);

/* What makes it better (probe_extras.c). */
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
