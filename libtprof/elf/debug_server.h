/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Downloads debug files from the servers in DEBUGINFOD_URLS, with elfutils' client library. Used only at the user's
 * request, because a download reveals which programs run on this machine. The library is loaded at run time, so
 * programs do not depend on it.
 */
#ifndef TPROF_DEBUG_SERVER_H
#define TPROF_DEBUG_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"

struct debug_server;

/*
 * @timeout_ms limits the total time of all downloads; after that, no more are started. Errors (NULL and errno, with a
 * sentence): EINVAL (DEBUGINFOD_URLS is not set), EOPNOTSUPP (the client library is not available), ENOMEM.
 */
struct debug_server *debug_server_new(uint64_t timeout_ms, const struct log *log, struct tprof_error *error);
void debug_server_free(struct debug_server *server);

/*
 * Downloads the debug file for a build id. Returns a file descriptor owned by the caller, or -ENOENT. The caller must
 * verify the content.
 */
int debug_server_open(struct debug_server *server, const uint8_t *build_id, size_t length);

/*
 * The client's cache directory, chosen by the client's own rules; created if it does not exist. Returns false if there
 * is none, or if the path is too long.
 */
bool debug_server_cache(char *path, size_t size);

#endif
