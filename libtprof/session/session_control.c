// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Control of a running session that only some engines have: seals, and the budget of filters. */
#include <errno.h>
#include <string.h>

#include "base/sized.h"
#include "session.h"

static int lacks(struct tprof_session *session, const char *what)
{
	error_set(&session->error, EOPNOTSUPP, "engine %s: cannot %s", session->ops->name, what);
	error_hint(&session->error, "load the kernel module tprof.ko: docs/module.md");
	return -EOPNOTSUPP;
}

int tprof_session__seal(struct tprof_session *session)
{
	int err;

	if (!session->engine)
		return error_set(&session->error, EINVAL, "the session is not prepared: it cannot be sealed");
	if (!session->ops->seal)
		return lacks(session, "seal a session");
	err = session->ops->seal(session->engine);
	return err ? error_set(&session->error, -err, "engine %s: the session cannot be sealed: %s",
			       session->ops->name, strerror(-err)) : 0;
}

int tprof_session__filter_state(struct tprof_session *session, unsigned int index, struct tprof_filter_state *state)
{
	struct tprof_filter_state known;
	int err = session_check_process(session);

	if (err)
		return err;
	if (!session->engine)
		return error_set(&session->error, EINVAL, "the session is not prepared: no filter is attached");
	if (!session->ops->filter_state)
		return lacks(session, "measure filters");
	err = session->ops->filter_state(session->engine, index, &known);
	if (err == -ENOENT)
		return error_set(&session->error, ENOENT, "filter %u: the session has no such filter", index);
	if (err)
		return error_set(&session->error, -err, "filter %u: its state cannot be read: %s", index,
				 strerror(-err));
	return sized_error(&session->error, sized_give(state, &known, sizeof(known)), "state of the filter");
}

int tprof_session__enable_filters(struct tprof_session *session)
{
	int nr;

	if (!session->engine)
		return error_set(&session->error, EINVAL, "the session is not prepared: no filter is disabled");
	if (!session->ops->enable_filters)
		return 0;
	nr = session->ops->enable_filters(session->engine);
	if (nr == -EAGAIN) {
		error_set(&session->error, EAGAIN, "a filter exceeded its budget less than a second ago");
		error_hint(&session->error, "try again in a second; make the filter cheaper, or use a lower rate");
		return nr;
	}
	return nr < 0 ? error_set(&session->error, -nr, "engine %s: the filters cannot be enabled: %s",
				  session->ops->name, strerror(-nr)) : nr;
}
