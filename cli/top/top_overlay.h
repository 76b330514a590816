/* SPDX-License-Identifier: GPL-2.0-only */
/* The help box of `tprof top`. */
#ifndef TPROF_TOP_OVERLAY_H
#define TPROF_TOP_OVERLAY_H

void overlay_help(void);

#endif
