/* SPDX-License-Identifier: GPL-2.0-only */
/* The calls and instructions that filters may have, so that each call of a filter has an end that the verifier saw. */
#ifndef _TPROF_FILTER_CALLS_H
#define _TPROF_FILTER_CALLS_H

#include <linux/bpf.h>

/* Implements get_func_proto of the verifier: NULL if filters may not call the helper. */
const struct bpf_func_proto *tprof_filter_helper(enum bpf_func_id id, const struct bpf_prog *prog);

/*
 * To be called before the verifier walks the program. Tests that it calls no kernel function (kfunc) that filters may
 * not call, has no loop of may_goto, and that all its functions are static.
 */
bool tprof_filter_program_allowed(const struct bpf_prog *prog);

#endif
