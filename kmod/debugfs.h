/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of sources, sessions and filters for root. Optional: the module works without debugfs. */
#ifndef _TPROF_DEBUGFS_H
#define _TPROF_DEBUGFS_H

void tprof_debugfs_init(void);
void tprof_debugfs_exit(void);

#endif
