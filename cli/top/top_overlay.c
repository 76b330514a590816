// SPDX-License-Identifier: GPL-2.0-only
/* The box with the keys of `tprof top`. */
#include "top_overlay.h"

#include "base/opt.h"
#include "screen/box.h"

static const struct box_key keys[] = {
	{ "q", "quit" },
	{ "space p", "pause; sampling goes on" },
	{ "s", "sort by weight, samples, name, pid" },
	{ "g", "group by function, process, object, cgroup, line" },
	{ "/", "show only names that contain a text; Esc: all" },
	{ "a", "show all since now, or the last interval" },
	{ "r", "begin anew" },
	{ "c e", "callers, or callees, of a function; needs -g" },
	{ "l", "ledger: what became of every sample" },
	{ "arrows", "choose a row; also j, k, PgUp, PgDn, Home, End" },
	{ "h ?", "this help" },
};

void overlay_help(void)
{
	box_keys(keys, ARRAY_SIZE(keys));
}
