/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The broker: a process that keeps the capabilities which the main process drops. It parses no data of other processes
 * and answers a few questions, each of fixed size and with one file descriptor as the answer.
 *
 * It is a fork of this process, holds no file descriptor except its end of a socket, and exits when the other end is
 * closed.
 */
#ifndef TPROF_BROKER_H
#define TPROF_BROKER_H

#include <stdint.h>
#include <sys/types.h>

#include "base/log.h"
#include "event/event.h"

struct broker;

enum broker_question {
	BROKER_MAPS,			/* /proc/PID/maps */
	BROKER_MEMORY,			/* /proc/PID/mem, read-only */
	BROKER_MAP_FILE,		/* the file mapped from @start to @end, read-only */
	BROKER_ROOT,			/* the root directory of the process, as O_PATH */
	BROKER_TMP,			/* /tmp of the process, as O_PATH; symbolic links cannot leave its root */
	BROKER_MOUNTS,			/* its mount namespace, as O_PATH */
	BROKER_SIDEBAND,		/* side-band event of CPU @pid, ring of @start pages; @end: no lost count */
	BROKER_COUNTER,			/* event @start of the duties on CPU @pid, with the period @end, disabled */
	BROKER_PUBLISH,			/* renames the temporary file to its final name; no file descriptor */
};

struct broker_request {
	uint32_t question;
	int32_t pid;
	uint64_t start, end;
};

/* The broker gets these when it is forked: the events that it may open, and its cleanup at the end, in any case. */
struct broker_duties {
	const struct event *const *events;	/* that BROKER_COUNTER may open */
	size_t nr_events;
	const char *temporary;		/* removed at the end unless it was published; or NULL */
	const char *name;
	const char *pins;		/* directory of pins, removed at the end; or NULL */
};

/* Returns NULL and sets errno on failure. The process must be single-threaded. */
struct broker *broker_new(const struct broker_duties *duties, const struct log *log);
/* Ends the broker and waits for its exit. */
void broker_free(struct broker *broker);

/*
 * Returns a file descriptor, 0 for BROKER_PUBLISH, or -errno. -EPIPE: the broker has ended or does not answer; a
 * warning is logged once.
 */
int broker_ask(struct broker *broker, const struct broker_request *request);

/* This process's end of the socket. */
int broker_fd(const struct broker *broker);

/*
 * Carries out a request. The broker calls it, and so does a process without a broker. Not for BROKER_COUNTER and
 * BROKER_PUBLISH.
 */
int broker_serve(const struct broker_request *request);

#endif
