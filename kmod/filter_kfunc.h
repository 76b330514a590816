/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions that filters call: walks of call stacks, and owners. */
#ifndef _TPROF_FILTER_KFUNC_H
#define _TPROF_FILTER_KFUNC_H

/* Errors: those of the kernel. */
int tprof_filter_kfunc_init(void);

#endif
