/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The engine kmod, private to engine_kmod.c and kmod_take.c. */
#ifndef TPROF_KMOD_ENGINE_H
#define TPROF_KMOD_ENGINE_H

#include "engine.h"
#include "kmod_ledger.h"
#include "kmod_scope.h"
#include "served.h"
#include "uapi/tprof_device.h"

/* A filter object, with a link for each of its filters. */
struct attachment {
	struct tprof_filter *filter;	/* attached */
	struct served served;		/* also the filters that it replaced; programs of the module count calls only */
	struct bpf_link **links;
};

struct engine {
	const struct sampling *sampling;
	const struct log *log;
	int fd;				/* the module's session */
	int *taken_links;		/* of the filters of a session that was taken; the first @nr_adopted have one */
	size_t nr_taken_links, nr_adopted;
	struct kmod_scope scope;
	char filter_name[TPROF_NAME_LEN];	/* of the last kmod_filter_state() */
	struct attachment *attachments;
	size_t nr_attachments, attachments_capacity;
	size_t nr_cpus;			/* possible CPUs */
	struct kmod_ledger *modules[TPROF_EVENTS_MAX];	/* of each event */
	struct stream *stream;
	/* Of each event: ledger of the module and its counters at observe(), without countings */
	struct tprof_ledger observed[TPROF_EVENTS_MAX];
	uint64_t periods[TPROF_EVENTS_MAX];
};

void kmod_close(struct engine *engine);
/* The ledger of each event, with the periods of the engine. 0 or -ENOMEM. */
int kmod_make_ledgers(struct engine *engine);
/* Adds a filter, whose counts are part of the ledger from now on. 0 or -errno, with a sentence. */
int kmod_add_filter(struct engine *engine, struct tprof_filter *filter, struct tprof_error *error);

/* kmod_take.c: as in struct engine_ops. */
int kmod_descriptors(const struct engine *engine, int *fds, size_t max);
size_t kmod_noted_bytes(const struct sampling *sampling);
void kmod_note(const struct engine *engine, void *into);
struct engine *kmod_take(const struct sampling *sampling, const struct log *log, const int *fds, size_t nr,
			 const void *noted, bool *is_running, struct tprof_error *error);
int kmod_adopt(struct engine *engine, struct tprof_filter *filter, struct tprof_error *error);

#endif
