// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Downloads debug files from debuginfod servers. */
#include "debug_server.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"

#define LIBRARY "libdebuginfod.so.1"

/* Opaque type of the client library. */
struct debuginfod_client;

/* Functions of libdebuginfod since the version that added user data (elfutils 0.180). */
struct calls {
	struct debuginfod_client *(*begin)(void);
	void (*end)(struct debuginfod_client *client);
	int (*find_debuginfo)(struct debuginfod_client *client, const unsigned char *build_id, int length, char **path);
	void (*set_progressfn)(struct debuginfod_client *client,
			       int (*fn)(struct debuginfod_client *client, long done, long all));
	void (*set_user_data)(struct debuginfod_client *client, void *data);
};

struct debug_server {
	struct calls calls;
	void *library;
	struct debuginfod_client *client;
	const struct log *log;
	uint64_t left_ns, deadline_ns;
};

static bool load(struct debug_server *server)
{
	const struct {
		const char *name;
		void *into;
	} wanted[] = {
		{ "debuginfod_begin", &server->calls.begin },
		{ "debuginfod_end", &server->calls.end },
		{ "debuginfod_find_debuginfo", &server->calls.find_debuginfo },
		{ "debuginfod_set_progressfn", &server->calls.set_progressfn },
		{ "debuginfod_set_user_data", &server->calls.set_user_data },
	};

	/* It stays loaded: it and its libraries never free what they allocate first, about 100 KiB. */
	server->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	for (size_t i = 0; server->library && i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		void *symbol = dlsym(server->library, wanted[i].name);

		if (!symbol)
			return false;
		memcpy(wanted[i].into, &symbol, sizeof(symbol));
	}
	return server->library;
}

/*
 * Called about once a second while the client waits. The callback gets only the client handle, so it looks up the
 * loaded library again to find the function that returns the user data.
 */
static int is_over(struct debuginfod_client *client, long done, long all)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD), *symbol;
	void *(*get_user_data)(struct debuginfod_client *client) = NULL;
	const struct debug_server *server;

	(void)done;
	(void)all;
	if (!library)
		return 1;
	symbol = dlsym(library, "debuginfod_get_user_data");
	memcpy(&get_user_data, &symbol, sizeof(symbol));
	server = get_user_data ? get_user_data(client) : NULL;
	dlclose(library);
	return !server || clock_own_ns() >= server->deadline_ns;
}

static int refuse(struct tprof_error *error, int err, const char *why, const char *hint)
{
	error_set(error, err, "debuginfod: %s", why);
	error_hint(error, "%s", hint);
	return -err;
}

static int prepare(struct debug_server *server, struct tprof_error *error)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (!urls || !urls[0])
		return refuse(error, EINVAL, "DEBUGINFOD_URLS is not set",
			      "export DEBUGINFOD_URLS=https://debuginfod.debian.net, and keep it with sudo -E");
	if (!load(server))
		return refuse(error, EOPNOTSUPP, LIBRARY " cannot be loaded", "apt-get install libdebuginfod1");
	server->client = server->calls.begin();
	if (!server->client)
		return refuse(error, EOPNOTSUPP, "the client library cannot be initialized",
			      "test it with: debuginfod-find debuginfo BUILDID");
	server->calls.set_user_data(server->client, server);
	server->calls.set_progressfn(server->client, is_over);
	return 0;
}

struct debug_server *debug_server_new(uint64_t timeout_ms, const struct log *log, struct tprof_error *error)
{
	struct debug_server *server = calloc(1, sizeof(*server));
	int err;

	if (!server) {
		errno = -error_set(error, ENOMEM, "debuginfod: not enough memory");
		return NULL;
	}
	server->log = log;
	server->left_ns = timeout_ms * 1000000;
	err = prepare(server, error);
	if (!err)
		return server;
	debug_server_free(server);
	errno = -err;
	return NULL;
}

void debug_server_free(struct debug_server *server)
{
	if (!server)
		return;
	if (server->client)
		server->calls.end(server->client);
	if (server->library)
		dlclose(server->library);
	free(server);
}

int debug_server_open(struct debug_server *server, const uint8_t *build_id, size_t length)
{
	uint64_t began_ns = clock_own_ns(), took_ns;
	char *path = NULL;
	int fd;

	if (!server->left_ns || !length)
		return -ENOENT;
	server->deadline_ns = began_ns + server->left_ns;
	fd = server->calls.find_debuginfo(server->client, build_id, (int)length, &path);
	if (fd >= 0)
		log_info(server->log, "debuginfod: %s", path);
	free(path);
	took_ns = clock_own_ns() - began_ns;
	if (took_ns < server->left_ns) {
		server->left_ns -= took_ns;
	} else {
		server->left_ns = 0;
		log_warn(server->log, "debuginfod: the time limit is reached, no more debug files are requested");
	}
	return fd < 0 ? -ENOENT : fd;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool join(char *path, size_t size, const char *directory, const char *name)
{
	return directory && directory[0] && snprintf(path, size, "%s/%s", directory, name) < (int)size;
}

static bool find_cache(char *path, size_t size)
{
	const char *given = getenv("DEBUGINFOD_CACHE_PATH"), *home = getenv("HOME");

	if (given && given[0])
		return snprintf(path, size, "%s", given) < (int)size;
	/* The directory of old clients stays in use if it exists. */
	if (join(path, size, home, ".debuginfod_client_cache") && is_directory(path))
		return true;
	return join(path, size, getenv("XDG_CACHE_HOME"), "debuginfod_client") ||
	       join(path, size, home, ".cache/debuginfod_client");
}

bool debug_server_cache(char *path, size_t size)
{
	if (!find_cache(path, size))
		return false;
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	mkdir(path, 0700);
	return is_directory(path);
}
