// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Warning about other BPF programs that kept the perf engine from taking samples. They are looked up while samples are
 * missed: they may have ended by the time of the snapshot.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/bpf_neighbours.h"
#include "profile/ledger.h"
#include "session.h"

/* True if the loss is reported and engine_missed is one of its reasons: of samples, not of switches, without weight. */
static bool engine_missed(const struct tprof_session *session, const struct tprof_ledger *ledger)
{
	struct tprof_loss loss = { .sz = sizeof(loss) };

	if (session->ops != &engine_perf || !ledger->lost[TPROF_LOST_ENGINE_MISSED].weight)
		return false;
	tprof_ledger__loss(ledger, &loss);
	return strstr(loss.text, tprof_lost_reason__name(TPROF_LOST_ENGINE_MISSED));
}

static size_t programs_of(const struct filter_list *list, __u32 *ids, size_t nr, size_t capacity)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct tprof_filter *filter = list->all[i];

		for (size_t e = 0; e < filter->nr_entries && nr < capacity; e++) {
			struct bpf_prog_info info = { 0 };
			__u32 length = sizeof(info);

			if (!bpf_prog_get_info_by_fd(bpf_program__fd(filter->entries[e].program), &info, &length))
				ids[nr++] = info.id;
		}
	}
	return nr;
}

static size_t own_programs(const struct tprof_session *session, __u32 *ids, size_t capacity)
{
	return programs_of(&session->spares, ids, programs_of(&session->filters, ids, 0, capacity), capacity);
}

void session_note_neighbours(struct tprof_session *session)
{
	struct bpf_neighbours others;
	__u32 own[64];

	if (session->ops != &engine_perf ||
	    bpf_neighbours_read(&others, own, own_programs(session, own, sizeof(own) / sizeof(own[0]))))
		return;
	if (others.nr)
		bpf_neighbours_list(&others, session->first_neighbours, sizeof(session->first_neighbours));
	bpf_neighbours_fini(&others);
}

void session_watch_missed(struct tprof_session *session)
{
	struct tprof_ledger since = session->settled;
	struct bpf_neighbours others;
	__u32 own[64];
	int err;

	ledger_subtract(&since, &session->watched);
	session->watched = session->settled;
	if (!engine_missed(session, &since))
		return;
	err = bpf_neighbours_read(&others, own, own_programs(session, own, sizeof(own) / sizeof(own[0])));
	session->neighbours_unseen = err != 0;
	/* In a sandbox the list cannot be read: uses the programs that ran at the start. */
	if (err) {
		memcpy(session->neighbours, session->first_neighbours, sizeof(session->neighbours));
		return;
	}
	if (others.nr)
		bpf_neighbours_list(&others, session->neighbours, sizeof(session->neighbours));
	bpf_neighbours_fini(&others);
}

/* Contains no semicolon, which separates warnings. */
static void say(const struct tprof_session *session, char *text, size_t size)
{
	if (session->neighbours[0])
		snprintf(text, size, "engine_missed: the kernel takes no samples while BPF programs of other tools run "
			 "(--engine kmod is not affected): %s", session->neighbours);
	else if (session->neighbours_unseen)
		snprintf(text, size, "engine_missed: %s", session->broker ?
			 "no BPF program that prevents samples was loaded at the start: one may have been loaded "
			 "later, other processes may read or change BPF maps, or interrupts may be delayed" :
			 "BPF programs of other tools may be the cause, but listing them needs CAP_SYS_ADMIN");
	else
		snprintf(text, size, "engine_missed: no BPF program that prevents samples is loaded: other processes "
			 "may read or change BPF maps, or interrupts may be delayed");
}

int session_warn_missed(struct tprof_session *session, struct tprof_profile *profile)
{
	char said[512];

	if (!engine_missed(session, &profile->ledger)) {
		session->neighbours[0] = '\0';
		return 0;
	}
	say(session, said, sizeof(said));
	session->neighbours[0] = '\0';
	if (!session->warned_missed)
		log_info(&session->log, "%s", said);
	session->warned_missed = true;
	return profile_warn(profile, said);
}
