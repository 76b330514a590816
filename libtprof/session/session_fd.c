// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* A descriptor that is the session, for the process that has it next. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "filter/filter_image.h"
#include "handover.h"

/* The descriptors that are passed. Those in @own, of the memory and the objects, are closed afterwards. */
struct passing {
	int fds[HANDOVER_FDS];
	size_t nr;
	int own[1 + TPROF_MAX_FILTERS];
	size_t nr_own;
};

static int failed(struct tprof_session *session, const char *what, int err)
{
	error_set(&session->error, -err, "session: %s: %s", what, strerror(-err));
	error_hint_files(&session->error, -err);
	return err;
}

static int too_many(struct tprof_session *session)
{
	error_set(&session->error, E2BIG, "session: a message can pass %d descriptors, and its filters have more",
		  HANDOVER_FDS);
	error_hint(&session->error, "use fewer filters, or filters with fewer tables");
	return -E2BIG;
}

static int make_memory(struct passing *passing, const char *name, const void *bytes, size_t size)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING), err;
	size_t done = 0;

	if (fd < 0)
		return -errno;
	while (done < size) {
		ssize_t written = write(fd, (const char *)bytes + done, size - done);

		if (written < 0) {
			err = -errno;
			close(fd);
			return err;
		}
		done += (size_t)written;
	}
	if (fcntl(fd, F_ADD_SEALS, seals)) {
		err = -errno;
		close(fd);
		return err;
	}
	passing->own[passing->nr_own++] = fd;
	passing->fds[passing->nr++] = fd;
	return fd;
}

static void describe_events(const struct sampling *sampling, struct handover *handover)
{
	handover->nr_events = (uint32_t)sampling->nr_events;
	for (size_t e = 0; e < sampling->nr_events; e++) {
		struct handover_event *event = &handover->events[e];

		event->sampled = sampling->events[e];
		event->sampled.event.unit = NULL;
		snprintf(event->unit, sizeof(event->unit), "%s", sampling->events[e].event.unit);
	}
	memcpy(handover->fallback, sampling->fallback, sizeof(handover->fallback));
	handover->object = sampling->object;
	handover->stream_bytes = sampling->stream_bytes;
	handover->stall = sampling->stall;
	handover->cpus_chosen = sampling->cpus.chosen;
}

static int describe_filter(struct tprof_session *session, const struct tprof_filter *filter,
			   struct handover_filter *described)
{
	size_t length = strlen(filter->path);

	if (length >= sizeof(described->path) || filter->nr_params > HANDOVER_PARAMS)
		return error_set(&session->error, E2BIG, "filter %s: its path or its list of parameters is too long "
				 "to be passed on", tprof_filter__name(filter));
	memcpy(described->path, filter->path, length);
	described->stack_frames = filter_passed_frames(filter);
	described->nr_maps = (uint32_t)filter_pass_maps(filter, NULL, 0);
	described->nr_params = (uint32_t)filter->nr_params;
	for (size_t i = 0; i < filter->nr_params; i++)
		memcpy(described->params[i], filter->params[i].value, sizeof(described->params[i]));
	return 0;
}

/* Describes the session, in memory that the caller frees. */
static int describe(struct tprof_session *session, size_t nr_engine_fds, struct handover **described)
{
	const struct sampling *sampling = &session->sampling;
	struct handover sizes = {
		.nr_cpus = (uint32_t)sampling->cpus.nr, .nr_targets = (uint32_t)session->targets.nr,
		.engine_bytes = (uint32_t)session->ops->noted_bytes(sampling),
	};
	struct handover *handover = calloc(1, handover_bytes(&sizes));
	int err = 0;

	*described = handover;
	if (!handover)
		return failed(session, "it cannot be described", -ENOMEM);
	*handover = sizes;
	strcpy(handover->magic, HANDOVER_MAGIC);
	snprintf(handover->version, sizeof(handover->version), "%s", tprof_version());
	handover->size = sizeof(*handover);
	handover->nr_engine_fds = (uint32_t)nr_engine_fds;
	handover->nr_filters = (uint32_t)session->filters.nr;
	describe_events(sampling, handover);
	for (size_t i = 0; i < sampling->cpus.nr; i++)
		handover_cpus(handover)[i] = sampling->cpus.ids[i];
	for (size_t i = 0; i < session->targets.nr; i++)
		handover_targets(handover)[i] = session->targets.all[i];
	for (size_t i = 0; i < session->filters.nr && !err; i++)
		err = describe_filter(session, session->filters.all[i], &handover->filters[i]);
	return err;
}

/* The next process reads the file of the filter, which may change until then; this one may have changed already. */
static int check_object(struct tprof_session *session, const struct tprof_filter *filter, int fd)
{
	struct tprof_filter *again;
	int fds[HANDOVER_FDS], err;
	size_t nr = filter_pass_maps(filter, fds, HANDOVER_FDS);
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = tprof_filter__open(path, &session->error);
	if (!again)
		return -errno;
	err = filter_adopt_maps(again, filter_passed_frames(filter), fds, nr, &session->error);
	tprof_filter__free(again);
	return err;
}

static int pass_filter(struct tprof_session *session, const struct tprof_filter *filter, struct passing *passing)
{
	size_t left = HANDOVER_FDS - passing->nr - 1, nr;
	struct filter_image image;
	int fd, err;

	if (passing->nr >= HANDOVER_FDS - 1 || filter_pass_maps(filter, NULL, 0) > left)
		return too_many(session);
	err = filter_image_read(&image, filter->path, &session->error);
	if (err)
		return err;
	fd = make_memory(passing, "tprof-filter", image.bytes, image.size);
	filter_image_free(&image);
	if (fd < 0)
		return failed(session, "a filter cannot be passed on", fd);
	nr = filter_pass_maps(filter, &passing->fds[passing->nr], left);
	passing->nr += nr;
	return check_object(session, filter, fd);
}

/* The first is the memory, then come those of the engine, then those of each filter. */
static int collect(struct tprof_session *session, struct passing *passing)
{
	int fds[HANDOVER_FDS], nr = session->ops->descriptors(session->engine, fds, HANDOVER_FDS - 1), err = 0;
	struct handover *handover;

	if (nr < 0 || session->filters.nr > TPROF_MAX_FILTERS)
		return too_many(session);
	err = describe(session, (size_t)nr, &handover);
	if (!err) {
		err = make_memory(passing, "tprof-session", handover, handover_bytes(handover));
		if (err < 0)
			failed(session, "its memory cannot be created", err);
	}
	free(handover);
	if (err < 0)
		return err;
	memcpy(&passing->fds[passing->nr], fds, (size_t)nr * sizeof(*fds));
	passing->nr += (size_t)nr;
	err = 0;
	for (size_t i = 0; i < session->filters.nr && !err; i++)
		err = pass_filter(session, session->filters.all[i], passing);
	return err;
}

/* Puts the message into the queue of a socket, and returns that. */
static int send_all(const struct passing *passing)
{
	char control[CMSG_SPACE(HANDOVER_FDS * sizeof(int))] = { 0 }, byte = 0;
	struct iovec bytes = { &byte, sizeof(byte) };
	struct msghdr message = {
		.msg_iov = &bytes, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = CMSG_SPACE(passing->nr * sizeof(int)),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	int pair[2], err = 0;

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(passing->nr * sizeof(int));
	memcpy(CMSG_DATA(header), passing->fds, passing->nr * sizeof(int));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	if (sendmsg(pair[1], &message, MSG_NOSIGNAL) < 0)
		err = -errno;
	close(pair[1]);
	if (!err)
		return pair[0];
	close(pair[0]);
	return err;
}

static int check(struct tprof_session *session)
{
	int err = session_check_process(session);

	if (err)
		return err;
	if (session->state == SESSION_OPEN) {
		error_set(&session->error, EINVAL, "session: is not prepared, and has no descriptor yet");
		error_hint(&session->error, "call tprof_session__prepare() before");
		return -EINVAL;
	}
	if (!session->ops->descriptors) {
		error_set(&session->error, EOPNOTSUPP, "engine %s: a session is the events and links of its process, "
			  "and has no descriptor", session->ops->name);
		error_hint(&session->error, "load the kernel module tprof.ko: docs/module.md");
		return -EOPNOTSUPP;
	}
	if (session->broker) {
		error_set(&session->error, EPERM, "session: is in a sandbox, which permits no sockets");
		error_hint(&session->error, "call tprof_session__fd() before tprof_session__sandbox()");
		return -EPERM;
	}
	if (!session->spares.nr && !session->handover)
		return 0;
	error_set(&session->error, EBUSY, session->handover ? "session: has a descriptor already" :
		  "session: has filters that are not called, which cannot be passed on");
	return -EBUSY;
}

int tprof_session__fd(struct tprof_session *session)
{
	struct passing *passing;
	int err = check(session), fd = -1;

	if (err)
		return err;
	passing = calloc(1, sizeof(*passing));
	session->handover = calloc(1, sizeof(*session->handover));
	if (!passing || !session->handover)
		err = failed(session, "it has no descriptor", -ENOMEM);
	if (!err)
		err = collect(session, passing);
	if (!err)
		err = handover_map(session->handover, passing->own[0], &session->error);
	if (!err) {
		handover_bind(session->handover, session->handover->memory);
		handover_note(session);
		fd = send_all(passing);
		err = fd < 0 ? failed(session, "it has no descriptor", fd) : 0;
	}
	for (size_t i = 0; passing && i < passing->nr_own; i++)
		close(passing->own[i]);
	free(passing);
	if (!err)
		return fd;
	handover_free(session);
	return err;
}
