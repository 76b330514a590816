/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/tprof. The last thing to come and the first to go. */
#ifndef _TPROF_CHARDEV_H
#define _TPROF_CHARDEV_H

int tprof_chardev_init(void);
void tprof_chardev_exit(void);

#endif
