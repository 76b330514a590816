/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A captured sample. It is captured in the context in which its source fires, and delivered to sessions in hard
 * interrupt context (deliver.h): immediately if it was captured there, else through the staging buffer (stage.h).
 */
#ifndef _TPROF_SAMPLE_H
#define _TPROF_SAMPLE_H

#include <linux/ptrace.h>
#include <linux/sched.h>

#include "uapi/tprof_device.h"

/* A filter gets a pointer to @sample; the kfuncs get from it to the other members with container_of(). */
struct tprof_capture {
	struct tprof_sample sample;		/* first member */
	struct task_struct *task;		/* the sampled task; holds a reference if the sample is staged */
	struct pt_regs *regs;			/* of the interrupted code; NULL if the sample is staged */
	const u64 *frames;			/* kernel call stack captured while staging, leaf first */
	u32 nr_frames;
	u64 clock;				/* tprof_clock(); what comes after is charged to the next filter */
};

static inline const struct tprof_capture *tprof_capture_of(const struct tprof_sample *sample)
{
	return container_of(sample, struct tprof_capture, sample);
}

int tprof_sample_init(void);
void tprof_sample_exit(void);

#endif
