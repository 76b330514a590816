// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Go's pclntab: a header, an index of pairs (address, offset of the function's record), and records, which begin with
 * the address and the offset of the name. The content is not trusted.
 */
#include "elf_go.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf_window.h"

/* The largest programs have some hundred thousand. */
#define MAX_FUNCTIONS (4u << 20)
/*
 * The Go linker makes one code segment and three in total. A search in thousands of overlapping segments would take too
 * long.
 */
#define MAX_CODE_SEGMENTS 4
#define MAX_LOADS 16
/* Limits for the search in programs without section headers: bytes, and positions with a matching magic. */
#define MAX_SEARCH (512u << 20)
#define MAX_CANDIDATES 4
/* Limit for the search for one relocation: 700,000 entries. */
#define MAX_RELOCATIONS (16u << 20)
/* Alignment of the table by the Go linker. */
#define ALIGN 32
/* The header: the magic, two zero bytes, instruction size, pointer size; then up to eight pointers. */
#define HEADER_POINTERS 8

static uint64_t pointer_at(const uint8_t *bytes, bool is_64bit)
{
	uint64_t wide;
	uint32_t narrow;

	if (is_64bit) {
		memcpy(&wide, bytes, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, bytes, sizeof(narrow));
	return narrow;
}

static uint64_t read_pointer(struct elf_window *window, uint64_t offset, bool is_64bit)
{
	const uint8_t *bytes = elf_window_at(window, offset, is_64bit ? 8 : 4);

	return bytes ? pointer_at(bytes, is_64bit) : 0;
}

static unsigned int version_of(uint32_t magic)
{
	switch (magic) {
	case 0xfffffffb:
		return 2;
	case 0xfffffffa:
		return 16;
	case 0xfffffff0:
		return 18;
	case 0xfffffff1:
		return 20;
	}
	return 0;
}

static bool is_code(const struct elf_file *file, uint64_t vaddr)
{
	uint64_t offset, left;

	return elf_segments_offset(file->segments, file->nr_segments, vaddr, &offset, &left);
}

/* In position-independent programs the field is filled in by the loader; finds its relocation. */
static uint64_t relocated(const struct elf_file *file, struct elf_window *window, uint64_t vaddr)
{
	const struct elf_section *section = elf_file_find(file, ".rela.dyn");
	const uint32_t relative = file->machine == EM_X86_64 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE;
	const uint8_t *bytes;
	Elf64_Rela rela;

	if (!section)
		section = elf_file_find(file, ".rela");
	for (uint64_t at = 0; section && file->is_64bit && at + sizeof(rela) <= section->size && at < MAX_RELOCATIONS;
	     at += sizeof(rela)) {
		bytes = elf_window_at(window, section->offset + at, sizeof(rela));
		if (!bytes)
			return 0;
		memcpy(&rela, bytes, sizeof(rela));
		if (rela.r_offset != vaddr)
			continue;
		return ELF64_R_TYPE(rela.r_info) == relative ? (uint64_t)rela.r_addend : 0;
	}
	return 0;
}

/* Reads entry @i of the index. The last entry has only an address: the end of the code. */
static bool read_index(const struct elf_go *go, struct elf_window *window, uint64_t i, uint64_t *address,
		       uint64_t *record)
{
	size_t field = go->version >= 18 || !go->file->is_64bit ? 4 : 8, size = i < go->nr ? 2 * field : field;
	const uint8_t *bytes = elf_window_at(window, go->offset + go->functions + i * 2 * field, size);

	if (!bytes)
		return false;
	*address = pointer_at(bytes, field == 8);
	*record = i < go->nr ? pointer_at(bytes + field, field == 8) : 0;
	return true;
}

/*
 * Reads the name offset from a record. Returns false if the record is that of another address: the index marks gaps in
 * the code this way.
 */
static bool read_record(const struct elf_go *go, struct elf_window *window, uint64_t record, uint64_t address,
			uint32_t *name)
{
	size_t field = go->version >= 18 || !go->file->is_64bit ? 4 : 8;
	uint64_t base = go->version == 2 ? 0 : go->functions;
	const uint8_t *bytes;

	if (record > go->size - base || go->size - base - record < field + 4)
		return false;
	bytes = elf_window_at(window, go->offset + base + record, field + 4);
	if (!bytes || pointer_at(bytes, field == 8) != address)
		return false;
	memcpy(name, bytes + field, sizeof(*name));
	return *name < go->names_size;
}

/* Verifies a base address: with it, the entry point must be a runtime function whose name begins with "_rt0_". */
static bool is_text(struct elf_go *go, struct elf_window *window, uint64_t text)
{
	static const char wanted[] = "_rt0_";
	uint64_t address, record;
	uint32_t name;

	go->text = text;
	for (uint64_t i = 0; i < go->nr && read_index(go, window, i, &address, &record); i++) {
		const uint8_t *bytes;

		if (text + address != go->file->entry)
			continue;
		if (!read_record(go, window, record, address, &name))
			return false;
		bytes = elf_window_at(window, go->names_offset + name, sizeof(wanted) - 1);
		return bytes && !memcmp(bytes, wanted, sizeof(wanted) - 1);
	}
	return false;
}

static bool find_text(struct elf_go *go, struct elf_window *window, uint64_t told)
{
	const struct elf_section *section = elf_file_find(go->file, ".text");
	size_t pointer = go->file->is_64bit ? 8 : 4;

	go->text = told ? told : relocated(go->file, window, go->vaddr + 8 + 2 * pointer);
	if (go->text)
		return is_code(go->file, go->text);
	if (section)
		return is_text(go, window, section->addr);
	for (size_t i = 0; i < go->file->nr_segments; i++) {
		/* The text follows the ELF headers if they are in the same segment. */
		if (is_text(go, window, go->file->segments[i].vaddr) ||
		    is_text(go, window, go->file->segments[i].vaddr + 0x1000))
			return true;
	}
	return false;
}

/* Reads the table at go->offset, of at most go->size bytes. Returns false if there is none. */
static bool read_header(struct elf_go *go, struct elf_window *window)
{
	size_t pointer = go->file->is_64bit ? 8 : 4;
	uint64_t fields[HEADER_POINTERS], names;
	const uint8_t *bytes = elf_window_at(window, go->offset, 8);
	uint32_t magic;

	if (!bytes || go->size < 8 + HEADER_POINTERS * pointer)
		return false;
	memcpy(&magic, bytes, sizeof(magic));
	go->version = version_of(magic);
	if (!go->version || bytes[4] || bytes[5] || (bytes[6] != 1 && bytes[6] != 2 && bytes[6] != 4) ||
	    bytes[7] != pointer)
		return false;
	for (int i = 0; i < HEADER_POINTERS; i++)
		fields[i] = read_pointer(window, go->offset + 8 + i * pointer, go->file->is_64bit);
	/*
	 * Order of the fields. 1.2: functions. 1.16: functions, files, names, units, file names, pc tables, index. 1.18
	 * adds the text address in third place.
	 */
	go->nr = fields[0];
	go->functions = go->version == 2 ? 8 + pointer : fields[go->version == 16 ? 6 : 7];
	names = go->version == 2 ? 0 : fields[go->version == 16 ? 2 : 3];
	if (!go->nr || go->nr > MAX_FUNCTIONS || go->functions > go->size ||
	    (go->size - go->functions) / (2 * (go->version >= 18 ? 4 : pointer)) <= go->nr || names >= go->size)
		return false;
	go->names_offset = go->offset + names;
	go->names_size = go->size - names < UINT32_MAX ? go->size - names : UINT32_MAX;
	return go->version < 18 || find_text(go, window, fields[2]);
}

static bool find_by_section(const struct elf_file *file, struct elf_window *window, struct elf_go *go)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct elf_section *section = elf_file_find(file, names[i]);

		if (!section || section->type == SHT_NOBITS || section->packed)
			continue;
		*go = (struct elf_go){
			.file = file,
			.vaddr = section->addr,
			.offset = section->offset,
			.size = section->size,
		};
		if (read_header(go, window))
			return true;
	}
	return false;
}

/* Remaining search limits. */
struct effort {
	uint64_t bytes;
	unsigned int candidates;
};

/* Tries every aligned position in a segment. */
static bool find_in_segment(const struct elf_file *file, struct elf_window *window, const struct elf_segment *segment,
			    struct effort *left, struct elf_go *go)
{
	uint64_t at = -segment->vaddr % ALIGN;

	for (; at < segment->size && left->bytes >= ALIGN && left->candidates; at += ALIGN, left->bytes -= ALIGN) {
		const uint8_t *bytes = elf_window_at(window, segment->offset + at, 4);
		uint32_t magic;

		if (!bytes)
			return false;
		memcpy(&magic, bytes, sizeof(magic));
		if (!version_of(magic))
			continue;
		left->candidates--;
		*go = (struct elf_go){
			.file = file,
			.vaddr = segment->vaddr + at,
			.offset = segment->offset + at,
			.size = segment->size - at,
		};
		if (read_header(go, window))
			return true;
	}
	return false;
}

bool elf_go_find(const struct elf_file *file, struct elf_go *go)
{
	struct effort left = { .bytes = MAX_SEARCH, .candidates = MAX_CANDIDATES };
	struct elf_window *window;
	bool found;

	if (file->nr_segments > MAX_CODE_SEGMENTS || file->nr_loads > MAX_LOADS)
		return false;
	window = elf_window_new(file->fd);
	found = window && find_by_section(file, window, go);
	for (size_t i = 0; window && !found && i < file->nr_loads && (file->no_headers || !file->nr_sections); i++)
		found = find_in_segment(file, window, &file->loads[i], &left, go);
	free(window);
	return found;
}

static int each(const struct elf_go *go, struct elf_window *index, struct elf_window *records, elf_go_fn fn, void *ctx)
{
	uint64_t address, record, next, next_record;
	int err = 0;

	if (!read_index(go, index, 0, &address, &record))
		return 0;
	for (uint64_t i = 0; !err && i < go->nr; i++, address = next, record = next_record) {
		uint64_t start = go->text + address;	/* text is 0 if addresses are absolute */
		uint32_t name;

		if (!read_index(go, index, i + 1, &next, &next_record))
			return 0;
		if (address < next && next - address <= UINT32_MAX && is_code(go->file, start) &&
		    read_record(go, records, record, address, &name))
			err = fn(ctx, start, next - address, name);
	}
	return err;
}

int elf_go_each(const struct elf_go *go, elf_go_fn fn, void *ctx)
{
	/* Two windows, as each is read forward. */
	struct elf_window *index = elf_window_new(go->file->fd), *records = elf_window_new(go->file->fd);
	int err = index && records ? each(go, index, records, fn, ctx) : -ENOMEM;

	free(index);
	free(records);
	return err;
}
