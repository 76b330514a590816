// SPDX-License-Identifier: GPL-2.0-only
/* Threads as text: the header of the library, and a line for each thread. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "threads.h"

/* Columns are as wide as their content, up to this. Longer content shifts the rest of its line. */
#define WIDTH_MAX 32

struct widths {
	int name, process, reason;
};

static int wider(int width, const char *text)
{
	int length = (int)strlen(text);

	return length > WIDTH_MAX || length < width ? width : length;
}

static struct widths measure(const struct threads *threads, size_t shown)
{
	struct widths widths = { (int)strlen("thread"), (int)strlen("process"), (int)strlen("why") };
	char text[128];

	for (size_t i = 0; i < shown; i++) {
		const struct thread *thread = &threads->threads[i];

		widths.name = wider(widths.name, thread_name(thread, text, sizeof(text)));
		widths.process = wider(widths.process, thread->process);
		widths.reason = wider(widths.reason, thread_reason(thread, text, sizeof(text)));
	}
	return widths;
}

static void write_thread(const struct threads *threads, const struct thread *thread, const struct widths *widths)
{
	char name[128], reason[128];

	printf("%7.2f%% %7.2f%% %7.2f%%  %-*s  %-*s  %-*s  %s\n", threads_percent(threads, thread->running_ns),
	       threads_percent(threads, thread->ready_ns), threads_percent(threads, thread->blocked_ns),
	       widths->name, thread_name(thread, name, sizeof(name)), widths->process, thread->process,
	       widths->reason, thread_reason(thread, reason, sizeof(reason)), thread->waker ? thread->waker : "");
}

int threads_write_text(const struct tprof_profile *profile, enum threads_sort sort, uint64_t limit)
{
	TPROF_OPTS(tprof_export_opts, summary, .summary = true);
	struct threads threads = { 0 };
	struct widths widths;
	size_t shown;
	int err = tprof_profile__export(profile, "text", STDOUT_FILENO, &summary);

	if (!err)
		err = threads_fill(&threads, profile, sort, NULL);
	if (err)
		return err;
	shown = limit && limit < threads.nr ? limit : threads.nr;
	widths = measure(&threads, shown);
	printf(" running    ready  blocked  %-*s  %-*s  %-*s  %s\n", widths.name, "thread", widths.process, "process",
	       widths.reason, "why", "waker");
	for (size_t i = 0; i < shown; i++)
		write_thread(&threads, &threads.threads[i], &widths);
	if (shown < threads.nr)
		printf("# and %zu more\n", threads.nr - shown);
	threads_free(&threads);
	return fflush(stdout) || ferror(stdout) ? -errno : 0;
}
