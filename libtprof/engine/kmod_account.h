/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The account of a session of the module: its own ledger, and what its counters have counted beside that.
 *
 * The timer accounts for all of its time itself. The counters of perf events count what may never become a sample; what
 * is missing is found for each CPU (weight_account.h, and for clocks, whose idle time is known, cpu_account.h).
 */
#ifndef TPROF_KMOD_ACCOUNT_H
#define TPROF_KMOD_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"
#include "tprof.h"

struct kmod_account;

/* Is it the module's own timer that gives the samples of this event? */
bool kmod_event_is_timer(const struct event *event);

/* @session_fd and @event stay the caller's. NULL: no memory. */
struct kmod_account *kmod_account_new(int session_fd, const struct event *event, uint64_t period);
void kmod_account_free(struct kmod_account *account);

/* When the session is started: what was before does not count. Returns 0 or -errno, as do the others. */
int kmod_account_start(struct kmod_account *account);
/* Adds all since then, but for the countings of filters. */
int kmod_account_read(struct kmod_account *account, struct tprof_ledger *ledger);

/* Events per second on the busiest CPU since the last call, @seconds ago. */
double kmod_account_rate(struct kmod_account *account, double seconds);
/* The module has changed the period. */
void kmod_account_set_period(struct kmod_account *account, uint64_t period);

#endif
