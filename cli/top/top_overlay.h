/* SPDX-License-Identifier: GPL-2.0-only */
/* The help boxes of `tprof top`. */
#ifndef TPROF_TOP_OVERLAY_H
#define TPROF_TOP_OVERLAY_H

void overlay_help(void);
/* The help of --threads. */
void overlay_help_threads(void);

#endif
