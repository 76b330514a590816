// SPDX-License-Identifier: GPL-2.0-only
/* Functions that the screen and the text output of `tprof top` share. */
#include "top.h"

#include <errno.h>
#include <unistd.h>

void top_note_command(struct top *top, int events)
{
	if (events & WATCH_COMMAND)
		spawn_wait(&top->spawn);
}

int top_export(const struct top *top, const struct tprof_profile *profile, uint64_t limit)
{
	TPROF_OPTS(tprof_export_opts, export, .limit = limit);
	struct tprof_profile *grouped;
	int err;

	if (top->threads)
		return top->json ? threads_write_json(profile, top->threads_sort, limit) :
				   threads_write_text(profile, top->threads_sort, limit);
	if (!top->by_given)
		return tprof_profile__export(profile, top->json ? "json" : "text", STDOUT_FILENO, &export);
	grouped = tprof_profile__group(profile, top->by);
	if (!grouped)
		return -errno;
	err = tprof_profile__export(grouped, top->json ? "json" : "text", STDOUT_FILENO, &export);
	tprof_profile__free(grouped);
	return err;
}
