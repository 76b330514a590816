/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sample on its way: captured in whatever context its source fires in, delivered to sessions in hard interrupt
 * context (deliver.h), at once if that is where it was captured, else through the staging buffer (stage.h).
 */
#ifndef _TPROF_SAMPLE_H
#define _TPROF_SAMPLE_H

#include <linux/ptrace.h>
#include <linux/sched.h>

#include "uapi/tprof_device.h"

/* What a filter gets is a pointer to @sample; our functions that filters call find the rest behind it. */
struct tprof_capture {
	struct tprof_sample sample;		/* first */
	struct task_struct *task;		/* who was running; with a reference if it was staged */
	struct pt_regs *regs;			/* of what was interrupted; NULL if it was staged */
	const u64 *frames;			/* kernel stack taken in NMI, leaf first */
	u32 nr_frames;
	u64 clock;				/* tprof_clock() before the first filter, then behind each */
};

static inline const struct tprof_capture *tprof_capture_of(const struct tprof_sample *sample)
{
	return container_of(sample, struct tprof_capture, sample);
}

int tprof_sample_init(void);
void tprof_sample_exit(void);

#endif
