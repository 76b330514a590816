// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Empties the tables and the ledger of a session, and waits until everything sampled so far is in them. */
#include <errno.h>
#include <string.h>

#include "base/sized.h"
#include "profile/ledger.h"
#include "handover.h"

/*
 * The generations are swapped as for a snapshot, and what was read is dropped: everything is in the cleared ledger, or
 * counted after the swap.
 */
int tprof_session__clear(struct tprof_session *session, struct tprof_ledger *cleared)
{
	struct tprof_ledger ledger;
	struct tprof_profile *next;
	int err = session_check_started(session, "clear: the session");

	if (!err && session->collector.raw) {
		error_set(&session->error, EBUSY, "clear: the session writes a raw recording");
		error_hint(&session->error, "the samples are in the file already");
		return -EBUSY;
	}
	if (!err)
		err = session_collect(session);
	if (err)
		return err;
	next = session_new_profile(session);
	if (!next)
		return error_set(&session->error, ENOMEM, "clear: not enough memory");
	ledger = session->settled;
	ledger_subtract(&ledger, &session->cleared);
	err = cleared ? sized_error(&session->error, sized_give(cleared, &ledger, sizeof(ledger)), "ledger") : 0;
	if (err) {
		tprof_profile__free(next);
		return err;
	}
	tprof_profile__free(session->collector.profile);
	session_set_profile(session, next);
	session->cleared = session->reported = session->settled;
	memcpy(session->reported_events, session->settled_events, sizeof(session->reported_events));
	session->snapshot_ns = session->settled_ns;
	session->halted_ns = session->settled_halted_ns = 0;
	handover_note(session);
	return 0;
}

int tprof_session__flush(struct tprof_session *session)
{
	int err = session_check_started(session, "flush: the session");

	if (!err && session->ops->flush)
		err = session->ops->flush(session->engine);
	else if (!err)
		err = program_barrier_wait(&session->barrier);
	else
		return err;
	return err ? error_set(&session->error, -err, "flush: %s", strerror(-err)) : 0;
}
