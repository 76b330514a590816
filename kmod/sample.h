/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A captured sample. It is captured in the context in which its source fires, and delivered to sessions in hard
 * interrupt context (deliver.h): immediately if it was captured there, else through the staging buffer (stage.h).
 */
#ifndef _TPROF_SAMPLE_H
#define _TPROF_SAMPLE_H

#include <linux/ptrace.h>
#include <linux/sched.h>

#include "clock.h"
#include "source.h"
#include "uapi/tprof_wait.h"

/*
 * A filter gets a pointer to @sample, @wait or @wakeup; the kfuncs get from it to the other members with
 * container_of().
 */
struct tprof_capture {
	union {					/* first member */
		struct tprof_sample sample;
		struct tprof_wait wait;		/* with TPROF_SAMPLE_WAIT */
		struct tprof_wakeup wakeup;	/* with TPROF_SAMPLE_WAKEUP */
	};
	struct task_struct *task;		/* the sampled task; holds a reference if the sample is staged */
	struct pt_regs *regs;			/* of the interrupted code; NULL if the sample is staged */
	const u64 *frames;			/* kernel call stack captured while staging, leaf first */
	u32 nr_frames;
	u32 nr_user_frames;			/* of waits and runs, also @user_frames: captured with the kernel's */
	const u64 *user_frames;
	struct task_struct *woken;		/* of wake-ups only, which are staged; holds a reference */
	u64 clock;				/* c: tprof_clock() when the next filter's time began; NMIs move it */
	u64 walks_clock;			/* the clock at the last walk of a filter: another one, another call */
	u32 nr_walks;				/* in that call */
};

/* Time up to now is not charged to the next filter. Returns tprof_clock(). An NMI may come at any time. */
static __always_inline u64 tprof_capture_restart(struct tprof_capture *c)
{
	const u64 now = tprof_clock();

	WRITE_ONCE(c->clock, now);
	return now;
}

static inline const struct tprof_capture *tprof_capture_of(const struct tprof_sample *sample)
{
	return container_of(sample, struct tprof_capture, sample);
}

/*
 * tprof_source_fire() for a source's own hard interrupt: no NMI, no task context, and no re-entry, because interrupts
 * are disabled during a delivery. @time_ns: CLOCK_MONOTONIC.
 */
void tprof_source_fire_irq(struct tprof_source *source, struct pt_regs *regs, u64 weight, u64 time_ns);

/*
 * tprof_source_fire() for events that fire synchronously in the code that triggers them (software events, tracepoints,
 * breakpoints). During a delivery that code is a filter, also where in_nmi() is true, since exceptions look like NMIs.
 * Such a sample is counted as reentry: if it were staged, its delivery would trigger the next one, without end.
 */
void tprof_source_fire_caused(struct tprof_source *source, struct pt_regs *regs, u64 weight, u64 addr, u64 data);

/*
 * Fills the members that describe the task, as seen in the initial pid namespace, after the flags. Interrupts disabled.
 */
void tprof_capture_task(struct tprof_sample *s, struct task_struct *task);
/* Likewise of a task that may exit meanwhile, which has no memory, or runs this program image. */
void tprof_capture_other(struct tprof_sample *s, struct task_struct *task, bool has_mm, u32 exec_id);
/*
 * Counts a sample that is not captured; a delivery adds it to the ledgers. Interrupts disabled, or NMI.
 */
void tprof_sample_missed(struct tprof_source *source, enum tprof_missed_reason reason, u64 weight);
/* The kernel has panicked: nothing more is sampled. */
bool tprof_sample_panicking(void);

/*
 * c: the sample that is captured and delivered immediately; in other contexts with interrupts disabled, scratch space
 */
DECLARE_PER_CPU(struct tprof_capture, tprof_captures);

int tprof_sample_init(void);
void tprof_sample_exit(void);

#endif
