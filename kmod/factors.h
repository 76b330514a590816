/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The factors by which the periods of sources were made longer (throttle.h), remembered for some seconds after a user
 * of the source has left. A session that stops and starts, or one like it, gets them back: otherwise each start would
 * get the time that throttling needs to notice. With the sources mutex held, except for exit.
 */
#ifndef _TPROF_FACTORS_H
#define _TPROF_FACTORS_H

struct tprof_source;

/* To be called before the factors of the source are reset. */
void tprof_factors_keep(const struct tprof_source *source);
/* To be called when a subscription joins the source. */
void tprof_factors_restore(struct tprof_source *source);
/* To be called when no source is left. */
void tprof_factors_exit(void);

#endif
