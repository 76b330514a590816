// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Resolves one address: in the kernel, in a file, or in memory with JIT code. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer.h"

#define VSYSCALL_PAGE 0xffffffffff600000
#define VSYSCALL_BYTES 1024		/* bytes for each call */
#define PAGE_MASK 0xfffffffffffff000

static bool is_vsyscall(uint64_t ip)
{
#ifdef __x86_64__
	return (ip & PAGE_MASK) == VSYSCALL_PAGE;
#else
	(void)ip;
	return false;
#endif
}

bool ip_is_kernel(uint64_t ip)
{
	return ip >> 63 && !is_vsyscall(ip);
}

static int intern_symbol(struct symbolizer *symbolizer, const char *name, const char *object, struct resolved *place)
{
	place->frame.symbol = intern_name(symbolizer->strings, name);
	place->frame.object = intern_name(symbolizer->strings, object);
	return place->frame.symbol && place->frame.object ? 0 : -ENOMEM;
}

static int resolve_kernel(struct symbolizer *symbolizer, uint64_t ip, struct resolved *place)
{
	const char *name, *object;
	int err;

	place->frame.mode = TPROF_MODE_KERNEL;
	switch (kprograms_find(&symbolizer->programs, ip, &name, &place->delta)) {
	case KPROGRAMS_FOUND:
		return intern_symbol(symbolizer, name, "[bpf]", place);
	case KPROGRAMS_SEVERAL:
		place->frame.symbol = "[BPF programs]";
		place->frame.object = "[bpf]";
		return 0;
	case KPROGRAMS_NONE:
		break;
	}
	if (!ksyms_find(symbolizer->ksyms, ip, &name, &object, &place->delta)) {
		place->frame.symbol = "[unknown kernel function]";
		place->frame.object = "[kernel]";
		return 0;
	}
	if (symbolizer->kernel.object && !strcmp(symbolizer->kernel.object, object)) {
		place->frame.symbol = intern_name(symbolizer->strings, name);
		place->frame.object = symbolizer->kernel.object;
		place->frame.build_id = symbolizer->kernel.build_id;
		return place->frame.symbol ? 0 : -ENOMEM;
	}
	err = intern_symbol(symbolizer, name, object, place);
	if (err)
		return err;
	place->frame.build_id = intern_string(symbolizer->strings, kernel_build_id(&symbolizer->build_ids, object));
	symbolizer->kernel.object = place->frame.build_id ? place->frame.object : NULL;
	symbolizer->kernel.build_id = place->frame.build_id;
	return place->frame.build_id ? 0 : -ENOMEM;
}

/*
 * "[object+0xoffset]". The offset is that of the function's start if known, so that all addresses of a function have
 * the same name. An object that has brackets gets no second pair.
 */
static int name_by_offset(struct symbolizer *symbolizer, const char *object, uint64_t offset, struct resolved *place)
{
	char name[320];
	int length = (int)strlen(object);

	if (place->delta > offset)
		place->delta = 0;
	offset -= place->delta;
	if (object[0] == '[' && object[length - 1] == ']')
		snprintf(name, sizeof(name), "%.*s+0x%" PRIx64 "]", length - 1, object, offset);
	else
		snprintf(name, sizeof(name), "[%s+0x%" PRIx64 "]", object, offset);
	return intern_symbol(symbolizer, name, object, place);
}

/* x86-64's vsyscall page of system calls for old programs: the same on every machine and in no file. */
static int resolve_vsyscall(struct symbolizer *symbolizer, uint64_t ip, struct resolved *place)
{
	static const char *const calls[] = { "gettimeofday", "time", "getcpu" };
	uint64_t offset = ip - VSYSCALL_PAGE;

	place->frame.mode = TPROF_MODE_USER;
	place->frame.address = 0;
	place->delta = offset % VSYSCALL_BYTES;
	if (offset / VSYSCALL_BYTES >= sizeof(calls) / sizeof(*calls))
		return name_by_offset(symbolizer, "[vsyscall]", offset, place);
	return intern_symbol(symbolizer, calls[offset / VSYSCALL_BYTES], "[vsyscall]", place);
}

/*
 * Sets path, build id and file offset, which are the same in every process. Call before reading symbols, which may
 * close the file.
 */
static void describe_file(struct dso *dso, uint64_t offset, struct tprof_frame *frame)
{
	if (!dso_is_file(dso))
		return;
	frame->path = dso_path(dso);
	frame->build_id = dso_build_id(dso);
	frame->address = offset;
}

static void set_lines(const struct symbolizer *symbolizer, const struct elf_place *in, struct tprof_frame *frame)
{
	if (!symbolizer->lines)
		return;
	frame->file = in->file ? in->file : "";
	frame->line = in->line;
	frame->start_line = in->start_line;
}

/* Adds source lines and inlined functions, as configured. The function that contains the code has its name already. */
static int describe_source(struct symbolizer *symbolizer, struct dso *dso, uint64_t offset, struct resolved *place)
{
	const struct elf_place *places;
	size_t nr = symbolizer->lines || symbolizer->inlines ? dso_places(dso, offset, &places) : 0;

	if (!nr)
		return 0;
	set_lines(symbolizer, &places[nr - 1], &place->frame);
	for (size_t i = 0; i + 1 < nr && symbolizer->inlines; i++) {
		struct tprof_frame *frame = &place->inlined[i];

		*frame = place->frame;
		frame->inlined = true;
		frame->symbol = intern_name(symbolizer->strings, places[i].function);
		if (!frame->symbol)
			return -ENOMEM;
		set_lines(symbolizer, &places[i], frame);
		place->nr_inlined++;
	}
	return 0;
}

/* Resolves an address in a file, or in a mapping that has a name but no file. */
static int resolve_in_dso(struct symbolizer *symbolizer, struct dso *dso, uint64_t offset, struct resolved *place)
{
	const char *name;

	describe_file(dso, offset, &place->frame);
	if (!dso_symbol(dso, offset, &name, &place->delta))
		return name_by_offset(symbolizer, dso_name(dso), offset, place);
	place->frame.symbol = name;
	place->frame.object = dso_name(dso);
	return describe_source(symbolizer, dso, offset, place);
}

/*
 * Code of a file may have been moved to memory without a file, perhaps after the sample was taken; both addresses are
 * the same code then. Returns 1 if it was not moved.
 */
static int resolve_moved(struct symbolizer *symbolizer, pid_t tgid, uint64_t ip, struct resolved *place)
{
	uint64_t offset;
	struct dso *moved;

	if (!aspaces_find_moved(symbolizer->aspaces, tgid, ip, &moved, &offset))
		return 1;
	return resolve_in_dso(symbolizer, moved, offset, place);
}

struct perfmaps_life place_life_of(const struct aspace_program *program)
{
	return (struct perfmaps_life){ .exec_ns = program->exec_ns, .end_ns = program->end_ns };
}

/* Looks the address up in the perf-PID.map. If the name may appear later, the place gets a placeholder. */
static enum perfmaps_answer resolve_jit(struct symbolizer *symbolizer, pid_t tgid, uint64_t ip,
					const struct aspace_program *program, struct resolved *place, const char **name)
{
	struct perfmaps_life life = place_life_of(program);

	if (program->had_another)
		return PERFMAPS_UNSURE;
	return perfmaps_find(symbolizer->perfmaps, tgid, &life, ip, name, &place->delta);
}

/* Resolves an address in memory without a file that has no unambiguous name in the map. */
static int resolve_anonymous(struct symbolizer *symbolizer, pid_t tgid, uint64_t ip, const char *name,
			     enum perfmaps_answer answer, struct resolved *place)
{
	struct perfmaps_moment moment = perfmaps_moment(symbolizer->perfmaps, tgid);
	int moved = resolve_moved(symbolizer, tgid, ip, place);
	const char *text = NULL, *memory;

	if (moved <= 0)
		return moved;
	/* The entry may outlive the mapping, so its name is copied. */
	memory = intern_name(symbolizer->strings, name);
	if (!memory)
		return -ENOMEM;
	if (answer == PERFMAPS_NONE)
		text = late_names_add(&symbolizer->late, tgid, ip, &moment, memory);
	/* Addresses without a placeholder are of no use to a reader and would be unlimited in number. */
	if (!text) {
		place->frame.address = 0;
		place->frame.symbol = place->frame.object = memory;
		return 0;
	}
	place->memory = memory;
	place->frame.symbol = text;
	place->frame.object = "[jit]";
	return 0;
}

/* The kernel reports no mremap(): JIT code that was moved lies where no mapping is known. */
static int resolve_unmapped(struct symbolizer *symbolizer, pid_t tgid, uint64_t ip, struct resolved *place)
{
	const struct aspace_program program = aspaces_program(symbolizer->aspaces, tgid, ip);
	const char *name;
	int moved;

	if (program.is_moved && resolve_jit(symbolizer, tgid, ip, &program, place, &name) == PERFMAPS_FOUND)
		return intern_symbol(symbolizer, name, "[jit]", place);
	moved = resolve_moved(symbolizer, tgid, ip, place);
	if (moved <= 0)
		return moved;
	place->delta = 0;
	place->frame.symbol = place->frame.object = "[unknown]";
	place->frame.address = 0;
	return 0;
}

static int resolve_user(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip,
			struct resolved *place)
{
	const struct mapping *mapping = aspaces_find(symbolizer->aspaces, tgid, exec_id, ip);
	enum perfmaps_answer answer = PERFMAPS_UNSURE;
	struct aspace_program program;
	const char *name;
	uint64_t offset;

	place->frame.mode = TPROF_MODE_USER;
	if (!mapping)
		return resolve_unmapped(symbolizer, tgid, ip, place);
	offset = ip - mapping->start + mapping->pgoff;
	dso_open_late(mapping->dso, tgid, mapping->start, mapping->end);
	/* Lines stay in the map when their code is freed, and a library may be mapped at that address by now. */
	if (dso_may_be_jit(mapping->dso)) {
		program = aspaces_program(symbolizer->aspaces, tgid, ip);
		answer = resolve_jit(symbolizer, tgid, ip, &program, place, &name);
	}
	if (answer == PERFMAPS_FOUND) {
		describe_file(mapping->dso, offset, &place->frame);
		return intern_symbol(symbolizer, name, "[jit]", place);
	}
	place->delta = 0;
	if (dso_is_anonymous(mapping->dso))
		return resolve_anonymous(symbolizer, tgid, ip, dso_name(mapping->dso), answer, place);
	return resolve_in_dso(symbolizer, mapping->dso, offset, place);
}

uint64_t place_of_return(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t return_address)
{
	const struct mapping *mapping = ip_is_kernel(return_address) ? NULL :
					aspaces_find(symbolizer->aspaces, tgid, exec_id, return_address);
	uint64_t offset, delta;
	const char *name;

	if (!mapping)
		return return_address - 1;
	offset = return_address - mapping->start + mapping->pgoff;
	dso_open_late(mapping->dso, tgid, mapping->start, mapping->end);
	/* Before symbols are read, which may close the file. */
	switch (dso_call_site(mapping->dso, offset, CALL_SITE_NATIVE)) {
	case CALL_SITE_SIGNAL:
		return return_address;
	case CALL_SITE_NONE:
		if (dso_symbol(mapping->dso, offset, &name, &delta) && !delta)
			return return_address;
		return return_address - 1;
	default:
		return return_address - 1;
	}
}

const char *place_marked_name(const struct symbolizer *symbolizer, const char *symbol)
{
	const char *marked = NULL;
	char *name;

	if (asprintf(&name, "%s%s", symbol, TPROF_BY_FRAME_POINTER) < 0)
		return NULL;
	marked = intern_name(symbolizer->strings, name);
	free(name);
	return marked;
}

int place_mark_frame_pointer(struct symbolizer *symbolizer, struct resolved *place)
{
	const char *symbol = place->frame.symbol;

	/* The mark of a placeholder is stored in its late_name: interned, it would take memory for good. */
	symbol = place->memory ? late_names_mark(&symbolizer->late, symbol) : place_marked_name(symbolizer, symbol);
	if (!symbol)
		return -ENOMEM;
	place->frame.symbol = symbol;
	return 0;
}

int place_resolve(struct symbolizer *symbolizer, pid_t tgid, uint32_t exec_id, uint64_t ip, struct resolved *place)
{
	place->frame = (struct tprof_frame){ .path = "", .build_id = "", .address = ip, .file = "" };
	place->delta = 0;
	place->nr_inlined = 0;
	place->memory = NULL;
	if (ip_is_kernel(ip))
		return resolve_kernel(symbolizer, ip, place);
	if (is_vsyscall(ip))
		return resolve_vsyscall(symbolizer, ip, place);
	return resolve_user(symbolizer, tgid, exec_id, ip, place);
}
