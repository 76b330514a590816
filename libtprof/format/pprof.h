/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Profiles as pprof files (pprof.proto): what writer and reader agree on beyond the format.
 *
 * Objects are mappings. Of a file the mapping starts at 0 and addresses are bytes of the file. One of the kernel starts
 * in the upper half of the address space, and one whose limit is 0 has marks, such as "[stack table full]". A mapping
 * is named by the path of the file, or by the object where there is none; where the object does not follow from that,
 * the function says it in place of the name that the linker knows. A location with several lines is inlined functions,
 * the innermost first, and the one that has the code. Values are samples and weight. Comments ("tprof.NAME: VALUE")
 * have the rest: pprof_comments.c.
 */
#ifndef TPROF_PPROF_H
#define TPROF_PPROF_H

#include "tprof.h"

/* Of mappings of the kernel, the lowest start. */
#define PPROF_KERNEL_START (UINT64_C(1) << 63)

/* Labels of samples. */
#define PPROF_LABEL_PID "pid"
#define PPROF_LABEL_COMM "comm"
#define PPROF_LABEL_CGROUP "cgroup"
#define PPROF_LABEL_CPU "cpu"
#define PPROF_LABEL_MODE "mode"

/* The object of a mapping that is named like this. */
const char *pprof_object(const char *file);

#endif
