/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of the streams of a session. */
#ifndef _TPROF_STREAM_MEMORY_H
#define _TPROF_STREAM_MEMORY_H

#include <linux/types.h>

struct tprof_payer;
struct tprof_streams;

extern unsigned int tprof_stream_limit_mb;

void tprof_streams_init(struct tprof_streams *streams, const struct tprof_payer *payer);
void tprof_streams_fini(struct tprof_streams *streams);
/*
 * Replaces the rings by rings of another size. The session has not been started, and its mutex is held. Errors: ENOSPC
 * (more than stream_limit_mb for all sessions together), EBUSY (mapped or being read), ENOMEM (also: more than
 * max_stream_mb_per_user).
 */
int tprof_streams_resize(struct tprof_streams *streams, u32 bytes);

#endif
