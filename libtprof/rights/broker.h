/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The process that keeps the rights which ours gives up: it reads nothing that others have written, and answers a few
 * questions, each of one size and with one descriptor as its answer.
 *
 * It is a copy of this process from the moment that it was made, holds no descriptor but its end of a socket, and ends
 * when the other end is closed.
 */
#ifndef TPROF_BROKER_H
#define TPROF_BROKER_H

#include <stdint.h>
#include <sys/types.h>

#include "base/log.h"

struct broker;

enum broker_question {
	BROKER_MAPS,			/* /proc/PID/maps */
	BROKER_MEMORY,			/* /proc/PID/mem, to read */
	BROKER_MAP_FILE,		/* the file that is mapped from @start to @end, to read */
	BROKER_ROOT,			/* its root directory, as O_PATH */
	BROKER_TMP,			/* /tmp as it sees it, as O_PATH; links do not lead out of its root */
	BROKER_MOUNTS,			/* its mount namespace, as O_PATH */
	BROKER_SIDEBAND,		/* an event of CPU @pid, for a ring of @start pages; @end: no lost count */
	BROKER_PUBLISH,			/* the file takes its name; no descriptor */
};

struct broker_request {
	uint32_t question;
	int32_t pid;
	uint64_t start, end;
};

/* What is left to do at the end, however ours comes. */
struct broker_duties {
	const char *temporary;		/* a file that goes if it never gets its name; or NULL */
	const char *name;
	const char *pins;		/* a directory of pins, which goes; or NULL */
};

/* NULL and errno. For a process with one thread. */
struct broker *broker_new(const struct broker_duties *duties, const struct log *log);
/* Ends it, and waits for that. */
void broker_free(struct broker *broker);

/* A descriptor, or 0 where there is none to get; -errno. -EPIPE: it has ended, which is told once. */
int broker_ask(struct broker *broker, const struct broker_request *request);

/* Our end of the socket. */
int broker_fd(const struct broker *broker);

/* What the broker does for a request: for itself, does that who has none. Not for BROKER_PUBLISH. */
int broker_serve(const struct broker_request *request);

#endif
