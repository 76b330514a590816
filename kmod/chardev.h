/* SPDX-License-Identifier: GPL-2.0-only */
/* The character device /dev/tprof. Registered last when the module is loaded, removed first when it is unloaded. */
#ifndef _TPROF_CHARDEV_H
#define _TPROF_CHARDEV_H

int tprof_chardev_init(void);
void tprof_chardev_exit(void);

#endif
