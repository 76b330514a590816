/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The periods that throttling permits at least (throttle.h), remembered for some seconds after a user of the source has
 * left. A session that stops and starts, or one like it, gets them back, also with another period: otherwise each start
 * would get the time that throttling needs to notice. For the same time, other events of the users of a throttled
 * source begin with a longer period. With the sources mutex held, except for exit.
 */
#ifndef _TPROF_FACTORS_H
#define _TPROF_FACTORS_H

struct tprof_source;
struct tprof_subscription;

/* Longer than throttling takes to shorten the longest period, so that the end of a session is no way around it. */
#define TPROF_KEEP_SECONDS	10

/* To be called when a subscription has left the source. */
void tprof_factors_keep(const struct tprof_source *source);
/* To be called when the subscription joins its source. */
void tprof_factors_restore(struct tprof_subscription *sub);
/* To be called when no source is left. */
void tprof_factors_exit(void);

#endif
