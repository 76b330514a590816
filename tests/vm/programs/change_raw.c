// SPDX-License-Identifier: GPL-2.0-only
/*
 * change_raw ENGINE FILE: writes a raw recording with marks and changes of the session, and reads it. Prints TAP.
 */
#include <fcntl.h>

#include "changes.h"

static unsigned int nr_notes[TPROF_NR_NOTES];
static uint64_t last_ns, first_pid, paused_ns, resumed_ns, samples, in_pause, period;
static char marks[256];

static int read_note(void *ctx, const struct tprof_raw_info *info, const struct tprof_raw_note *note)
{
	(void)ctx;
	if (note->time_ns < last_ns || note->time_ns < info->start_ns)
		tell(false, "times ascend");
	last_ns = note->time_ns;
	nr_notes[note->kind]++;
	if (note->kind == TPROF_NOTE_MARK)
		snprintf(marks + strlen(marks), sizeof(marks) - strlen(marks), "%s|", note->text);
	if (note->kind == TPROF_NOTE_ADDED && !first_pid)
		first_pid = note->id;
	if (note->kind == TPROF_NOTE_ADDED && (note->target != TPROF_TARGET_KIND_PROCESS || !note->text[0]))
		tell(false, "target %d: %s", note->target, note->text);
	if (note->kind == TPROF_NOTE_PAUSED && !paused_ns)
		paused_ns = note->time_ns;
	if (note->kind == TPROF_NOTE_RESUMED && !resumed_ns)
		resumed_ns = note->time_ns;
	if (note->kind == TPROF_NOTE_PERIOD)
		period = note->id;
	return 0;
}

static int read_sample(void *ctx, const struct tprof_raw_info *info, const struct tprof_raw_sample *sample)
{
	(void)ctx;
	(void)info;
	samples += sample->samples;
	in_pause += sample->time_ns > paused_ns && sample->time_ns < resumed_ns;
	return 0;
}

static void did(struct tprof_session *session, const char *what, int got)
{
	tell(!got, "%s%s%s", what, got ? ": " : "", got ? tprof_session__error(session) : "");
}

static void record(const char *engine, int fd, pid_t one, pid_t two, struct tprof_raw_sum *sum)
{
	TPROF_OPTS(tprof_session_opts, opts, .engine = engine, .event = "cpu-clock", .rate_hz = 997, .pids = &one,
		   .nr_pids = 1);
	struct tprof_session *session = tprof_session__open(&opts, NULL);
	char longer[TPROF_MARK_BYTES_MAX + 2];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	if (!session || tprof_session__add_filter(session, tprof_filter__open("raw", NULL)))
		bail("session", session ? tprof_session__error(session) : "open");
	did(session, "raw_begin", tprof_session__raw_begin(session, fd));
	tell(tprof_session__mark(session, "early") == -EINVAL, "%s", tprof_session__error(session));
	did(session, "start", tprof_session__start(session));
	tprof_session__wait(session, 200);
	did(session, "mark", tprof_session__mark(session, "first"));
	did(session, "add", tprof_session__add_pid(session, two));
	tprof_session__wait(session, 200);
	did(session, "remove", tprof_session__remove_pid(session, one));
	did(session, "rate", tprof_session__set_period(session, 0, 500000));
	did(session, "pause", tprof_session__pause(session));
	tprof_session__wait(session, 200);
	did(session, "mark", tprof_session__mark(session, "\033in a pause\n"));
	did(session, "resume", tprof_session__resume(session));
	tprof_session__wait(session, 200);
	tell(tprof_session__mark(session, "") == -EINVAL, "%s", tprof_session__error(session));
	tell(tprof_session__mark(session, longer) == -E2BIG, "%s", tprof_session__error(session));
	tell(tprof_session__clear(session, NULL) == -EBUSY, "%s; %s", tprof_session__error(session),
	     tprof_session__hint(session));
	did(session, "stop", tprof_session__stop(session));
	did(session, "start", tprof_session__start(session));
	tprof_session__wait(session, 100);
	did(session, "stop", tprof_session__stop(session));
	did(session, "mark", tprof_session__mark(session, "end"));
	did(session, "raw_end", tprof_session__raw_end(session, sum));
	tell(tprof_session__mark(session, "late") == -EBUSY, "%s", tprof_session__error(session));
	tell(tprof_session__start(session) == -EBUSY, "%s; %s", tprof_session__error(session),
	     tprof_session__hint(session));
	tprof_session__close(session);
}

int main(int argc, char **argv)
{
	struct tprof_raw_sum written = { .sz = sizeof(written) }, found = { .sz = sizeof(found) };
	TPROF_OPTS(tprof_read_opts, opts, .note = read_note);
	struct tprof_error error = { 0 };
	pid_t one, two;
	int fd, err;

	if (argc != 3)
		bail("arguments", "ENGINE FILE");
	one = spin();
	two = spin();
	fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	record(argv[1], fd, one, two, &written);
	lseek(fd, 0, SEEK_SET);
	err = tprof_raw__each(fd, argv[2], &opts, read_sample, NULL, &found, &error);
	tell(!err, "read: %s", error.text);
	tell(found.complete && samples && samples == written.samples, "%" PRIu64 " samples", samples);
	tell(!in_pause, "%" PRIu64 " samples in the pause", in_pause);
	tell(!strcmp(marks, "first|?in a pause?|end|"), "marks: %s", marks);
	tell(first_pid == (uint64_t)one && nr_notes[TPROF_NOTE_ADDED] == 2 && nr_notes[TPROF_NOTE_REMOVED] == 1,
	     "targets");
	tell(nr_notes[TPROF_NOTE_PAUSED] == 3 && nr_notes[TPROF_NOTE_RESUMED] == 2, "pauses");
	tell(nr_notes[TPROF_NOTE_PERIOD] == 1 && period == 500000, "the period");
	close(fd);
	end(one);
	end(two);
	printf("1..%d\n", nr_told);
	return nr_failed > 0;
}
