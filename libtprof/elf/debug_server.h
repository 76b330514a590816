/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Debug files from the servers in DEBUGINFOD_URLS, by elfutils' client. Made only where the user asks for it: which
 * programs run here is nobody's business else. The client is loaded at that time, so programs do not depend on it.
 */
#ifndef TPROF_DEBUG_SERVER_H
#define TPROF_DEBUG_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"

struct debug_server;

/*
 * All questions together may take @timeout_ms; when that is over, no more are asked. Errors (NULL and errno, with the
 * sentence): EINVAL (DEBUGINFOD_URLS is not set), EOPNOTSUPP (no client on this machine), ENOMEM.
 */
struct debug_server *debug_server_new(uint64_t timeout_ms, const struct log *log, struct tprof_error *error);
void debug_server_free(struct debug_server *server);

/* The debug file of a build id, as a descriptor for the caller, or -ENOENT. What it is has to be proven still. */
int debug_server_open(struct debug_server *server, const uint8_t *build_id, size_t length);

/*
 * The directory in which the client keeps what comes, as it chooses that; made if it is not there. False if there is
 * none, or its path is too long.
 */
bool debug_server_cache(char *path, size_t size);

#endif
