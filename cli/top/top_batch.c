// SPDX-License-Identifier: GPL-2.0-only
/*
 * `tprof top` without a screen: a profile per interval, one in total, or both.
 *
 *	-d  --duration	what is written
 *	 -       -	intervals of a second
 *	 x       -	intervals
 *	 -       x	the total
 *	 x       x	intervals, then the total
 */
#include <errno.h>
#include <unistd.h>

#include "base/out.h"
#include "sample/launch.h"
#include "top.h"
#include "wait/monotonic.h"

struct batch {
	struct top *top;
	bool wants_total;
	struct tprof_profile *total;	/* NULL: nothing was taken yet */
	bool intervals;
	size_t nr_written;
	uint64_t ends_ns;		/* when the duration is over; 0: open */
};

static int write_profile(struct batch *batch, const struct tprof_profile *profile)
{
	/* An empty line separates texts; a JSON object is on a line of its own. */
	if (batch->nr_written++ && !batch->top->json && write(STDOUT_FILENO, "\n", 1) < 0)
		return -errno;
	return top_export(batch->top, profile, batch->top->limit);
}

/* An interval that would leave less than a tenth of the delay before the end is merged into the last one. */
static bool ends_soon(const struct batch *batch, uint64_t delay_ns)
{
	return batch->ends_ns && batch->ends_ns < monotonic_ns() + delay_ns / 10;
}

/*
 * No events fired. With the module, an entry may be in this profile although the ledger counted it in the one before.
 */
static bool is_empty(const struct tprof_profile *profile)
{
	return !tprof_profile__ledger(profile)->fired.samples && !tprof_profile__nr_entries(profile);
}

/* Adds a profile to the total, which begins with the first one, and frees it. */
static int add_up(struct batch *batch, struct tprof_profile *profile)
{
	int err = 0;

	if (batch->wants_total && !batch->total) {
		batch->total = profile;
		return 0;
	}
	if (batch->wants_total)
		err = tprof_profile__merge(batch->total, profile);
	tprof_profile__free(profile);
	return err;
}

/*
 * Takes the profile since the last call; writes it, and adds it to the total. Returns 0, or an error with the exit code
 * in *@code.
 */
static int take(struct batch *batch, bool last, int *code)
{
	struct tprof_profile *profile = tprof_session__snapshot(batch->top->session);
	int err = 0, added;

	if (!profile) {
		*code = out_error_of_session(batch->top->session, errno);
		return -1;
	}
	if (batch->intervals && !(last && batch->nr_written && is_empty(profile)))
		err = write_profile(batch, profile);
	added = add_up(batch, profile);
	if (!err)
		err = added;
	if (!err && last && batch->wants_total)
		err = write_profile(batch, batch->total);
	*code = out_written(err);
	return err;
}

static int loop(struct batch *batch, uint64_t delay_ns)
{
	struct top *top = batch->top;
	int code = 0, events;

	for (;;) {
		events = watch_wait(&top->watch);
		if (events < 0)
			return out_error_of_session(top->session, events);
		top_note_command(top, events);
		if (events & WATCH_END)
			break;
		if ((events & WATCH_TICK) && !ends_soon(batch, delay_ns) && take(batch, false, &code))
			return code;
	}
	launch_stop(top->session);
	take(batch, true, &code);
	return code;
}

int top_batch(struct top *top)
{
	uint64_t delay_ns = top->delay_ns ? top->delay_ns : TOP_DELAY_NS;
	bool total = top->sampling.duration_ns != 0;
	struct batch batch = {
		.top = top,
		.intervals = !total || top->delay_ns,
		.wants_total = total,
		.ends_ns = total ? monotonic_ns() + top->sampling.duration_ns : 0,
	};
	int code, err;

	err = batch.intervals ? watch_interval(&top->watch, delay_ns) : 0;
	code = err ? out_error_of_session(top->session, err) : loop(&batch, delay_ns);
	tprof_profile__free(batch.total);
	return code;
}
