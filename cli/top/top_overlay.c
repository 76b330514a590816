// SPDX-License-Identifier: GPL-2.0-only
/* The help boxes of `tprof top`. */
#include "top_overlay.h"

#include "base/opt.h"
#include "screen/box.h"

static const struct box_key keys[] = {
	{ "q", "quit" },
	{ "space p", "pause; sampling continues" },
	{ "s", "sort by weight, samples, name, pid" },
	{ "v", "of several events, the one to sort by" },
	{ "g", "group by function, process, object, cgroup, line, owner" },
	{ "/", "show only names that contain a text; Esc: all" },
	{ "a", "show the total from now on, or the last interval" },
	{ "r", "restart the total" },
	{ "G", "count call stacks, or functions only" },
	{ "c e", "callers, or callees, of a function; needs call stacks" },
	{ "l", "show the ledger" },
	{ "arrows", "select a row; also j, k, PgUp, PgDn, Home, End" },
	{ "h ?", "this help" },
};

/* Those of --threads. */
static const struct box_key thread_keys[] = {
	{ "q", "quit" },
	{ "space p", "pause; counting continues" },
	{ "s", "sort by running, ready, blocked, name, tid" },
	{ "v", "whose ledger: of the waits, or of the runs" },
	{ "/", "show only threads that contain a text; Esc: all" },
	{ "a", "show the total from now on, or the last interval" },
	{ "r", "restart the total" },
	{ "l", "show the ledger" },
	{ "arrows", "select a row; also j, k, PgUp, PgDn, Home, End" },
	{ "h ?", "this help" },
};

void overlay_help(void)
{
	box_keys(keys, ARRAY_SIZE(keys));
}

void overlay_help_threads(void)
{
	box_keys(thread_keys, ARRAY_SIZE(thread_keys));
}
