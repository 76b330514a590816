/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The ledger of an event of a session of the module: the module's own ledger, and the samples missing according to the
 * counters.
 *
 * The module's timer samples all of its time. Counters of perf events may count what never becomes a sample; the
 * difference is determined for each CPU (weight_missing.h; cpu_missing.h for clocks, whose idle time is known).
 */
#ifndef TPROF_KMOD_LEDGER_H
#define TPROF_KMOD_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"
#include "tprof.h"

struct kmod_ledger;

/* True if the samples of this event come from the module's own timer. */
bool kmod_event_is_timer(const struct event *event);

/* An event of the session, of which the caller owns @session_fd and @event. */
struct kmod_ledger_of {
	int session_fd;
	const struct event *event;
	uint32_t index;
	bool alone;			/* the session has no other event */
};

/* NULL: no memory. */
struct kmod_ledger *kmod_ledger_new(const struct kmod_ledger_of *of, uint64_t period);
void kmod_ledger_free(struct kmod_ledger *module);

/*
 * For a session that another process continues: notes what has been read, in @into, which is aligned to 8 bytes, and
 * continues from there instead of being started. @is_running: the session samples. Errors: EPROTO (that is no such
 * note), those of kmod_ledger_start().
 */
size_t kmod_ledger_noted_bytes(size_t nr_cpus);
void kmod_ledger_note(const struct kmod_ledger *module, void *into);
int kmod_ledger_continue(struct kmod_ledger *module, const void *from, bool is_running);
uint64_t kmod_ledger_period(const struct kmod_ledger *module);

/* Call before the session is started: events before do not count. Returns 0 or -errno, as do the others. */
int kmod_ledger_start(struct kmod_ledger *module);
/* Call when the session has stopped. It may be started again, and the ledger then goes on. */
void kmod_ledger_stop(struct kmod_ledger *module);
/* Adds everything since then, except the countings of filters. */
int kmod_ledger_read(struct kmod_ledger *module, struct tprof_ledger *ledger);

/* struct tprof_counts.period_factor: the largest that was read so far. */
uint32_t kmod_ledger_period_factor(const struct kmod_ledger *module);

/* Events per second on the busiest CPU since the last call, @seconds ago. */
double kmod_ledger_rate(struct kmod_ledger *module, double seconds);
/* The module has changed the period. */
void kmod_ledger_set_period(struct kmod_ledger *module, uint64_t period);

#endif
