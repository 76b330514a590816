// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code without frame pointers uses the register for other data. A walk then ends at once, or continues at an address
 * where no code is mapped. Code that was generated at run time does not count, because it has no unwind tables either.
 */
#include "no_callers.h"

#include <string.h>

/* Where processes and threads start: the only functions without callers. */
static bool is_start(const char *symbol)
{
	return !strcmp(symbol, "_start") || strstr(symbol, "clone");
}

static bool lacks_callers(const struct tprof_call_stack *call_stack, size_t nr_user)
{
	const struct tprof_frame *const *user = call_stack->frames + call_stack->nr_frames - nr_user;

	if (!strcmp(user[0]->symbol, "[jit]"))
		return false;
	for (size_t i = 1; i < nr_user; i++)
		if (!strcmp(user[i]->symbol, "[unknown]"))
			return true;
	return nr_user == 1 && !is_start(user[0]->symbol);
}

/* User frames are the last ones. 0 also if the root is a mark, which has a reason of its own. */
static size_t count_user_frames(const struct tprof_call_stack *call_stack)
{
	size_t nr = 0;

	while (nr < call_stack->nr_frames &&
	       call_stack->frames[call_stack->nr_frames - 1 - nr]->mode == TPROF_MODE_USER)
		nr++;
	return nr;
}

double no_callers_percent(const struct tprof_profile *profile)
{
	double all = 0, lacking = 0;
	size_t nr = tprof_profile__nr_call_stacks(profile);

	for (size_t i = 0; i < nr; i++) {
		const struct tprof_call_stack *call_stack = tprof_profile__call_stack(profile, i);
		size_t nr_user = count_user_frames(call_stack);

		if (!nr_user)
			continue;
		all += (double)call_stack->weight;
		if (lacks_callers(call_stack, nr_user))
			lacking += (double)call_stack->weight;
	}
	return all > 0 ? 100 * lacking / all : 0;
}
