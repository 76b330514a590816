/* SPDX-License-Identifier: GPL-2.0-only */
/* The struct_ops type of filters. */
#ifndef _TPROF_FILTER_STRUCT_OPS_H
#define _TPROF_FILTER_STRUCT_OPS_H

/* Errors: those of the kernel; EOPNOTSUPP without BTF. */
int tprof_filter_struct_ops_init(void);

#endif
