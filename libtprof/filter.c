// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Filter objects: opened and taken apart. Nothing here talks to the kernel. */
#include "filter.h"

#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filter_params.h"
#include "filter_types.h"
#include "libbpf_log.h"

/* Is it there, and may it be read? Said here, because libbpf's own words do not tell. */
static int check_file(const char *path, struct tprof_error *error)
{
	struct stat st;
	int err = 0, fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		err = error_set(error, errno, "%s: %s", path, strerror(errno));
		error_hint(error, "tprof list filters shows those that can be given by name");
		return err;
	}
	if (fstat(fd, &st))
		err = error_set(error, errno, "%s: %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		err = error_set(error, ENOEXEC, "%s: not a file", path);
	close(fd);
	return err;
}

static int open_object(struct tprof_filter *filter, struct tprof_error *error)
{
	struct libbpf_log said;
	int err = check_file(filter->path, error);

	if (err)
		return err;
	libbpf_log_begin(&said, NULL);
	filter->object = bpf_object__open_file(filter->path, NULL);
	err = errno;
	libbpf_log_end(&said);
	if (filter->object)
		return 0;
	if (err == ENOMEM || err == EMFILE || err == ENFILE)
		return error_set(error, err, "%s: %s", filter->path, strerror(err));
	error_set(error, ENOEXEC, "%s: not a compiled filter%s%s", filter->path, said.warning[0] ? ": " : "",
		  said.warning);
	error_hint(error, "compile it with: clang -g -O2 --target=bpf -c FILTER.bpf.c -o FILTER.bpf.o");
	return -ENOEXEC;
}

/* The one constant that makes an object a filter. Its first two members never change their place. */
static int find_constants(struct tprof_filter *filter, struct tprof_error *error)
{
	struct bpf_map *map = bpf_object__find_map_by_name(filter->object, ".rodata");
	size_t size = 0;
	uint32_t offset;

	filter->rodata = map ? bpf_map__initial_value(map, &size) : NULL;
	if (!filter->rodata || rodata_find(filter, TPROF_OBJECT_NAME, &offset) ||
	    offset + 2 * sizeof(__u32) > size) {
		error_set(error, ENOEXEC, "%s: not a tprof filter: it was made without tprof/filter.bpf.h",
			  filter->path);
		error_hint(error, "docs/filters.md shows how to write one");
		return -ENOEXEC;
	}
	filter->constants = (struct tprof_object *)(filter->rodata + offset);
	if (filter->constants->abi != TPROF_ABI_VERSION ||
	    filter->constants->size != sizeof(struct tprof_object) ||
	    offset + sizeof(struct tprof_object) > size) {
		error_set(error, EPROTO, "%s: made for version %u of the filter ABI; this is version %u",
			  filter->path, filter->constants->abi, TPROF_ABI_VERSION);
		error_hint(error, "compile it again with the headers of this tprof");
		return -EPROTO;
	}
	return 0;
}

static int entry_init(struct tprof_filter *filter, struct filter_entry *entry, struct bpf_program *perf)
{
	const char *full = bpf_program__name(perf);
	size_t length = strlen(full), suffix = strlen(TPROF_PERF_SUFFIX);
	char name[TPROF_NAME_MAX + 1 + sizeof(TPROF_KMOD_SUFFIX)];

	if (length <= suffix || length > TPROF_NAME_MAX || strcmp(full + length - suffix, TPROF_PERF_SUFFIX))
		return -ENOEXEC;
	memcpy(entry->name, full, length - suffix);
	entry->perf = perf;
	snprintf(name, sizeof(name), "%s%s", entry->name, TPROF_KMOD_SUFFIX);
	entry->kmod = bpf_object__find_program_by_name(filter->object, name);
	snprintf(name, sizeof(name), "%s%s", entry->name, TPROF_OPS_SUFFIX);
	entry->ops = bpf_object__find_map_by_name(filter->object, name);
	return entry->kmod && entry->ops ? 0 : -ENOEXEC;
}

static int refuse_program(const struct tprof_filter *filter, const struct bpf_program *program,
			  struct tprof_error *error)
{
	const char *section = bpf_program__section_name(program);

	if (strstr(section, ".s/") || strstr(section, "sleepable"))
		error_set(error, ENOEXEC, "%s: program %s (%s) may sleep; filters run in interrupts and cannot",
			  filter->path, bpf_program__name(program), section);
	else
		error_set(error, ENOEXEC, "%s: program %s (%s) is not part of a TPROF_FILTER()", filter->path,
			  bpf_program__name(program), section);
	error_hint(error, "docs/filters.md shows what a filter object may hold");
	return -ENOEXEC;
}

static int find_entries(struct tprof_filter *filter, struct tprof_error *error)
{
	struct bpf_program *program;
	size_t nr = 0, nr_kmod = 0;

	bpf_object__for_each_program(program, filter->object)
		nr++;
	filter->entries = calloc(nr ? nr : 1, sizeof(*filter->entries));
	if (!filter->entries)
		return error_set(error, ENOMEM, "%s: no memory", filter->path);
	bpf_object__for_each_program(program, filter->object) {
		if (strncmp(bpf_program__section_name(program), "struct_ops/", strlen("struct_ops/")) == 0)
			nr_kmod++;
		else if (bpf_program__type(program) != BPF_PROG_TYPE_PERF_EVENT ||
			 entry_init(filter, &filter->entries[filter->nr_entries++], program))
			return refuse_program(filter, program, error);
	}
	if (filter->nr_entries && nr_kmod == filter->nr_entries)
		return 0;
	error_set(error, ENOEXEC, "%s: has no TPROF_FILTER()", filter->path);
	error_hint(error, "docs/filters.md shows how to write one");
	return -ENOEXEC;
}

static int find_maps(struct tprof_filter *filter, struct tprof_error *error)
{
	int nr;

	if (!filter_map(filter, TPROF_LEDGER_NAME) || !filter_map(filter, TPROF_SCOPE_NAME) ||
	    !filter_map(filter, TPROF_STREAM_NAME))
		return error_set(error, ENOEXEC, "%s: lacks the maps that tprof/filter.bpf.h defines", filter->path);
	nr = tables_find(filter->object, &filter->tables);
	if (nr < 0)
		return error_set(error, -nr, "%s: a table has a key or value that cannot be understood",
				 filter->path);
	filter->nr_tables = (size_t)nr;
	return 0;
}

struct tprof_filter *tprof_filter__open(const char *name, struct tprof_error *error)
{
	struct tprof_filter *filter = calloc(1, sizeof(*filter));
	int err;

	if (!filter) {
		errno = -error_set(error, ENOMEM, "filter %s: no memory", name);
		return NULL;
	}
	filter->path = filter_find_path(name);
	err = filter->path ? 0 : error_set(error, ENOENT, "filter %s: no filter of this name", name);
	if (err)
		error_hint(error, "tprof list filters; a file is given with its path or ends in .o");
	if (err == 0)
		err = open_object(filter, error);
	if (err == 0)
		err = find_constants(filter, error);
	if (err == 0)
		err = find_entries(filter, error);
	if (err == 0)
		err = find_maps(filter, error);
	if (err == 0 && filter_params_find(filter))
		err = error_set(error, ENOMEM, "%s: no memory", filter->path);
	if (err) {
		tprof_filter__free(filter);
		errno = -err;
		return NULL;
	}
	return filter;
}

void tprof_filter__free(struct tprof_filter *filter)
{
	if (!filter)
		return;
	filter_types_free(filter);
	filter_params_free(filter);
	free(filter->tables);
	free(filter->entries);
	bpf_object__close(filter->object);
	free(filter->verifier_log);
	free(filter->check_log);
	free(filter->check_helpers);
	free(filter->path);
	free(filter);
}

const char *tprof_filter__name(const struct tprof_filter *filter)
{
	return filter->entries[0].name;
}

const char *tprof_filter__path(const struct tprof_filter *filter)
{
	return filter->path;
}

const char *tprof_filter__error(const struct tprof_filter *filter)
{
	return filter->error.text;
}

const char *tprof_filter__hint(const struct tprof_filter *filter)
{
	return filter->error.hint;
}
