// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Engine kmod: a session that another process continues, with its descriptors and with a note of what was read. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/kmod_device.h"
#include "kmod_engine.h"
#include "stream.h"

/* The session, and the links of its filters. */
int kmod_descriptors(const struct engine *engine, int *fds, size_t max)
{
	size_t nr = 0;

	if (nr < max)
		fds[nr] = engine->fd;
	nr++;
	for (size_t i = 0; i < engine->nr_attachments; i++) {
		const struct attachment *attachment = &engine->attachments[i];

		for (size_t e = 0; attachment->links && e < attachment->filter->nr_entries; e++, nr++) {
			if (nr < max)
				fds[nr] = bpf_link__fd(attachment->links[e]);
		}
	}
	for (size_t i = 0; i < engine->nr_taken_links; i++, nr++) {
		if (nr < max)
			fds[nr] = engine->taken_links[i];
	}
	return nr > max ? -E2BIG : (int)nr;
}

size_t kmod_noted_bytes(const struct sampling *sampling)
{
	return sampling->nr_events * kmod_ledger_noted_bytes((size_t)libbpf_num_possible_cpus());
}

void kmod_note(const struct engine *engine, void *into)
{
	const size_t bytes = kmod_ledger_noted_bytes(engine->nr_cpus);

	for (size_t e = 0; e < engine->sampling->nr_events; e++)
		kmod_ledger_note(engine->modules[e], (char *)into + e * bytes);
}

static int continue_ledgers(struct engine *engine, const void *noted, bool is_running)
{
	const size_t bytes = kmod_ledger_noted_bytes(engine->nr_cpus);
	int err = 0;

	for (size_t e = 0; e < engine->sampling->nr_events && !err; e++) {
		err = kmod_ledger_continue(engine->modules[e], (const char *)noted + e * bytes, is_running);
		engine->periods[e] = kmod_ledger_period(engine->modules[e]);
	}
	return err;
}

/*
 * The last process may have been killed before it noted a change of the period. A sealed session refuses this, and its
 * period cannot have changed.
 */
static void set_periods(struct engine *engine)
{
	for (size_t e = 0; e < engine->sampling->nr_events; e++) {
		struct tprof_period same = {
			.size = sizeof(same), .event = (uint32_t)e, .period = engine->periods[e],
		};

		kmod_call(engine->fd, TPROF_IOC_PERIOD, &same);
	}
}

static int keep_links(struct engine *engine, const int *fds, size_t nr)
{
	engine->taken_links = calloc(nr ? nr : 1, sizeof(*engine->taken_links));
	for (size_t i = 0; i < nr; i++) {
		if (engine->taken_links)
			engine->taken_links[engine->nr_taken_links++] = fds[i];
		else
			close(fds[i]);
	}
	return engine->taken_links ? 0 : -ENOMEM;
}

struct engine *kmod_take(const struct sampling *sampling, const struct log *log, const int *fds, size_t nr,
			 const void *noted, bool *is_running, struct tprof_error *error)
{
	struct engine *engine = calloc(1, sizeof(*engine));
	struct tprof_session_info info = { .size = sizeof(info) };
	int err = -ENOMEM;

	for (size_t i = 0; !engine && i < nr; i++)
		close(fds[i]);
	if (!engine)
		goto fail;
	engine->fd = engine->scope.session_fd = fds[0];
	engine->sampling = sampling;
	engine->log = log;
	engine->nr_cpus = (size_t)libbpf_num_possible_cpus();
	sampling_first_periods(sampling, engine->periods);
	err = keep_links(engine, fds + 1, nr - 1);
	if (!err && (kmod_call(engine->fd, TPROF_IOC_SESSION, &info) || info.nr_events != sampling->nr_events))
		err = -EPROTO;
	*is_running = info.state == TPROF_SESSION_RUNNING;
	if (!err)
		engine->stream = stream_new(engine->fd);
	if (!err && !engine->stream)
		err = -errno;
	if (!err)
		err = kmod_make_ledgers(engine);
	if (!err)
		err = continue_ledgers(engine, noted, *is_running);
	if (!err)
		set_periods(engine);
	if (!err && *is_running)
		err = stream_started(engine->stream);
	if (!err)
		return engine;
fail:
	error_set(error, -err, "engine kmod: %s", err == -EPROTO ? "the descriptor is not that of a session" :
		  strerror(-err));
	error_hint_files(error, -err);
	kmod_close(engine);
	errno = -err;
	return NULL;
}

/* Its links are among the descriptors that were taken. */
int kmod_adopt(struct engine *engine, struct tprof_filter *filter, struct tprof_error *error)
{
	engine->nr_adopted += filter->nr_entries;
	if (engine->nr_adopted > engine->nr_taken_links)
		return error_set(error, EPROTO, "filter %s: is not attached to the session",
				 tprof_filter__name(filter));
	return kmod_add_filter(engine, filter, error);
}
