/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Profiles as pprof files (pprof.proto): conventions of writer and reader beyond the format.
 *
 * - Objects are mappings. The mapping of a file starts at 0, and addresses in it are file offsets. A mapping of the
 *   kernel starts in the upper half of the address space. A mapping whose limit is 0 contains marks, such as "[stack
 *   table full]".
 * - A mapping is named by the path of the file, or by the object if there is no path. If the object does not follow
 *   from that name, the function has it in place of the linkage name.
 * - A location with several lines has inlined functions, innermost first, and then the function that contains the code.
 * - Values are samples and weight; of several events, those of each, named EVENT_samples and EVENT. Comments
 *   ("tprof.NAME: VALUE") have everything else: pprof_comments.c. Of several events, those without an event have the
 *   sum of the ledgers and the first event, and "tprof.event.INDEX.NAME: VALUE" has the same for each event alone.
 */
#ifndef TPROF_PPROF_H
#define TPROF_PPROF_H

#include "tprof.h"

/* The lowest start of a kernel mapping. */
#define PPROF_KERNEL_START (UINT64_C(1) << 63)

/* Labels of samples. */
#define PPROF_LABEL_PID "pid"
#define PPROF_LABEL_COMM "comm"
#define PPROF_LABEL_CGROUP "cgroup"
#define PPROF_LABEL_OWNER "owner"
#define PPROF_LABEL_CPU "cpu"
#define PPROF_LABEL_MODE "mode"

/* The end of the name of a number of samples, if there are several events. */
#define PPROF_SAMPLES_SUFFIX "_samples"

/* The object of a mapping with this name. */
const char *pprof_object(const char *file);

#endif
