/* SPDX-License-Identifier: GPL-2.0-only */
/* The delivery of a sample to sessions, with interrupts disabled. */
#ifndef _TPROF_DELIVER_H
#define _TPROF_DELIVER_H

#include <linux/percpu-defs.h>

#include "sample.h"

struct tprof_source;

struct tprof_delivery {
	bool busy;				/* c: a delivery is running */
	bool missed;				/* c: a source has something in its missed[]; set in any context */
};

DECLARE_PER_CPU(struct tprof_delivery, tprof_delivery);

/*
 * Hands a sample to all subscribers of a source. The sample's weight is what the source said; event, weight and ids
 * in the pid namespace are set for each session. Hard interrupt context, or interrupts off; not in NMI.
 */
void tprof_deliver(struct tprof_source *source, struct tprof_capture *capture);

/* Books what could not be captured on this CPU, with all subscribers of its source. Context as above. */
void tprof_deliver_missed(void);

#endif
