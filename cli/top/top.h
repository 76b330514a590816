/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of `tprof top`: its options and its state. */
#ifndef TPROF_TOP_H
#define TPROF_TOP_H

#include "sample/sampling.h"
#include "sample/spawn.h"
#include "tail.h"
#include "threads/threads.h"
#include "wait/watch.h"

struct top {
	struct sampling sampling;
	uint64_t delay_ns;		/* -d; 0: not given */
	uint64_t limit;			/* -n; 0: all */
	bool batch;
	bool json;
	bool call_stacks;			/* -g, or the key G */
	const char *call_graph_option;		/* --call-graph or -g, as given; NULL: not given */
	bool by_given;
	enum tprof_group by;		/* --by: the group at the start */
	bool threads;			/* --threads: what each thread does */
	enum threads_sort threads_sort;	/* --sort */
	bool sort_given;
	struct sampling_spare spare;	/* the view: counts the other of functions and call stacks */
	struct tprof_session *session;
	struct tprof_info info;
	struct watch watch;
	struct spawn spawn;
	bool launched;			/* there was a command */
};

#define TOP_DELAY_NS 1000000000ull	/* default of -d */

/* Each samples until an end condition, and returns the exit code of tprof itself. */
int top_batch(struct top *top);		/* text or JSON on stdout */
int top_live(struct top *top, struct tail *output);	/* curses, then the output of the command (NULL: none) */

/* 0, or the exit code after reporting that the filter of --filter does not count what --by asks for. */
int top_check_by(const struct top *top);

/* Reaps the launched command if @events (enum watch_event) contains its exit. */
void top_note_command(struct top *top, int events);

/* Writes a profile to stdout, as text or JSON. 0 or -errno. */
int top_export(const struct top *top, const struct tprof_profile *profile, uint64_t limit);

#endif
