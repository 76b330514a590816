/* SPDX-License-Identifier: GPL-2.0-only */
/* Delivery of samples to sessions, with interrupts disabled. */
#ifndef _TPROF_DELIVER_H
#define _TPROF_DELIVER_H

#include <linux/percpu-defs.h>

#include "sample.h"

struct tprof_source;

/*
 * The cost of delivery, without filters, is measured for one sample in so many, and taken to be that of all. Which ones
 * is decided by bits of the clock, because it is at hand, and a sample is as likely to come at one time as at another.
 */
#define TPROF_MEASURED_EVERY	256U

struct tprof_delivery {
	struct tprof_capture *running;		/* c: the sample that is being delivered, or NULL */
	bool missed;				/* c: a source has missed samples on this CPU; set in any context */
	u64 busy;				/* c: time that samples took, in tprof_clock(); see throttle.c */
};

DECLARE_PER_CPU(struct tprof_delivery, tprof_delivery);

/*
 * Delivers a sample to all subscribers of a source. On entry its weight is the one that the source reported. Event,
 * weight and ids in the pid namespace are set for each session. Hard interrupt context or interrupts disabled; not in
 * NMI.
 */
void tprof_deliver(struct tprof_source *source, struct tprof_capture *capture);

/*
 * An NMI has taken the time since @began, in tprof_clock(): it is not charged to the filter that it interrupted. On the
 * CPU of the NMI.
 */
static inline void tprof_deliver_interrupted(u64 began)
{
	struct tprof_capture *c = __this_cpu_read(tprof_delivery.running);

	if (c)
		WRITE_ONCE(c->clock, c->clock + tprof_clock() - began);
}

/* The next delivery counts the samples that no session wanted (TPROF_MISSED_UNWANTED), too. Interrupts disabled. */
static inline void tprof_deliver_unwanted(void)
{
	__this_cpu_write(tprof_delivery.missed, true);
}

/* Counts samples that could not be captured on this CPU as lost, for all subscribers. Context as tprof_deliver(). */
void tprof_deliver_missed(void);

#endif
