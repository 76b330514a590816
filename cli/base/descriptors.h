/* SPDX-License-Identifier: GPL-2.0-only */
/* The file descriptors of this process and their limit. */
#ifndef TPROF_CLI_DESCRIPTORS_H
#define TPROF_CLI_DESCRIPTORS_H

/*
 * Call this before opening any file. If a standard descriptor is closed, the next open() would reuse its number, and
 * output would go to that file: such descriptors are opened on /dev/null, where reads return end of file and writes
 * fail. The limit of open files is raised to the hard limit: perf needs several descriptors per CPU, and the usual
 * limit of 1,024 is too low on large machines.
 */
void descriptors_prepare(void);

/* Call this in a child before exec: restores the inherited limit, because older programs fail with a high one. */
void descriptors_give_back(void);

#endif
