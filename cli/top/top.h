/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of `tprof top`: what was asked for, and what is running. */
#ifndef TPROF_TOP_H
#define TPROF_TOP_H

#include "sample/sampling.h"
#include "sample/spawn.h"
#include "sample/watch.h"
#include "tail.h"

struct top {
	struct sampling sampling;
	uint64_t delay_ns;		/* -d; 0: not given */
	uint64_t limit;			/* -n; 0: all */
	bool batch;
	bool json;
	bool call_stacks;			/* -g */
	struct tprof_session *session;
	struct tprof_info info;
	struct watch watch;
	struct spawn spawn;
	bool launched;			/* there was a command */
};

#define TOP_DELAY_NS 1000000000ull	/* unless -d says otherwise */

/* Each samples until the end, and returns the exit code of tprof itself. */
int top_batch(struct top *top);		/* text or JSON on stdout */
int top_live(struct top *top, struct tail *output);	/* curses; and then what the command wrote, unless NULL */

/* Notes the end of the launched command if that is among what happened (enum watch_event). */
void top_note_command(struct top *top, int events);

/* Writes a profile to stdout in the format that was asked for. 0 or -errno. */
int top_export(const struct top *top, const struct tprof_profile *profile, uint64_t limit);

#endif
