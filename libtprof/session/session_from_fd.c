// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Continues the session of another process, from its descriptor. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "handover.h"

#ifndef SCM_PIDFD
#define SCM_PIDFD	4		/* Linux 6.5 */
#endif

/* For control messages that any owner of the socket can request. */
#define OTHER_CONTROL_BYTES 1024

#define MOST_CPUS	65536
#define MOST_TARGETS	(1U << 20)
#define MOST_ENGINE_BYTES (64U << 20)

/* The message of the socket. A descriptor that has an owner is -1. */
struct received {
	int fds[HANDOVER_FDS];
	size_t nr;
	struct handover *memory;	/* a copy, which nobody can change; it belongs to the session */
};

/* The caller cannot ask a session that it does not get. */
static void give_error(const struct tprof_session *session, struct tprof_error *error)
{
	if (error)
		*error = session->error;
}

static void close_all(struct received *received)
{
	for (size_t i = 0; i < received->nr; i++) {
		if (received->fds[i] >= 0)
			close(received->fds[i]);
	}
	received->nr = 0;
}

/* A socket may add other control messages, some of them with descriptors. */
static void take_descriptors(struct received *received, struct msghdr *message)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);

	for (; header; header = CMSG_NXTHDR(message, header)) {
		size_t nr = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		int *fds = (int *)CMSG_DATA(header);

		if (header->cmsg_level != SOL_SOCKET)
			continue;
		if (header->cmsg_type == SCM_PIDFD && nr && fds[0] >= 0)
			close(fds[0]);
		if (header->cmsg_type == SCM_RIGHTS && nr <= HANDOVER_FDS) {
			memcpy(received->fds, fds, nr * sizeof(int));
			received->nr = nr;
		}
	}
}

/* Peeks, so that the message stays for others. */
static int receive(struct received *received, int fd, struct tprof_error *error)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(HANDOVER_FDS * sizeof(int)) + OTHER_CONTROL_BYTES];
	char byte;
	struct iovec bytes = { &byte, sizeof(byte) };
	struct msghdr message = {
		.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control),
	};
	ssize_t got = recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (got < 0 && (errno == EBADF || errno == ENOMEM))
		return error_set(error, errno, "session: its descriptor cannot be read: %s", strerror(errno));
	if (got < 0)
		return handover_refuse(error);
	take_descriptors(received, &message);
	if (got != 1 || !received->nr) {
		close_all(received);
		return handover_refuse(error);
	}
	if (!(message.msg_flags & MSG_CTRUNC))
		return 0;
	close_all(received);
	error_set(error, EMFILE, "session: its descriptors cannot be opened: too many open files");
	error_hint_files(error, EMFILE);
	return -EMFILE;
}

/* Ends a text, and removes what must not be printed. */
#define MEND(text) mend(text, sizeof(text))

static void mend(char *text, size_t size)
{
	text[size - 1] = '\0';
	utf8_clean(text);
}

/* Numbers that are used as sizes. */
static bool has_sound_sizes(const struct handover *memory, size_t bytes)
{
	return memory->size == sizeof(*memory) && memory->nr_cpus && memory->nr_cpus <= MOST_CPUS &&
	       memory->nr_targets <= MOST_TARGETS && memory->engine_bytes <= MOST_ENGINE_BYTES &&
	       bytes >= handover_bytes(memory) && memory->nr_events && memory->nr_events <= TPROF_EVENTS_MAX &&
	       memory->nr_filters && memory->nr_filters <= TPROF_MAX_FILTERS && memory->nr_engine_fds &&
	       memory->nr_engine_fds < HANDOVER_FDS && memory->object.nr_cgroups <= TPROF_SCOPE_MAX_CGROUPS;
}

/* An event has a rate or a period. */
static bool is_sound_event(struct handover_event *event, const struct handover_read *read, size_t e)
{
	MEND(event->unit);
	MEND(event->sampled.event.name);
	MEND(event->sampled.event.source);
	MEND(event->sampled.event.place.path);
	MEND(event->sampled.event.place.function);
	return read->rates_hz[e] <= TPROF_RATE_HZ_MAX && (read->rates_hz[e] || read->periods[e]);
}

static bool is_sound_filter(struct handover_filter *filter)
{
	MEND(filter->path);
	for (uint32_t p = 0; p < filter->nr_params && p < HANDOVER_PARAMS; p++)
		MEND(filter->params[p]);
	return filter->nr_params <= HANDOVER_PARAMS && filter->nr_maps <= HANDOVER_FDS;
}

static bool is_sound(struct handover *memory, size_t nr_fds)
{
	size_t nr = 1 + memory->nr_engine_fds;
	bool sound = true;

	memory->valid &= 1;
	MEND(memory->fallback);
	memory->object.comm[sizeof(memory->object.comm) - 1] = '\0';
	for (uint32_t i = 0; i < memory->nr_filters && sound; i++) {
		sound = is_sound_filter(&memory->filters[i]);
		nr += 1 + memory->filters[i].nr_maps;
	}
	for (uint32_t e = 0; e < memory->nr_events && sound; e++)
		sound = is_sound_event(&memory->events[e], &memory->read[memory->valid], e);
	return sound && nr == nr_fds;
}

static int refuse_version(const char *version, struct tprof_error *error)
{
	error_set(error, EPROTO, "session: belongs to version %s of the library, and this is version %s", version,
		  tprof_version());
	error_hint(error, "continue it with that version, or open another session");
	return -EPROTO;
}

/* Copies the memory, as far as it says that it goes. */
static int copy_memory(struct handover_mapped *mapped, struct tprof_error *error)
{
	struct handover *copy = malloc(sizeof(*copy)), *whole;
	size_t bytes;

	mapped->taken = copy;
	if (!copy)
		return error_set(error, ENOMEM, "session: not enough memory");
	memcpy(copy, mapped->memory, sizeof(*copy));
	copy->magic[sizeof(copy->magic) - 1] = '\0';
	MEND(copy->version);
	if (strcmp(copy->magic, HANDOVER_MAGIC) != 0)
		return handover_refuse(error);
	if (strcmp(copy->version, tprof_version()) != 0)
		return refuse_version(copy->version, error);
	if (!has_sound_sizes(copy, mapped->bytes))
		return handover_refuse(error);
	bytes = handover_bytes(copy);
	whole = malloc(bytes);
	if (!whole)
		return error_set(error, ENOMEM, "session: not enough memory");
	memcpy(whole, copy, sizeof(*whole));
	memcpy(whole + 1, mapped->memory + 1, bytes - sizeof(*whole));
	free(copy);
	mapped->taken = whole;
	return 0;
}

/* Locks the memory, and copies it. */
static int take_memory(struct tprof_session *session, struct received *received, struct tprof_error *error)
{
	struct handover_mapped *mapped = calloc(1, sizeof(*mapped));
	int err;

	session->handover = mapped;
	if (!mapped)
		return error_set(error, ENOMEM, "session: not enough memory");
	err = handover_map(mapped, received->fds[0], error);
	if (!err)
		err = copy_memory(mapped, error);
	if (err)
		return err;
	received->memory = mapped->taken;
	handover_bind(mapped, mapped->taken);
	return is_sound(received->memory, received->nr) ? 0 : handover_refuse(error);
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
		sampling->events[e].period = read->periods[e];
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
		give_error(session, error);
	else if (!filter->path)
		err = error_set(error, ENOMEM, "session: not enough memory");
	return err;
}

static int take_engine(struct tprof_session *session, struct received *received, bool *is_running,
		       struct tprof_error *error)
{
	struct handover *memory = received->memory;

	if (memory->engine_bytes != session->ops->noted_bytes(&session->sampling))
		return handover_refuse(error);
	session->engine = session->ops->take(&session->sampling, &session->log, received->fds + 1,
					     memory->nr_engine_fds, handover_engine(memory, memory->valid),
					     is_running, error);
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

/* Drops the rest of generations of which the last process has read a part, which is lost. */
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

/* Samples that were read from the tables, or kept and counted, and are in no profile. */
static uint64_t nr_unreported(const struct tprof_session *session, const struct handover_read *read)
{
	uint64_t settled = read->settled.countings[TPROF_COUNTING_AGGREGATED].samples;
	uint64_t reported = read->reported.countings[TPROF_COUNTING_AGGREGATED].samples;

	if (!session_entry_table(session)) {
		settled = read->stream_taken ? 0 : read->counted_kept;
		reported = read->reported.outcomes[TPROF_OUTCOME_KEPT].samples;
	}
	return settled > reported ? settled - reported : 0;
}

static void say_unreported(struct tprof_session *session)
{
	char sentence[160];

	if (!session->unreported)
		return;
	snprintf(sentence, sizeof(sentence), "processes that had the session before have read %" PRIu64
		 " samples that are in none of their profiles", session->unreported);
	tprof_session__warn(session, sentence);
	log_warn(&session->log, "%s", sentence);
}

/* The generations were swapped after the last note, so nothing of the retired ones was read. */
static int continue_swap(struct tprof_session *session, const struct handover_read *read)
{
	for (size_t i = 0; i < session->filters.nr; i++) {
		for (size_t e = 0; e < session->sampling.nr_events; e++)
			filter_set_rested(session->filters.all[i], e, &read->retired[i][e]);
	}
	session->unread = session->handover->swapped = true;
	return session->ops->observe(session->engine);
}

/* When the last reading was. */
static uint64_t read_until(const struct handover_read *read)
{
	return read->settled_ns ? read->settled_ns : read->snapshot_ns;
}

/* Continues behind everything that was read. */
static int take_read(struct tprof_session *session, const struct handover_read *read)
{
	bool was_swapped;
	int err = 0;

	session->settled = read->settled;
	session->cleared = read->cleared;
	memcpy(session->settled_events, read->settled_events, sizeof(session->settled_events));
	session->counted_kept = read->counted_kept;
	session->stream_taken = read->stream_taken;
	session->started_ns = read->started_ns;
	session->stopped_ns = session->state == SESSION_STOPPED && read->state == SESSION_RUNNING ? clock_now_ns() :
			      read->stopped_ns;
	session->settled_ns = read->settled_ns;
	session->snapshot_ns = read_until(read);
	session->halted_ns = read->halted_ns - read->settled_halted_ns;
	session->unreported = read->unreported + nr_unreported(session, read);
	/* Those of the next process events. */
	session->settled.sideband_lost = session->cleared.sideband_lost = 0;
	session->settled.unnamed_sideband_lost = session->cleared.unnamed_sideband_lost = (struct tprof_tally){ 0 };
	was_swapped = read->unread == HANDOVER_SWAPPED;
	for (size_t i = 0; i < session->filters.nr; i++)
		was_swapped |= session->filters.all[i]->current != read->current[i];
	if (was_swapped)
		err = continue_swap(session, read);
	else if (read->unread != HANDOVER_READ)
		err = drop_rest(session);
	session->reported = session->settled;
	memcpy(session->reported_events, session->settled_events, sizeof(session->reported_events));
	return err;
}

/*
 * The kernel knows whether the session runs. The last process may have been killed before or after it has changed
 * that.
 */
static enum session_state state_of(const struct handover_read *read, bool is_running)
{
	if (is_running)
		return SESSION_RUNNING;
	return read->state == SESSION_PREPARED || read->state == SESSION_PAUSED ? read->state : SESSION_STOPPED;
}

/* As after a start. */
static int go_on(struct tprof_session *session)
{
	int err = 0;

	session->collected_ns = session->adapting_ns = clock_own_ns();
	for (size_t e = 0; e < session->sampling.nr_events; e++) {
		session->adapted_ns[e] = session->adapting_ns;
		session->ops->event_rate(session->engine, e, 1);
	}
	session_adapt_soon(session);
	if (session->state == SESSION_RUNNING)
		err = session_set_timer(session);
	aspaces_scan(session->aspaces);
	scope_scan(session);
	return err ? error_set(&session->error, -err, "session: its timer cannot be set: %s", strerror(-err)) : 0;
}

static int take(struct tprof_session *session, const struct tprof_session_opts *known, struct received *received,
		struct tprof_error *error)
{
	const struct handover_read *read;
	int err = take_memory(session, received, error);
	bool is_running;

	if (err)
		return err;
	read = &received->memory->read[received->memory->valid];
	if (take_sampling(session, received->memory))
		return error_set(error, ENOMEM, "session: not enough memory");
	err = session_create_objects(session, known, error);
	if (!err)
		err = take_engine(session, received, &is_running, error);
	if (!err)
		err = take_filters(session, received, error);
	if (err)
		return err;
	session->owner = getpid();
	session->state = state_of(read, is_running);
	session_name_events(session);
	session_choose_entries(session);
	err = session_open_sideband(session);
	if (!err)
		err = session_attach_readers(session);
	if (!err)
		err = take_read(session, read);
	if (!err)
		err = go_on(session);
	if (err) {
		give_error(session, error);
		return err;
	}
	say_unreported(session);
	handover_note(session);
	return 0;
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
	close_all(&received);
	if (!err)
		return session;
	tprof_session__close(session);
	errno = -err;
	return NULL;
}
