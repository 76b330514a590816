// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Whether a session can do what a call requests: its process, its state, its filters. */
#include <errno.h>
#include <unistd.h>

#include "filter/filter.h"
#include "session.h"

int session_check_process(struct tprof_session *session)
{
	if (!session->owner || session->owner == getpid())
		return 0;
	error_set(&session->error, EBUSY, "session: belongs to process %d, which has forked this one", session->owner);
	error_hint(&session->error, "open a session of its own in the child process");
	return -EBUSY;
}

int session_check_started(struct tprof_session *session, const char *who)
{
	int err = session_check_process(session);

	if (err || session->state >= SESSION_RUNNING)
		return err;
	error_set(&session->error, EINVAL, "%s has not been started", who);
	error_hint(&session->error, "call tprof_session__start()");
	return -EINVAL;
}

int session_check_fixed(struct tprof_session *session, const char *what)
{
	if (!session->handover)
		return 0;
	error_set(&session->error, EBUSY, "session: has a descriptor for other processes, and %s cannot change", what);
	error_hint(&session->error, "open another session");
	return -EBUSY;
}

int session_check_loaded(struct tprof_session *session, const struct tprof_filter *filter)
{
	if (!filter->loaded)
		return 0;
	error_set(&session->error, EBUSY, "filter %s: has been checked, and cannot run any more",
		  tprof_filter__name(filter));
	error_hint(&session->error, "open the filter again for the session");
	return -EBUSY;
}

int session_check_filter(struct tprof_session *session, const struct tprof_filter *filter)
{
	if (session->state == SESSION_OPEN)
		return session_check_loaded(session, filter);
	error_set(&session->error, EBUSY, "filter %s: the session has been started already",
		  tprof_filter__name(filter));
	error_hint(&session->error, "tprof_session__replace_filter() replaces a filter of a running session");
	return -EBUSY;
}
