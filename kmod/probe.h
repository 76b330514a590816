/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sources whose event is a place in code: every CPU passes it, and each passage is a hit.
 *
 * A source has one probe in the code for all CPUs. It is placed when the source is prepared: that can take long, as for
 * a file that many processes map. Each CPU on which the source runs counts its hits, and fires after each period.
 */
#ifndef _TPROF_PROBE_H
#define _TPROF_PROBE_H

#include <linux/types.h>

#include "source.h"

/* Embedded in the memory that ops->place() allocates. */
struct tprof_probe {
	struct tprof_source *source;		/* I */
};

/* Per-CPU memory of the source. */
struct tprof_probe_cpu {
	struct tprof_probe *probe;		/* I: on the first possible CPU: the probe, while it is placed */
	bool counting;				/* c */
	u64 period;				/* c; 0: counts only */
	u64 elapsed;				/* c: hits since the last sample */
	u64 hits;				/* c: since the start */
	u64 started_ns;				/* S */
	u64 stopped_ns;				/* S; 0: not stopped */
	u64 missed;				/* S: first possible CPU: ops->missed() at the start, then since it */
};

/* Process context; these functions may sleep. */
struct tprof_probe_ops {
	/* Returns the probe, whose source it sets, and which hits from now on; or an ERR_PTR(). */
	struct tprof_probe *(*place)(struct tprof_source *source);
	/* Frees the probe. When it returns, the probe does not hit. */
	void (*remove)(struct tprof_probe *probe);
	/*
	 * The number of passages, on any CPU, for which the kernel could not call the probe. They are in the count of
	 * the first possible CPU, so sessions that sample it see what they miss. Optional.
	 */
	u64 (*missed)(const struct tprof_probe *probe);
};

/* A source of probes, whose operations are those below. */
struct tprof_probe_source {
	struct tprof_source_ops source;
	struct tprof_probe_ops probe;
};

/* Initializes the members of tprof_probe_source.source that are the same for all sources of probes. */
#define TPROF_PROBE_SOURCE					\
	.version = TPROF_SOURCE_VERSION,			\
	.owner = THIS_MODULE,					\
	.cpu_size = sizeof(struct tprof_probe_cpu),		\
	.can_count = true,					\
	.prepare = tprof_probe_prepare,				\
	.unprepare = tprof_probe_unprepare,			\
	.start = tprof_probe_start,				\
	.stop = tprof_probe_stop,				\
	.set_period = tprof_probe_set_period,			\
	.settle = tprof_probe_settle,				\
	.read = tprof_probe_read

/* Implementations of the source's operations of the same names. */
int tprof_probe_prepare(struct tprof_source *source);
void tprof_probe_unprepare(struct tprof_source *source);
int tprof_probe_start(struct tprof_source *source, unsigned int cpu, u64 period);
void tprof_probe_stop(struct tprof_source *source, unsigned int cpu);
int tprof_probe_set_period(struct tprof_source *source, unsigned int cpu, u64 period);
u64 tprof_probe_settle(struct tprof_source *source);
void tprof_probe_read(struct tprof_source *source, unsigned int cpu, struct tprof_source_count *count);

/*
 * Counts a hit on this CPU. Any context in which a CPU does not enter this function twice. @regs are passed to
 * tprof_source_fire_caused().
 */
void tprof_probe_hit(struct tprof_probe *probe, struct pt_regs *regs);

/* Checks the attributes, struct tprof_place. Returns the text that follows the struct, or ERR_PTR(-EINVAL). */
const char *tprof_probe_text(const void *attr, size_t size);

#endif
