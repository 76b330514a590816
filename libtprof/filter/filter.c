// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Opens and parses filter objects, without access to the kernel. */
#include "filter.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/libbpf_log.h"
#include "base/utf8.h"
#include "filter_image.h"
#include "filter_params.h"
#include "filter_types.h"
#include "host/proc.h"

/* Opens the image with libbpf, which copies the bytes. */
static struct bpf_object *open_image(const struct filter_image *image, const char *path, struct tprof_error *error)
{
	const char *slash = strrchr(path, '/');
	char name[TPROF_NAME_MAX + 1];
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = name);
	struct bpf_object *object;
	struct libbpf_log said;
	int err;

	snprintf(name, sizeof(name), "%.*s", TPROF_NAME_MAX, slash ? slash + 1 : path);
	name[strcspn(name, ".")] = '\0';
	libbpf_log_begin(&said, NULL);
	object = bpf_object__open_mem(image->bytes, image->size, &opts);
	err = errno;
	libbpf_log_end(&said);
	if (object)
		return object;
	if (err == ENOMEM || err == EMFILE || err == ENFILE) {
		error_set(error, err, "%s: %s", path, strerror(err));
		error_hint_files(error, err);
		errno = err;
		return NULL;
	}
	errno = -error_set(error, ENOEXEC, "%s: not a compiled filter%s%s", path, said.warning[0] ? ": " : "",
			   said.warning);
	error_hint(error, "compile it with: clang -g -O2 --target=bpf -c FILTER.bpf.c -o FILTER.bpf.o");
	return NULL;
}

struct bpf_object *filter_open_object(const char *path, bool whole, uint32_t stack_frames, struct tprof_error *error)
{
	struct filter_image image;
	struct bpf_object *object = NULL;
	int err = filter_image_read(&image, path, error);

	if (err) {
		errno = -err;
		return NULL;
	}
	if (whole)
		filter_image_join_waits(&image);
	else
		filter_image_hide_kmod(&image);
	if (stack_frames == TPROF_STACK_FRAMES || !filter_image_set_stack_frames(&image, stack_frames))
		object = open_image(&image, path, error);
	else
		errno = -error_set(error, ENOENT, "%s: has no table of stacks", path);
	err = errno;
	filter_image_free(&image);
	errno = err;
	return object;
}

/* Finds the constant that marks an object as a filter. The offsets of its first two members never change. */
int filter_find_constants(struct tprof_filter *filter, struct tprof_error *error)
{
	struct bpf_map *map = bpf_object__find_map_by_name(filter->object, ".rodata");
	size_t size = 0;
	uint32_t offset;

	filter->rodata = map ? bpf_map__initial_value(map, &size) : NULL;
	filter->rodata_size = size;
	if (!filter->rodata || rodata_find(filter, TPROF_OBJECT_NAME, &offset) ||
	    size < 2 * sizeof(__u32) || offset > size - 2 * sizeof(__u32) ||
	    offset % _Alignof(struct tprof_object)) {
		error_set(error, ENOEXEC, "%s: not a tprof filter: it does not include tprof/filter.bpf.h",
			  filter->path);
		error_hint(error, "docs/filters.md shows how to write one");
		return -ENOEXEC;
	}
	filter->constants = (struct tprof_object *)(filter->rodata + offset);
	if (filter->constants->abi != TPROF_ABI_VERSION)
		error_set(error, EPROTO, "%s: compiled for version %u of the filter ABI; this tprof has version %u",
			  filter->path, filter->constants->abi, TPROF_ABI_VERSION);
	else if (filter->constants->size != sizeof(struct tprof_object) ||
		 size - offset < sizeof(struct tprof_object) || filter->constants->layout != TPROF_OBJECT_LAYOUT)
		error_set(error, EPROTO, "%s: compiled with the headers of another tprof", filter->path);
	else
		return 0;
	error_hint(error, "compile it again with the headers of this tprof");
	return -EPROTO;
}

/* True for a program "NAME_perf" if the object also has the module's half of that filter; copies the name. */
static bool is_entry(const struct bpf_object *whole, const struct bpf_program *program, struct filter_entry *entry)
{
	const char *full = bpf_program__name(program);
	size_t length = strlen(full), suffix = strlen(TPROF_PERF_SUFFIX);
	char name[TPROF_NAME_MAX + 1 + sizeof(TPROF_KMOD_SUFFIX)];

	if (bpf_program__type(program) != BPF_PROG_TYPE_PERF_EVENT || length <= suffix || length > TPROF_NAME_MAX ||
	    strcmp(full + length - suffix, TPROF_PERF_SUFFIX) != 0)
		return false;
	memcpy(entry->name, full, length - suffix);
	snprintf(name, sizeof(name), "%s%s", entry->name, TPROF_KMOD_SUFFIX);
	if (!bpf_object__find_program_by_name(whole, name))
		return false;
	snprintf(name, sizeof(name), "%s%s", entry->name, TPROF_OPS_SUFFIX);
	return bpf_object__find_map_by_name(whole, name);
}

/* Is it the program of an entry with this suffix? */
static bool is_of_entry(const struct tprof_filter *filter, const struct bpf_program *program, const char *suffix)
{
	char name[TPROF_NAME_MAX + 1 + 8];

	for (size_t i = 0; i < filter->nr_entries; i++) {
		snprintf(name, sizeof(name), "%s%s", filter->entries[i].name, suffix);
		if (strcmp(name, bpf_program__name(program)) == 0)
			return true;
	}
	return false;
}

static bool is_kmod_program(const struct bpf_program *program)
{
	return strncmp(bpf_program__section_name(program), "struct_ops/", strlen("struct_ops/")) == 0;
}

static bool is_part_of_entry(const struct tprof_filter *filter, const struct bpf_program *program)
{
	if (is_kmod_program(program))
		return is_of_entry(filter, program, TPROF_KMOD_SUFFIX) ||
		       is_of_entry(filter, program, TPROF_OFFCPU_KMOD_SUFFIX) ||
		       is_of_entry(filter, program, TPROF_WAKEUP_KMOD_SUFFIX);
	return is_of_entry(filter, program, TPROF_PERF_SUFFIX) || filter_is_wait_program(filter, program) ||
	       filter_is_owner_program(program);
}

static int refuse_program(const struct tprof_filter *filter, const struct bpf_program *program,
			  struct tprof_error *error)
{
	const char *section = bpf_program__section_name(program);

	if (strstr(section, ".s/") || strstr(section, "sleepable"))
		error_set(error, ENOEXEC, "%s: program %s (%s) may sleep; filters run in interrupt context and cannot",
			  filter->path, bpf_program__name(program), section);
	else
		error_set(error, ENOEXEC, "%s: program %s (%s) is not part of a TPROF_FILTER()", filter->path,
			  bpf_program__name(program), section);
	error_hint(error, "docs/filters.md shows what a filter object may contain");
	return -ENOEXEC;
}

/* Each program of the object must be one half of a filter. */
static int find_entries(struct tprof_filter *filter, const struct bpf_object *whole, struct tprof_error *error)
{
	struct bpf_program *program;
	size_t nr = 0;

	bpf_object__for_each_program(program, whole)
		nr++;
	filter->entries = calloc(nr ? nr : 1, sizeof(*filter->entries));
	if (!filter->entries)
		return error_set(error, ENOMEM, "%s: not enough memory", filter->path);
	bpf_object__for_each_program(program, whole) {
		if (is_entry(whole, program, &filter->entries[filter->nr_entries]))
			filter->nr_entries++;
	}
	bpf_object__for_each_program(program, whole) {
		if (!is_part_of_entry(filter, program))
			return refuse_program(filter, program, error);
	}
	if (!filter->nr_entries) {
		error_set(error, ENOEXEC, "%s: has no TPROF_FILTER()", filter->path);
		error_hint(error, "docs/filters.md shows how to write one");
		return -ENOEXEC;
	}
	filter_find_programs(filter);
	return 0;
}

void filter_find_programs(struct tprof_filter *filter)
{
	for (size_t i = 0; i < filter->nr_entries; i++) {
		char name[TPROF_NAME_MAX + 1 + sizeof(TPROF_PERF_SUFFIX)];

		snprintf(name, sizeof(name), "%s%s", filter->entries[i].name, TPROF_PERF_SUFFIX);
		filter->entries[i].program = bpf_object__find_program_by_name(filter->object, name);
	}
}

static int check_parts(const struct filter_image *image, const char *path, struct tprof_error *error)
{
	char name[TPROF_NAME_MAX + 1];
	const char *macro = filter_image_find_alone(image, name);

	if (!macro)
		return 0;
	error_set(error, ENOEXEC, "%s: has %s(%s, w), but no TPROF_FILTER(%s, s)", path, macro, name, name);
	error_hint(error, "add TPROF_FILTER(%s, s), which is for other events; its body may be: return TPROF_DONE;",
		   name);
	return -ENOEXEC;
}

/*
 * Opens the object twice: with both halves for inspection (@whole), and as the perf engine loads it (filter->object).
 */
static int open_objects(struct tprof_filter *filter, struct bpf_object **whole, struct tprof_error *error)
{
	struct filter_image image;
	int err = filter_image_read(&image, filter->path, error);

	if (err)
		return err;
	err = check_parts(&image, filter->path, error);
	if (!err) {
		*whole = open_image(&image, filter->path, error);
		err = *whole ? 0 : -errno;
	}
	if (!err) {
		filter_image_hide_kmod(&image);
		filter->object = open_image(&image, filter->path, error);
		err = filter->object ? 0 : -errno;
	}
	filter_image_free(&image);
	return err;
}

static int refuse_tables(const char *path, int err, struct tprof_error *error)
{
	if (err == -ENOMEM)
		return error_set(error, ENOMEM, "%s: not enough memory", path);
	if (err == -E2BIG)
		error_set(error, ENOEXEC, "%s: the key or value of a table has too many members, the maximum is %d",
			  path, VALUE_MAX_MEMBERS);
	else
		error_set(error, ENOEXEC, "%s: the key or value of a table has a type that tprof cannot print", path);
	error_hint(error, "docs/filters.md lists the types of keys and their limits");
	return -ENOEXEC;
}

static int find_maps(struct tprof_filter *filter, struct tprof_error *error)
{
	int nr;

	if (!filter_map(filter, TPROF_LEDGER_NAME) || !filter_map(filter, TPROF_SCOPE_NAME) ||
	    !filter_map(filter, TPROF_CGROUPS_NAME) || !filter_map(filter, TPROF_STREAM_NAME))
		return error_set(error, ENOEXEC, "%s: lacks the maps that tprof/filter.bpf.h defines", filter->path);
	nr = tables_find(filter->object, &filter->tables);
	if (nr < 0)
		return refuse_tables(filter->path, nr, error);
	filter->nr_tables = (size_t)nr;
	return 0;
}

static int refuse_name(const char *name, int err, struct tprof_error *error)
{
	if (err != ENOENT)
		return error_set(error, err, "filter %s: %s", name, strerror(err));
	/* The path of the running program, and so of the filters beside it, comes from /proc. */
	err = proc_require(error);
	if (err)
		return err;
	error_set(error, ENOENT, "filter %s: no filter of this name", name);
	error_hint(error, "tprof list filters; the name of a file has a slash or ends in .o");
	return -ENOENT;
}

/* BTF has a function only if it is left after the compiler's optimizations. */
static bool has_function(const struct bpf_object *whole, const char *name)
{
	const struct btf *types = bpf_object__btf(whole);

	return types && btf__find_by_name_kind(types, name, BTF_KIND_FUNC) > 0;
}

/*
 * The stacks that the filter walks: those for which the module's half, or the programs for waits, call a function. And
 * whether it asks for owners.
 */
static void find_stacks(struct tprof_filter *filter, const struct bpf_object *whole)
{
	static const struct {
		const char *of_sample, *of_wait;
		uint32_t stack;
	} walks[] = {
		{ "tprof_walk_kernel", "tprof_waited_kernel", TPROF_STACK_KERNEL },
		{ "tprof_walk_user", "tprof_waited_user", TPROF_STACK_USER },
	};

	for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
		if (has_function(whole, walks[i].of_sample))
			filter->stacks |= walks[i].stack;
		if (has_function(whole, walks[i].of_wait))
			filter->wait_stacks |= walks[i].stack;
	}
	if (has_function(whole, TPROF_WAKERS_NAME))
		filter->wait_stacks |= TPROF_STACK_WAKER;
	filter->has_owners = has_function(whole, TPROF_QUEUED_NAME);
}

/* Copies a text, such as that of TPROF_ABOUT(), if there is one. Errors: ENOMEM. */
static int copy_text(const struct tprof_filter *filter, const char *name, char **text)
{
	uint32_t offset;

	if (rodata_find(filter, name, &offset) || offset >= filter->rodata_size)
		return 0;
	*text = strndup(filter->rodata + offset, filter->rodata_size - offset);
	if (!*text)
		return -ENOMEM;
	utf8_clean(*text);
	return 0;
}

struct tprof_filter *tprof_filter__open(const char *name, struct tprof_error *error)
{
	struct tprof_filter *filter = calloc(1, sizeof(*filter));
	struct bpf_object *whole = NULL;
	int err;

	if (!filter) {
		errno = -error_set(error, ENOMEM, "filter %s: not enough memory", name);
		return NULL;
	}
	memset(filter->owner_fds, -1, sizeof(filter->owner_fds));
	filter->path = filter_find_path(name);
	err = filter->path ? 0 : refuse_name(name, errno, error);
	if (err == 0)
		err = open_objects(filter, &whole, error);
	if (err == 0)
		err = filter_find_constants(filter, error);
	if (err == 0)
		err = find_entries(filter, whole, error);
	if (err == 0)
		err = find_maps(filter, error);
	if (err == 0)
		find_stacks(filter, whole);
	if (err == 0 && (filter_params_find(filter) || copy_text(filter, TPROF_ABOUT_NAME, &filter->about) ||
			 copy_text(filter, TPROF_EVENT_NAME, &filter->event)))
		err = error_set(error, ENOMEM, "%s: not enough memory", filter->path);
	bpf_object__close(whole);
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
	filter_detach_owners(filter);
	filter_ledger_unmap(filter);
	filter_types_free(filter);
	filter_params_free(filter);
	tables_free(filter->tables, filter->nr_tables);
	free(filter->entries);
	bpf_object__close(filter->object);
	free(filter->verifier_log);
	free(filter->check_log);
	free(filter->check_helpers);
	free(filter->about);
	free(filter->event);
	free(filter->path);
	free(filter);
}

struct table *filter_entry_table(const struct tprof_filter *filter)
{
	struct table *first = NULL;

	for (size_t t = 0; t < filter->nr_tables; t++) {
		struct table *table = &filter->tables[t];

		if (table->stacks)
			continue;
		if (table_has_place(table))
			return table;
		if (!first)
			first = table;
	}
	return first;
}

size_t filter_nr_counts(const struct tprof_filter *filter)
{
	size_t nr = 0;

	for (size_t t = 0; t < filter->nr_tables; t++)
		nr += !filter->tables[t].stacks;
	return nr;
}

const char *tprof_filter__name(const struct tprof_filter *filter)
{
	return filter->entries[0].name;
}

const char *tprof_filter__path(const struct tprof_filter *filter)
{
	return filter->path;
}

const char *tprof_filter__event(const struct tprof_filter *filter)
{
	return filter->event ? filter->event : "";
}

const char *tprof_filter__about(const struct tprof_filter *filter)
{
	return filter->about ? filter->about : "";
}

const char *tprof_filter__error(const struct tprof_filter *filter)
{
	return filter->error.text;
}

const char *tprof_filter__hint(const struct tprof_filter *filter)
{
	return filter->error.hint;
}
