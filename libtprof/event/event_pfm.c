// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Events by the names that libpfm4 knows. The library is loaded when such an event is parsed, and unloaded again: it is
 * optional, and keeps global state.
 */
#include "event_pfm.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libpfm.so.4"

/* Of perfmon/pfmlib.h, whose ABI has a number of its own. */
#define ALL_MODES	0x09		/* PFM_PLM0 | PFM_PLM3: kernel and user */
#define PERF_EXTENDED	2		/* PFM_OS_PERF_EVENT_EXT */
#define NOT_FOUND	(-4)		/* PFM_ERR_NOTFOUND */

/* pfm_perf_encode_arg_t of perfmon/pfmlib_perf_event.h */
struct encoding {
	struct perf_event_attr *attr;
	char **full_name;		/* allocated by the library */
	size_t size;
	int index, cpu, flags, pad;
};

struct pfm {
	void *library;
	int (*initialize)(void);
	void (*terminate)(void);
	int (*encode)(const char *name, int modes, int os, void *encoding);
	const char *(*text_of)(int err);
};

bool event_pfm_is_name(const char *name)
{
	return strncmp(name, EVENT_PFM, strlen(EVENT_PFM)) == 0;
}

static void unload(struct pfm *pfm)
{
	if (pfm->library)
		dlclose(pfm->library);
}

static bool load(struct pfm *pfm)
{
	const struct {
		const char *name;
		void *into;
	} wanted[] = {
		{ "pfm_initialize", &pfm->initialize }, { "pfm_terminate", &pfm->terminate },
		{ "pfm_get_os_event_encoding", &pfm->encode }, { "pfm_strerror", &pfm->text_of },
	};

	pfm->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; pfm->library && i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		void *symbol = dlsym(pfm->library, wanted[i].name);

		if (!symbol)
			return false;
		memcpy(wanted[i].into, &symbol, sizeof(symbol));
	}
	return pfm->library;
}

/*
 * libpfm4 excludes guests and the hypervisor unless it is told otherwise. Here they are counted unless a mode is left
 * out, as with other events.
 */
static void take(struct event *event, const struct perf_event_attr *attr)
{
	event->type = attr->type;
	event->config = attr->config;
	event->config1 = attr->config1;
	event->config2 = attr->config2;
	event->precise = attr->precise_ip;
	if (attr->exclude_user)
		event->excludes |= EVENT_EXCLUDE_USER | EVENT_EXCLUDE_HYPERVISOR;
	if (attr->exclude_kernel)
		event->excludes |= EVENT_EXCLUDE_KERNEL | EVENT_EXCLUDE_HYPERVISOR;
	if (attr->exclude_host)
		event->excludes |= EVENT_EXCLUDE_HOST;
	if (event_is_clock(event))
		event->unit = "ns";
}

static int encode(const struct pfm *pfm, struct event *event, const char *name, struct tprof_error *error)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	char *full_name = NULL;
	const struct encoding encoding = { .attr = &attr, .full_name = &full_name, .size = sizeof(encoding) };
	int err = pfm->initialize();

	if (!err)
		err = pfm->encode(name + strlen(EVENT_PFM), ALL_MODES, PERF_EXTENDED, (void *)&encoding);
	free(full_name);
	if (!err) {
		take(event, &attr);
	} else {
		error_set(error, err == NOT_FOUND ? ENOENT : EINVAL, "event %s: libpfm4: %s", name, pfm->text_of(err));
		error_hint(error, "perf list pfm shows the names that libpfm4 knows for this machine");
	}
	pfm->terminate();
	return !err ? 0 : err == NOT_FOUND ? -ENOENT : -EINVAL;
}

int event_pfm_parse(struct event *event, const char *name, struct tprof_error *error)
{
	struct pfm pfm = { 0 };
	int err;

	if (load(&pfm)) {
		err = encode(&pfm, event, name, error);
	} else {
		error_set(error, EOPNOTSUPP, "event %s: libpfm4, which knows such names, cannot be loaded (" LIBRARY
			  ")", name);
		error_hint(error, "install libpfm4, or give the number of the event: rNNN");
		err = -EOPNOTSUPP;
	}
	unload(&pfm);
	return err;
}
