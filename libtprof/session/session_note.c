// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Notes in the raw recording of a session: marks of the client, targets, pauses, and changes of the period. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "collect_raw.h"
#include "session.h"

int session_note(struct tprof_session *session, const struct tprof_raw_note *what)
{
	struct tprof_raw_note note = *what;

	if (!session->collector.raw || session->state < SESSION_RUNNING)
		return 0;
	note.time_ns = clock_now_ns();
	return raw_writer_note(session->collector.raw->writer, &note);
}

int session_note_target(struct tprof_session *session, enum tprof_note kind, const struct target *target)
{
	struct tprof_raw_note note = { .kind = kind, .id = (uint64_t)target->id };
	struct proc_text text = { 0 };
	char comm[PROC_COMM_LEN] = "";
	int err;

	if (target->kind == TPROF_SCOPE_KIND_TID)
		note.target = TPROF_TARGET_KIND_THREAD;
	if (session->collector.raw && !proc_read(&text, "%d/comm", target->id))
		proc_parse_comm(text.text, comm);
	note.text = comm;
	err = session_note(session, &note);
	proc_text_fini(&text);
	return err;
}

int session_note_cgroup(struct tprof_session *session, enum tprof_note kind, const struct tprof_scope_cgroup *cgroup)
{
	const struct tprof_raw_note note = {
		.kind = kind, .target = TPROF_TARGET_KIND_CGROUP, .id = cgroup->id,
		.text = session->collector.raw ? cgroups_path(session->collector.cgroups, cgroup->id) : NULL,
	};

	return session_note(session, &note);
}

int session_note_targets(struct tprof_session *session)
{
	const struct tprof_object *object = &session->sampling.object;
	int err = 0;

	for (size_t i = 0; i < session->targets.nr && !err; i++)
		err = session_note_target(session, TPROF_NOTE_ADDED, &session->targets.all[i]);
	for (uint32_t i = 0; i < object->nr_cgroups && !err; i++)
		err = session_note_cgroup(session, TPROF_NOTE_ADDED, &object->cgroups[i]);
	return err;
}

int tprof_session__mark(struct tprof_session *session, const char *text)
{
	const struct tprof_raw_note note = { .kind = TPROF_NOTE_MARK, .text = text };
	int err = session_check_started(session, "mark: the session");

	if (err)
		return err;
	if (!session->collector.raw) {
		error_set(&session->error, EINVAL, "mark: the session writes no raw recording");
		error_hint(&session->error, "call tprof_session__raw_begin() before the start");
		return -EINVAL;
	}
	if (!text || !text[0])
		return error_set(&session->error, EINVAL, "mark: no text is given");
	if (strlen(text) > TPROF_MARK_BYTES_MAX)
		return error_set(&session->error, E2BIG, "mark: its text has more than %d bytes",
				 TPROF_MARK_BYTES_MAX);
	if (session_raw_has_ended(session))
		return error_set(&session->error, EBUSY, "mark: the raw recording has ended");
	err = session_note(session, &note);
	return err ? error_set(&session->error, -err, "mark: %s", strerror(-err)) : 0;
}
