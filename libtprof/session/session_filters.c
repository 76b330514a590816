// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The filters of a session: those that are called, in session->filters, and spare ones, which are loaded and can
 * replace them. A filter that was replaced is spare. Its counts are part of the ledger for ever, and its tables are
 * read once more: it is LEAVING until the generations are swapped, and SWAPPED until they have been read.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"
#include "profile/profile.h"
#include "session.h"

static int no_memory(struct tprof_session *session)
{
	return error_set(&session->error, ENOMEM, "session: not enough memory");
}

/* Whether the session can become the owner of the filter. */
static int check_owner(struct tprof_session *session, const struct tprof_filter *filter)
{
	if (!filter)
		return error_set(&session->error, EINVAL, "filter: no filter is given");
	if (!filter->owned)
		return 0;
	error_set(&session->error, EBUSY, "filter %s: belongs to a session already", tprof_filter__name(filter));
	error_hint(&session->error, "open the filter again for each session");
	return -EBUSY;
}

/* Appends the filter to a list, or frees it. */
static int own(struct tprof_session *session, struct tprof_filter *filter, struct filter_list *list)
{
	struct tprof_filter **grown = array_grow(list->all, list->nr, &list->capacity, sizeof(*grown));

	if (!grown) {
		tprof_filter__free(filter);
		return no_memory(session);
	}
	list->all = grown;
	grown[list->nr++] = filter;
	filter->owned = true;
	return 0;
}

int tprof_session__add_filter(struct tprof_session *session, struct tprof_filter *filter)
{
	int err = check_owner(session, filter);

	if (err)
		return err;
	err = session_check_filter(session, filter);
	if (err) {
		tprof_filter__free(filter);
		return err;
	}
	return own(session, filter, &session->filters);
}

struct tprof_filter *tprof_session__filter(const struct tprof_session *session, size_t index)
{
	return index < session->filters.nr ? session->filters.all[index] : NULL;
}

static int fit_tables(struct tprof_session *session, struct tprof_filter *filter)
{
	int err = 0;

	for (size_t i = 0; i < filter->nr_tables && !err; i++)
		err = table_fit_rate(&filter->tables[i], session_samples_per_second(session));
	return err ? error_set(&session->error, -err, "filter %s: its stack table cannot be enlarged: %s",
			       tprof_filter__name(filter), strerror(-err)) : 0;
}

static int refuse_copies(struct tprof_session *session, const struct tprof_filter *filter, int err)
{
	return error_set(&session->error, -err, "filter %s: its ring of stack copies cannot be mapped: %s",
			 tprof_filter__name(filter), strerror(-err));
}

static int load(struct tprof_session *session, struct tprof_filter *filter)
{
	int err = copies_prepare(filter, session_samples_per_second(session), &session->error);

	if (!err)
		err = fit_tables(session, filter);
	if (!err)
		err = session->ops->load(session->engine, filter, &session->error);
	if (err)
		return err;
	session_hide_event(session, filter);
	if (copies_made_by(filter))
		err = copies_add(session->copies, filter);
	if (!err && session->epoll_fd >= 0)
		err = copies_epoll_add(session->copies, session->epoll_fd);
	return err ? refuse_copies(session, filter, err) : 0;
}

/* The depth of the deepest stack table. */
static uint32_t max_frames(const struct filter_list *list, uint32_t most)
{
	for (size_t i = 0; i < list->nr; i++) {
		for (size_t t = 0; t < list->all[i]->nr_tables; t++) {
			uint32_t frames = table_stack_frames(&list->all[i]->tables[t]);

			most = frames > most ? frames : most;
		}
	}
	return most;
}

static void limit_frames(struct tprof_session *session)
{
	uint32_t most = max_frames(&session->spares, max_frames(&session->filters, 0));

	session->collector.max_frames = most ? most : TPROF_STACK_FRAMES;
}

int session_load_filters(struct tprof_session *session)
{
	int err = 0;

	session->engine = session->ops->open(&session->sampling, &session->log, &session->error);
	if (!session->engine)
		return -errno;
	for (size_t i = 0; i < session->filters.nr && !err; i++) {
		struct tprof_filter *filter = session->filters.all[i];

		filter->place.is_known = true;
		filter->place.index = i;
		err = load(session, filter);
		if (!err)
			err = session->ops->attach(session->engine, filter, &session->error);
	}
	limit_frames(session);
	return err;
}

int session_adopt_filter(struct tprof_session *session, struct tprof_filter *filter)
{
	int err = own(session, filter, &session->filters);

	if (err)
		return err;
	filter->place.is_known = true;
	filter->place.index = session->filters.nr - 1;
	err = session->ops->adopt(session->engine, filter, &session->error);
	if (err)
		return err;
	session_hide_event(session, filter);
	limit_frames(session);
	err = copies_made_by(filter) ? copies_add(session->copies, filter) : 0;
	return err ? refuse_copies(session, filter, err) : 0;
}

void session_choose_entries(struct tprof_session *session)
{
	struct tprof_filter *first = NULL;

	for (size_t i = 0; i < session->filters.nr; i++) {
		struct tprof_filter *filter = session->filters.all[i];
		const struct table *table = filter_entry_table(filter);

		if (table && (!first || table_has_place(table))) {
			first = filter;
			if (table_has_place(table))
				break;
		}
	}
	if (first)
		first->place.makes_entries = true;
}

const struct table *session_entry_table(const struct tprof_session *session)
{
	for (size_t i = 0; i < session->filters.nr; i++) {
		if (session->filters.all[i]->place.makes_entries)
			return filter_entry_table(session->filters.all[i]);
	}
	return NULL;
}

struct tprof_filter *session_read_filter(const struct tprof_session *session, size_t *at)
{
	while (*at < session->filters.nr + session->spares.nr) {
		size_t i = (*at)++;
		struct tprof_filter *filter = i < session->filters.nr ? session->filters.all[i] :
					      session->spares.all[i - session->filters.nr];

		if (i < session->filters.nr || filter->place.unread)
			return filter;
	}
	return NULL;
}

void session_set_profile(struct tprof_session *session, struct tprof_profile *profile)
{
	size_t nr = 0;

	session->collector.profile = profile;
	for (size_t i = 0; i < session->filters.nr; i++) {
		session->filters.all[i]->place.first_table = nr;
		nr += filter_nr_counts(session->filters.all[i]);
	}
	for (size_t i = 0; i < session->spares.nr; i++)
		session->spares.all[i]->place.first_table = SIZE_MAX;
}

static int check_spare(struct tprof_session *session, const struct tprof_filter *filter)
{
	const char *name = tprof_filter__name(filter);
	int err = session_check_process(session);

	if (!err)
		err = session_check_fixed(session, "its filters");
	if (err)
		return err;
	if (session->state == SESSION_OPEN) {
		error_set(&session->error, EINVAL, "filter %s: the session is not prepared", name);
		error_hint(&session->error, "tprof_session__add_filter() adds a filter before");
		return -EINVAL;
	}
	/* The state of the threads that wait is in maps of the filter. */
	if (object_follows_threads(&session->sampling.object) &&
	    !session->ops->waits_outlive_filters) {
		error_set(&session->error, EOPNOTSUPP, "filter %s: cannot take over the waits in progress (off-cpu)",
			  name);
		error_hint(&session->error, "open another session");
		return -EOPNOTSUPP;
	}
	if (session->broker) {
		error_set(&session->error, EPERM, "filter %s: the session is in a sandbox and cannot load it", name);
		error_hint(&session->error, "call tprof_session__load_filter() before tprof_session__sandbox()");
		return -EPERM;
	}
	return session_check_loaded(session, filter);
}

int tprof_session__load_filter(struct tprof_session *session, struct tprof_filter *filter)
{
	int err = check_owner(session, filter);

	if (err)
		return err;
	err = check_spare(session, filter);
	if (!err)
		err = load(session, filter);
	if (err) {
		tprof_filter__free(filter);
		return err;
	}
	filter->place.first_table = SIZE_MAX;
	err = own(session, filter, &session->spares);
	if (!err)
		limit_frames(session);
	return err;
}

/* Returns the index, or list->nr. */
static size_t find(const struct filter_list *list, const struct tprof_filter *filter)
{
	size_t i = 0;

	while (i < list->nr && list->all[i] != filter)
		i++;
	return i;
}

static int check_filters(struct tprof_session *session, const struct tprof_filter *filter,
			 const struct tprof_filter *with)
{
	const char *name = tprof_filter__name(with);

	if (session->collector.raw) {
		error_set(&session->error, EBUSY, "filter %s: the session writes a raw recording", name);
		error_hint(&session->error, "end it with tprof_session__stop() and tprof_session__close()");
		return -EBUSY;
	}
	if (find(&session->filters, filter) == session->filters.nr)
		return error_set(&session->error, ENOENT, "filter %s: the filter that it would replace is not called "
				 "by the session", name);
	if (with->owned && find(&session->spares, with) == session->spares.nr) {
		error_set(&session->error, EBUSY, "filter %s: belongs to a session already, which calls it", name);
		error_hint(&session->error, "open the filter again, to call it twice");
		return -EBUSY;
	}
	return 0;
}

/* Whether both count the same way: entries come from tables or from kept samples, and each place has its counters. */
static int check_alike(struct tprof_session *session, const struct tprof_filter *filter,
		       const struct tprof_filter *with)
{
	const char *name = tprof_filter__name(with), *old = tprof_filter__name(filter);

	if (with->nr_entries != filter->nr_entries)
		return error_set(&session->error, EINVAL, "filter %s: its object has %zu filters, and cannot replace "
				 "%s, whose object has %zu", name, with->nr_entries, old, filter->nr_entries);
	if (!filter_nr_counts(with) != !filter_nr_counts(filter))
		return error_set(&session->error, EINVAL, "filter %s: has %s table, and cannot replace %s, which has "
				 "%s", name, filter_nr_counts(with) ? "a" : "no", old,
				 filter_nr_counts(filter) ? "one" : "none");
	if (with->place.is_known && with->place.index != filter->place.index) {
		error_set(&session->error, EINVAL, "filter %s: was called instead of another filter before", name);
		error_hint(&session->error, "open the filter again");
		return -EINVAL;
	}
	return session_check_events(session, with, filter->place.makes_entries);
}

/* Adds the tables to the profile that has those of the old filter. */
static int add_tables(struct tprof_session *session, struct tprof_filter *filter)
{
	struct tprof_profile *profile = session->collector.profile;
	size_t first = profile->nr_tables;

	if (filter->place.first_table != SIZE_MAX)
		return 0;
	for (size_t t = 0; t < filter->nr_tables; t++) {
		if (!filter->tables[t].stacks && profile_add_table(profile, filter->tables[t].name) < 0)
			return no_memory(session);
	}
	filter->place.first_table = first;
	return 0;
}

static int replace(struct tprof_session *session, size_t index, size_t spare)
{
	struct tprof_filter *old = session->filters.all[index], *with = session->spares.all[spare];
	int err = with->place.unread ? session_collect(session) : 0;

	if (!err)
		err = add_tables(session, with);
	if (err)
		return err;
	with->place.is_known = true;
	with->place.index = index;
	with->place.makes_entries = old->place.makes_entries;
	err = session->ops->replace(session->engine, index, with, &session->error);
	if (err) {
		/* It may have been called for some samples. */
		with->place.unread = FILTER_LEAVING;
		return err;
	}
	session->filters.all[index] = with;
	session->spares.all[spare] = old;
	old->place.unread = FILTER_LEAVING;
	err = session->state == SESSION_RUNNING ? session_set_timer(session) : 0;
	return err ? error_set(&session->error, -err, "session: its timer cannot be set: %s", strerror(-err)) : 0;
}

int tprof_session__replace_filter(struct tprof_session *session, struct tprof_filter *filter,
				  struct tprof_filter *with)
{
	bool is_new = with && !with->owned;
	int err;

	if (!with)
		return check_owner(session, with);
	err = check_filters(session, filter, with);
	if (!err && is_new)
		err = check_spare(session, with);
	if (!err)
		err = check_alike(session, filter, with);
	if (err) {
		if (is_new)
			tprof_filter__free(with);
		return err;
	}
	err = is_new ? tprof_session__load_filter(session, with) : session_check_process(session);
	if (err)
		return err;
	return replace(session, find(&session->filters, filter), find(&session->spares, with));
}
