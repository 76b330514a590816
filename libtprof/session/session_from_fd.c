// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Continues the session of another process, from its descriptor. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sized.h"
#include "handover.h"
#include "profile/ledger.h"

/* What came with the descriptor. Those that have an owner are -1. */
struct received {
	int fds[HANDOVER_FDS];
	size_t nr;
	struct handover *memory;	/* a copy, which nobody can change; it belongs to the session */
};

static int is_none(struct tprof_error *error)
{
	error_set(error, EPROTO, "session: the descriptor is not that of a session");
	error_hint(error, "it comes from tprof_session__fd() of another process");
	return -EPROTO;
}

/* Peeks, so that the message stays for others. */
static int receive(struct received *received, int fd, struct tprof_error *error)
{
	char control[CMSG_SPACE(HANDOVER_FDS * sizeof(int))], byte;
	struct iovec bytes = { &byte, sizeof(byte) };
	struct msghdr message = {
		.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *header;
	ssize_t got = recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (got < 0 && errno != ENOTSOCK && errno != EAGAIN)
		return error_set(error, errno, "session: its descriptor cannot be read: %s", strerror(errno));
	header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
		return is_none(error);
	received->nr = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(received->fds, CMSG_DATA(header), received->nr * sizeof(int));
	if (!(message.msg_flags & MSG_CTRUNC))
		return 0;
	error_set(error, EMFILE, "session: not all of its %zu descriptors could be opened", received->nr);
	error_hint_files(error, EMFILE);
	return -EMFILE;
}

/* Ends all texts, and checks all numbers that are used as sizes. */
static bool is_sound(struct handover *memory, size_t bytes, size_t nr_fds)
{
	size_t nr = 1 + memory->nr_engine_fds;

	if (memory->size != sizeof(*memory) || memory->nr_cpus > 65536 || memory->nr_targets > 1 << 20 ||
	    memory->engine_bytes > 1 << 28 || bytes < handover_bytes(memory) || !memory->nr_events ||
	    memory->nr_events > TPROF_EVENTS_MAX || !memory->nr_filters || memory->nr_filters > TPROF_MAX_FILTERS ||
	    !memory->nr_engine_fds || !memory->nr_cpus || memory->object.nr_cgroups > TPROF_SCOPE_MAX_CGROUPS)
		return false;
	for (uint32_t i = 0; i < memory->nr_filters; i++) {
		struct handover_filter *filter = &memory->filters[i];

		filter->path[sizeof(filter->path) - 1] = '\0';
		if (filter->nr_params > HANDOVER_PARAMS || filter->nr_maps > HANDOVER_FDS)
			return false;
		for (uint32_t p = 0; p < filter->nr_params; p++)
			filter->params[p][sizeof(filter->params[p]) - 1] = '\0';
		nr += 1 + filter->nr_maps;
	}
	for (uint32_t e = 0; e < memory->nr_events; e++) {
		struct handover_event *event = &memory->events[e];

		event->unit[sizeof(event->unit) - 1] = '\0';
		event->sampled.event.name[sizeof(event->sampled.event.name) - 1] = '\0';
		event->sampled.event.source[sizeof(event->sampled.event.source) - 1] = '\0';
		event->sampled.event.place.path[sizeof(event->sampled.event.place.path) - 1] = '\0';
		event->sampled.event.place.function[sizeof(event->sampled.event.place.function) - 1] = '\0';
	}
	memory->fallback[sizeof(memory->fallback) - 1] = '\0';
	memory->valid &= 1;
	return nr == nr_fds;
}

/* Locks the memory, and copies it. */
static int take_memory(struct tprof_session *session, struct received *received, struct tprof_error *error)
{
	struct handover_mapped *mapped = calloc(1, sizeof(*mapped));
	struct stat st;
	int err;

	session->handover = mapped;
	if (!mapped)
		return error_set(error, ENOMEM, "session: not enough memory");
	if (!received->nr || fstat(received->fds[0], &st) || !S_ISREG(st.st_mode) ||
	    (size_t)st.st_size < sizeof(struct handover))
		return is_none(error);
	err = handover_map(mapped, received->fds[0], error);
	if (err)
		return err;
	received->memory = mapped->taken = malloc(mapped->bytes);
	if (!received->memory)
		return error_set(error, ENOMEM, "session: not enough memory");
	memcpy(received->memory, mapped->memory, mapped->bytes);
	received->memory->magic[sizeof(received->memory->magic) - 1] = '\0';
	received->memory->version[sizeof(received->memory->version) - 1] = '\0';
	if (strcmp(received->memory->magic, HANDOVER_MAGIC) != 0)
		return is_none(error);
	if (strcmp(received->memory->version, tprof_version()) != 0) {
		error_set(error, EPROTO, "session: belongs to version %s of the library, and this is version %s",
			  received->memory->version, tprof_version());
		error_hint(error, "continue it with that version, or open another session");
		return -EPROTO;
	}
	return is_sound(received->memory, mapped->bytes, received->nr) ? 0 : is_none(error);
}

static int take_sampling(struct tprof_session *session, struct handover *memory)
{
	struct sampling *sampling = &session->sampling;
	const struct handover_read *read = &memory->read[memory->valid];
	const uint32_t *ids = handover_cpus(memory);

	session->ops = &engine_kmod;
	sampling->nr_events = memory->nr_events;
	for (uint32_t e = 0; e < memory->nr_events; e++) {
		sampling->events[e] = memory->events[e].sampled;
		sampling->events[e].event.unit = memory->events[e].unit;
		sampling->events[e].rate_hz = read->rates_hz[e];
	}
	memcpy(sampling->fallback, memory->fallback, sizeof(sampling->fallback));
	sampling->object = memory->object;
	sampling->stream_bytes = memory->stream_bytes;
	sampling->stall = memory->stall;
	sampling->cpus.chosen = memory->cpus_chosen;
	sampling->cpus.ids = calloc(memory->nr_cpus, sizeof(*sampling->cpus.ids));
	session->targets.all = calloc(memory->nr_targets + 1, sizeof(*session->targets.all));
	if (!sampling->cpus.ids || !session->targets.all)
		return -ENOMEM;
	for (uint32_t i = 0; i < memory->nr_cpus; i++)
		sampling->cpus.ids[sampling->cpus.nr++] = ids[i];
	sampling->cpus.nr_online = (unsigned int)sampling->cpus.nr;
	memcpy(session->targets.all, handover_targets(memory), memory->nr_targets * sizeof(*session->targets.all));
	session->targets.nr = memory->nr_targets;
	session->targets.capacity = memory->nr_targets + 1;
	return 0;
}

static int take_filter(struct tprof_session *session, const struct handover_filter *described, const int *fds,
		       struct tprof_error *error)
{
	struct tprof_filter *filter;
	char path[32];
	int err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	filter = tprof_filter__open(path, error);
	if (!filter)
		return -errno;
	for (uint32_t i = 0; i < described->nr_params && i < filter->nr_params; i++)
		memcpy(filter->params[i].value, described->params[i], sizeof(filter->params[i].value));
	err = filter_adopt_maps(filter, described->stack_frames, fds + 1, described->nr_maps, error);
	if (err) {
		tprof_filter__free(filter);
		return err;
	}
	free(filter->path);
	filter->path = strdup(described->path);
	err = session_adopt_filter(session, filter);
	if (err)
		*error = session->error;
	else if (!filter->path)
		err = error_set(error, ENOMEM, "session: not enough memory");
	return err;
}

static int take_engine(struct tprof_session *session, struct received *received, struct tprof_error *error)
{
	struct handover *memory = received->memory;
	const struct handover_read *read = &memory->read[memory->valid];

	if (memory->engine_bytes != session->ops->noted_bytes(&session->sampling))
		return is_none(error);
	session->engine = session->ops->take(&session->sampling, &session->log, received->fds + 1,
					     memory->nr_engine_fds, handover_engine(memory, memory->valid),
					     read->state == SESSION_RUNNING, error);
	for (uint32_t i = 0; i < memory->nr_engine_fds; i++)
		received->fds[1 + i] = -1;
	return session->engine ? 0 : -errno;
}

static int take_filters(struct tprof_session *session, struct received *received, struct tprof_error *error)
{
	const struct handover *memory = received->memory;
	const int *fds = received->fds + 1 + memory->nr_engine_fds;
	int err = 0;

	for (uint32_t i = 0; i < memory->nr_filters && !err; i++) {
		err = take_filter(session, &memory->filters[i], fds, error);
		fds += 1 + memory->filters[i].nr_maps;
	}
	return err;
}

static void ignore(void *ctx, const void *key, const void *value)
{
	(void)ctx;
	(void)key;
	(void)value;
}

/* What is left of generations that were being read: the rest of them is lost, so this is, too. */
static int drop_rest(struct tprof_session *session)
{
	int nr = 0;

	for (size_t i = 0; i < session->filters.nr && nr >= 0; i++) {
		struct tprof_filter *filter = session->filters.all[i];

		for (size_t t = 0; t < filter->nr_tables && nr >= 0; t++)
			nr = table_read(&filter->tables[t], !filter->current, ignore, NULL);
	}
	return nr < 0 ? nr : 0;
}

/* Samples that were read from the tables, and are in no profile. */
static void say_lost(struct tprof_session *session)
{
	uint64_t read = session->settled.countings[TPROF_COUNTING_AGGREGATED].samples;
	uint64_t reported = session->reported.countings[TPROF_COUNTING_AGGREGATED].samples;
	char sentence[160];

	if (read <= reported)
		return;
	snprintf(sentence, sizeof(sentence), "the process that had the session before has read %" PRIu64
		 " samples that are in none of its profiles", read - reported);
	tprof_session__warn(session, sentence);
	log_warn(&session->log, "%s", sentence);
}

/*
 * Continues behind everything that was read. If the generations differ from those noted, they were swapped afterwards,
 * and nothing was read yet.
 */
static int take_read(struct tprof_session *session, const struct handover_read *read)
{
	bool was_swapped = false;
	int err = 0;

	session->settled = read->settled;
	session->reported = read->reported;
	session->cleared = read->cleared;
	memcpy(session->settled_events, read->settled_events, sizeof(session->settled_events));
	session->counted_kept = read->counted_kept;
	session->started_ns = read->started_ns;
	session->stopped_ns = read->stopped_ns;
	session->settled_ns = read->settled_ns;
	/* Those of the next process events. */
	session->settled.sideband_lost = session->cleared.sideband_lost = 0;
	session->settled.unnamed_sideband_lost = session->cleared.unnamed_sideband_lost = (struct tprof_tally){ 0 };
	for (size_t i = 0; i < session->filters.nr; i++)
		was_swapped |= session->filters.all[i]->current != read->current[i];
	if (read->unread && !was_swapped)
		err = drop_rest(session);
	say_lost(session);
	session->unread = was_swapped;
	session->reported = session->settled;
	memcpy(session->reported_events, session->settled_events, sizeof(session->reported_events));
	session->snapshot_ns = read->settled_ns ? read->settled_ns : read->snapshot_ns;
	return err;
}

/* As after a start. */
static int go_on(struct tprof_session *session, enum session_state state)
{
	int err = 0;

	session->collected_ns = session->adapting_ns = clock_own_ns();
	for (size_t e = 0; e < session->sampling.nr_events; e++) {
		session->adapted_ns[e] = session->adapting_ns;
		session->ops->event_rate(session->engine, e, 1);
	}
	session->state = state;
	session_adapt_soon(session);
	if (state == SESSION_RUNNING)
		err = session_set_timer(session);
	aspaces_scan(session->aspaces);
	scope_scan(session);
	return err ? error_set(&session->error, -err, "session: its timer cannot be set: %s", strerror(-err)) : 0;
}

static int take(struct tprof_session *session, const struct tprof_session_opts *known, struct received *received,
		struct tprof_error *error)
{
	const struct handover_read *read;
	enum session_state state;
	int err = take_memory(session, received, error);

	if (err)
		return err;
	read = &received->memory->read[received->memory->valid];
	state = read->state > SESSION_STOPPED || read->state < SESSION_PREPARED ? SESSION_STOPPED : read->state;
	if (take_sampling(session, received->memory))
		return error_set(error, ENOMEM, "session: not enough memory");
	err = session_create_objects(session, known, error);
	if (!err)
		err = take_engine(session, received, error);
	if (!err)
		err = take_filters(session, received, error);
	if (err)
		return err;
	session->owner = getpid();
	session->state = SESSION_PREPARED;
	session_name_events(session);
	session_choose_entries(session);
	err = session_open_sideband(session);
	if (!err)
		err = session_attach_readers(session);
	if (!err)
		err = take_read(session, read);
	if (!err)
		err = go_on(session, state);
	if (err)
		*error = session->error;
	return err;
}

static int check(const struct tprof_session_opts *opts, struct tprof_error *error)
{
	if (!opts->engine && !opts->event && !opts->rate_hz && !opts->period && !opts->cpus && !opts->nr_pids &&
	    !opts->nr_tids && !opts->nr_cgroups && !opts->comm && !opts->user_only && !opts->kernel_only &&
	    !opts->nr_events && !opts->wait_min_ns && !opts->stream_bytes && !opts->stall)
		return 0;
	error_set(error, EINVAL, "session options: what the session samples is given already");
	error_hint(error, "set only tables, log, lines, inlines and debuginfod_ms");
	return -EINVAL;
}

struct tprof_session *tprof_session__from_fd(int fd, const struct tprof_session_opts *opts, struct tprof_error *error)
{
	const struct tprof_session_opts defaults = { .sz = sizeof(defaults) };
	struct tprof_session_opts known = defaults;
	struct tprof_session *session = NULL;
	struct received received = { .nr = 0 };
	int err = opts ? sized_error(error, sized_take(&known, sizeof(known), opts), "session options") : 0;

	if (!err)
		err = check(&known, error);
	if (!err)
		err = receive(&received, fd, error);
	if (!err) {
		session = session_new(&known, error);
		err = session ? take(session, &known, &received, error) : -errno;
	}
	for (size_t i = 0; i < received.nr; i++) {
		if (received.fds[i] >= 0)
			close(received.fds[i]);
	}
	if (!err)
		return session;
	tprof_session__close(session);
	errno = -err;
	return NULL;
}
