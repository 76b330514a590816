/* SPDX-License-Identifier: GPL-2.0-only */
/* The helpers and functions of the kernel that filters may call. */
#ifndef _TPROF_FILTER_CALLS_H
#define _TPROF_FILTER_CALLS_H

#include <linux/bpf.h>

/* Implements get_func_proto of the verifier: NULL if filters may not call the helper. */
const struct bpf_func_proto *tprof_filter_helper(enum bpf_func_id id, const struct bpf_prog *prog);

/* Tests whether filters may call all kernel functions (kfuncs) that the program calls. */
bool tprof_filter_kfuncs_allowed(const struct bpf_prog *prog);

#endif
