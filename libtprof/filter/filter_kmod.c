// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The module's half of a filter: read from the file when it is needed, loaded, and attached to a session of the module.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/libbpf_log.h"
#include "filter.h"
#include "filter_params.h"
#include "host/kmod_device.h"

static struct bpf_program *find_program(const struct tprof_filter *filter, const struct filter_entry *entry,
					const char *suffix)
{
	char name[TPROF_NAME_MAX + 1 + sizeof(TPROF_KMOD_SUFFIX)];

	snprintf(name, sizeof(name), "%s%s", entry->name, suffix);
	return bpf_object__find_program_by_name(filter->object, name);
}

static struct bpf_map *find_map(const struct tprof_filter *filter, const struct filter_entry *entry,
				const char *suffix)
{
	char name[TPROF_NAME_MAX + 1 + sizeof(TPROF_KMOD_SUFFIX)];

	snprintf(name, sizeof(name), "%s%s", entry->name, suffix);
	return filter_map(filter, name);
}

/* The programs and the map of a TPROF_OFFCPU() or TPROF_WAKEUP(). NULL: the filter has none. */
struct extra {
	struct bpf_program *program;
	struct bpf_map *ops;
};

static int find_extra(const struct tprof_filter *filter, const struct filter_entry *entry, const char *program_suffix,
		      const char *ops_suffix, struct extra *extra)
{
	extra->program = find_program(filter, entry, program_suffix);
	extra->ops = find_map(filter, entry, ops_suffix);
	return !extra->program != !extra->ops ? -ENOEXEC : 0;
}

static void use_extra(const struct extra *extra, const struct filter_entry *entry, bool program)
{
	if (!extra->ops)
		return;
	bpf_program__set_autoload(extra->program, program);
	bpf_map__set_autocreate(extra->ops, entry->ops == extra->ops);
}

/*
 * The map with the programs for what the session has: waits, wake-ups, or only samples. If the filter has programs for
 * both, one map has all of them.
 */
static int choose_entry(const struct tprof_filter *filter, struct filter_entry *entry,
			const struct tprof_object *session)
{
	struct bpf_map *ops = find_map(filter, entry, TPROF_OPS_SUFFIX);
	struct extra offcpu, wakeup;
	bool both, waits, wakes;

	entry->program = find_program(filter, entry, TPROF_KMOD_SUFFIX);
	if (!entry->program || !ops ||
	    find_extra(filter, entry, TPROF_OFFCPU_KMOD_SUFFIX, TPROF_OFFCPU_OPS_SUFFIX, &offcpu) ||
	    find_extra(filter, entry, TPROF_WAKEUP_KMOD_SUFFIX, TPROF_WAKEUP_OPS_SUFFIX, &wakeup))
		return -ENOEXEC;
	both = offcpu.ops && wakeup.ops;
	waits = offcpu.ops && session->wait_event;
	wakes = wakeup.ops && (session->wake_event || (both && waits));
	entry->ops = wakes ? wakeup.ops : waits ? offcpu.ops : ops;
	bpf_program__set_autoload(entry->program, true);
	bpf_map__set_autocreate(ops, entry->ops == ops);
	use_extra(&offcpu, entry, waits || (both && wakes));
	use_extra(&wakeup, entry, wakes);
	return 0;
}

/* Loads only the programs for the module, and creates only the maps that they use. */
static int choose_programs(struct tprof_filter *filter, const struct tprof_object *session)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, filter->object)
		bpf_program__set_autoload(program, false);
	for (size_t i = 0; i < filter->nr_entries; i++) {
		int err = choose_entry(filter, &filter->entries[i], session);

		if (err)
			return err;
	}
	bpf_map__set_autocreate(filter_map(filter, TPROF_SCOPE_NAME), false);
	bpf_map__set_autocreate(filter_map(filter, TPROF_CGROUPS_NAME), false);
	bpf_map__set_autocreate(filter_map(filter, TPROF_STREAM_NAME), false);
	bpf_map__set_autocreate(filter_map(filter, TPROF_WAITS_NAME), false);
	bpf_map__set_autocreate(filter_map(filter, TPROF_WAIT_HINT_NAME), false);
	bpf_map__set_autocreate(filter_map(filter, TPROF_WAIT_KERN_NAME), false);
	bpf_map__set_autocreate(filter_map(filter, TPROF_WAIT_USER_NAME), false);
	bpf_map__set_autocreate(filter_map(filter, TPROF_CHAINS_NAME), false);
	if (filter->has_owners) {
		bpf_map__set_autocreate(filter_map(filter, TPROF_OWNED_NAME), false);
		bpf_map__set_autocreate(filter_map(filter, TPROF_OWNERS_NAME), false);
	}
	return 0;
}

int filter_use_kmod(struct tprof_filter *filter, const struct tprof_object *session, struct tprof_error *error)
{
	int err;

	if (filter->entries[0].ops)
		return 0;
	err = object_follows_threads(session) ? filter_check_kmod_waits(filter, session, error) : 0;
	if (err)
		return err;
	err = filter_reopen(filter, true, filter->constants->stack_frames, error);
	if (!err && choose_programs(filter, session))
		err = error_set(error, ENOEXEC, "%s: has no programs for the kernel module", filter->path);
	return err;
}

uint32_t filter_kmod_flags(const struct tprof_filter *filter)
{
	return (filter->stacks & TPROF_STACK_KERNEL ? TPROF_FILTER_KERNEL_STACK : 0) |
	       (filter->stacks & TPROF_STACK_USER ? TPROF_FILTER_USER_STACK : 0) |
	       (filter->has_owners ? TPROF_FILTER_OWNER : 0);
}

/* Sets the module's description of the filter: the initial value of its struct_ops map. */
static int set_ops(const struct tprof_filter *filter, int session_fd)
{
	uint32_t flags = filter_kmod_flags(filter);

	for (size_t i = 0; i < filter->nr_entries; i++) {
		size_t size = 0;
		struct tprof_filter_ops *ops = bpf_map__initial_value(filter->entries[i].ops, &size);

		if (!ops || size < sizeof(*ops))
			return -ENOEXEC;
		ops->flags = flags;
		ops->session_fd = session_fd;
	}
	return 0;
}

int filter_load_kmod(struct tprof_filter *filter, int session_fd, const struct tprof_object *session,
		     const struct log *log, struct tprof_error *error)
{
	int err;

	if (filter->loaded)
		return error_set(error, EBUSY, "filter %s: is loaded already", tprof_filter__name(filter));
	if (access(KMOD_BTF_PATH, F_OK)) {
		error_set(error, EOPNOTSUPP, "filter %s: the module has no BTF, so no filter can be attached to it",
			  tprof_filter__name(filter));
		error_hint(error, "tprof doctor says how to build it with BTF");
		return -EOPNOTSUPP;
	}
	err = filter_use_kmod(filter, session, error);
	if (err)
		return err;
	filter->constants->engine = TPROF_OBJECT_KMOD;
	filter->constants->machine = FILTER_MACHINE;
	filter->constants->nr_events = session->nr_events;
	filter->constants->wake_event = session->wake_event;
	if (set_ops(filter, session_fd))
		return error_set(error, ENOEXEC, "%s: compiled with the headers of another tprof", filter->path);
	return filter_load_object(filter, log, error);
}

static int refuse(const char *name, int err, struct tprof_error *error)
{
	if (err == EPERM)
		return error_set(error, err, "filter %s: the session is sealed", name);
	if (err == ENOSPC)
		return error_set(error, err, "filter %s: the session has %d filters already", name, TPROF_MAX_FILTERS);
	if (err == EBADF)
		return error_set(error, err, "filter %s: the session belongs to another process", name);
	return error_set(error, err, "filter %s: the kernel module refused it: %s", name, strerror(err));
}

int filter_attach_kmod(struct tprof_filter *filter, size_t entry, struct bpf_link **link, struct tprof_error *error)
{
	struct libbpf_log said;
	int err;

	libbpf_log_begin(&said, NULL);
	*link = bpf_map__attach_struct_ops(filter->entries[entry].ops);
	err = errno;
	libbpf_log_end(&said);
	return *link ? 0 : refuse(filter->entries[entry].name, err, error);
}

int filter_replace_kmod(struct tprof_filter *filter, size_t entry, struct bpf_link **links, struct tprof_error *error)
{
	struct libbpf_log said;
	int err;

	libbpf_log_begin(&said, NULL);
	err = bpf_link__update_map(links[entry], filter->entries[entry].ops);
	libbpf_log_end(&said);
	return err ? refuse(filter->entries[entry].name, -err, error) : 0;
}
