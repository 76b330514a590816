// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Reads the function symbols of an ELF file: from its own tables, those of a debug file, and its PLT. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "debug_inside.h"
#include "elf_go.h"
#include "elf_plt.h"
#include "elf_symbols_table.h"

enum rank {
	RANK_PLT,
	RANK_LABEL_WEAK,	/* no type: assembly */
	RANK_LABEL_LOCAL,
	RANK_LABEL_GLOBAL,
	RANK_FUNCTION_WEAK,
	RANK_FUNCTION_LOCAL,
	RANK_FUNCTION_GLOBAL,
};

/* The input for the table. */
struct source {
	const struct elf_file *file;
	const struct elf_section *symtab;
	bool exported_only;		/* other functions have no symbol */
};

/* Rank of a symbol that names code; -1 for other symbols. */
static int symbol_rank(const GElf_Sym *symbol)
{
	int rank;

	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		rank = RANK_FUNCTION_WEAK;
		break;
	case STT_NOTYPE:
		rank = RANK_LABEL_WEAK;
		break;
	default:
		return -1;
	}
	switch (GELF_ST_BIND(symbol->st_info)) {
	case STB_WEAK:
		return rank;
	case STB_LOCAL:
		return rank + 1;
	default:
		return rank + 2;
	}
}

/*
 * "$x" and "$d" mark code and data for disassemblers; ".L" labels are internal to the compiler. They are not function
 * names.
 */
static bool is_marker(const struct elf_symbols *symbols, uint32_t name)
{
	char start[3] = "";

	elf_symbols_read_name(symbols, name, start, sizeof(start));
	return !start[0] || start[0] == '$' || (start[0] == '.' && start[1] == 'L');
}

/* On 32-bit ARM the lowest bit of a function's address marks Thumb code. */
static uint64_t start_of_code(const struct elf_file *file, const GElf_Sym *symbol)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	if (file->machine == EM_ARM && (type == STT_FUNC || type == STT_GNU_IFUNC))
		return symbol->st_value & ~1ULL;
	return symbol->st_value;
}

/*
 * Bytes from there to the end of the code of its section; 0: not in code. Without section headers the section of a
 * symbol is unknown, and its segment is used.
 */
static uint64_t bytes_left(const struct elf_symbols *symbols, const struct elf_file *file, const GElf_Sym *symbol,
			   uint64_t start)
{
	uint64_t left = elf_symbols_bytes_left(symbols, start), section_left;
	const struct elf_section *section;

	if (file->no_headers)
		return symbol->st_shndx < SHN_LORESERVE ? left : 0;
	if (symbol->st_shndx >= file->nr_sections)
		return 0;
	section = &file->sections[symbol->st_shndx];
	if (!section->exec || start < section->addr || start - section->addr >= section->size)
		return 0;
	section_left = section->size - (start - section->addr);
	return left < section_left ? left : section_left;
}

/*
 * Gets the range of a symbol; false if it is not mapped code.
 *
 * A symbol without a size extends to the next symbol. If functions without a symbol may lie in between (exported_only),
 * its end is unknown and it is dropped. Call frame information does not help: compilers emit empty functions for
 * unreachable code, linkers drop the entries for these, and the entry at their address describes a neighbor.
 */
static bool locate(const struct elf_symbols *symbols, const struct source *source, const GElf_Sym *symbol,
		   struct elf_symbol *at)
{
	uint64_t start = start_of_code(source->file, symbol), left;
	int rank = symbol_rank(symbol);

	if (rank < 0 || !symbol->st_name || symbol->st_shndx == SHN_UNDEF || start < symbols->base ||
	    (source->exported_only && !symbol->st_size))
		return false;
	left = bytes_left(symbols, source->file, symbol, start);
	if (!left || start - symbols->base > UINT32_MAX - left)
		return false;
	*at = (struct elf_symbol){
		.start = (uint32_t)(start - symbols->base),
		.size = (uint32_t)(symbol->st_size && symbol->st_size < left ? symbol->st_size : left),
		.name = symbol->st_name,
		.rank = (uint8_t)rank,
		.open_end = !symbol->st_size,
	};
	return true;
}

static int add_from_symtab(struct elf_symbols *symbols, const struct source *source)
{
	struct elf_entries entries;
	struct elf_symbol at;
	GElf_Sym symbol;
	uint32_t marker = 0;		/* the last marker: assemblers use the same string for all of them */

	elf_symbols_begin(&entries, source->file, source->symtab);
	for (size_t i = 1; i < entries.nr && elf_entries_symbol(&entries, i, &symbol); i++) {
		if (symbol.st_name == marker || !locate(symbols, source, &symbol, &at))
			continue;
		if (at.rank == RANK_LABEL_LOCAL && is_marker(symbols, symbol.st_name)) {
			marker = symbol.st_name;
			continue;
		}
		symbols->has_locals = symbols->has_locals || at.rank == RANK_FUNCTION_LOCAL;
		if (elf_symbols_add(symbols, &at))
			return -ENOMEM;
	}
	return 0;
}

/*
 * Adds dynamic symbols to those of another file. Names are read from that other file, so the names of these few symbols
 * are kept in memory.
 */
static int add_dynamic(struct elf_symbols *symbols, const struct elf_file *file)
{
	struct source source = { .file = file, .symtab = elf_file_find_type(file, SHT_DYNSYM) };
	const struct elf_section *section = source.symtab ? elf_file_strings(file, source.symtab) : NULL;
	struct elf_strings strings;
	struct elf_entries entries;
	char name[ELF_NAME_MAX];
	struct elf_symbol at;
	GElf_Sym symbol;
	int err = 0;

	if (!section)
		return 0;
	strings = (struct elf_strings){ .fd = file->fd, .offset = section->offset, .size = section->size };
	elf_strings_buffer(&strings);
	elf_symbols_begin(&entries, file, source.symtab);
	for (size_t i = 1; i < entries.nr && !err && elf_entries_symbol(&entries, i, &symbol); i++) {
		if (locate(symbols, &source, &symbol, &at) &&
		    elf_strings_read(&strings, symbol.st_name, name, sizeof(name)))
			err = elf_symbols_add_kept(symbols, at, name, "");
	}
	elf_strings_unbuffer(&strings);
	return err;
}

/* The name of the start of the procedure linkage table, whose entries are "function@plt". */
#define PLT_START ".plt"

/* An entry of the procedure linkage table, for the dynamic symbol with that index; STN_UNDEF: its start. */
struct plt_entry {
	uint64_t vaddr;
	uint32_t size, index;
};

struct plt_entries {
	const struct elf_symbols *symbols;
	struct plt_entry *entries;
	size_t nr, capacity;
	int err;
};

static void note_plt_entry(void *ctx, uint64_t vaddr, uint32_t size, uint32_t index)
{
	struct plt_entries *all = ctx;
	const struct elf_symbols *symbols = all->symbols;
	struct plt_entry *grown;

	if (all->err || vaddr < symbols->base || vaddr - symbols->base > UINT32_MAX - size ||
	    elf_symbols_bytes_left(symbols, vaddr) < size)
		return;
	grown = array_grow(all->entries, all->nr, &all->capacity, sizeof(*grown));
	all->err = grown ? 0 : -ENOMEM;
	if (!grown)
		return;
	all->entries = grown;
	grown[all->nr++] = (struct plt_entry){ vaddr, size, index };
}

static int compare_indices(const void *left, const void *right)
{
	const struct plt_entry *a = left, *b = right;

	return (a->index > b->index) - (a->index < b->index);
}

static int name_plt_entries(struct elf_symbols *symbols, const struct plt_entries *all, struct elf_entries *dynsym,
			    const struct elf_strings *strings)
{
	char name[ELF_NAME_MAX];
	GElf_Sym symbol;
	int err = 0;

	for (size_t i = 0; i < all->nr && !err; i++) {
		const struct plt_entry *entry = &all->entries[i];
		bool is_start = entry->index == STN_UNDEF;

		if (!is_start && (!elf_entries_symbol(dynsym, entry->index, &symbol) ||
				  !elf_strings_read(strings, symbol.st_name, name, sizeof(name))))
			continue;
		err = elf_symbols_add_kept(symbols, (struct elf_symbol){
			.start = entry->vaddr - symbols->base,
			.size = entry->size,
			.rank = RANK_PLT,
		}, is_start ? PLT_START : name, is_start ? "" : "@plt");
	}
	return err;
}

/* Reads the symbols in their order: that of the entries would read a part of the file for each of them. */
static int add_plt(struct elf_symbols *symbols, const struct elf_file *file)
{
	const struct elf_section *section = elf_file_find_type(file, SHT_DYNSYM);
	const struct elf_section *names = section ? elf_file_strings(file, section) : NULL;
	struct plt_entries all = { .symbols = symbols };
	struct elf_strings strings;
	struct elf_entries dynsym;

	if (!names)
		return 0;
	elf_plt_each(file, note_plt_entry, &all);
	if (!all.err && all.nr) {
		strings = (struct elf_strings){ .fd = file->fd, .offset = names->offset, .size = names->size };
		elf_strings_buffer(&strings);
		elf_symbols_begin(&dynsym, file, section);
		qsort(all.entries, all.nr, sizeof(*all.entries), compare_indices);
		all.err = name_plt_entries(symbols, &all, &dynsym, &strings);
		elf_strings_unbuffer(&strings);
	}
	free(all.entries);
	return all.err;
}

static int take_segments(struct elf_symbols *symbols, const struct elf_file *file)
{
	symbols->base = UINT64_MAX;
	if (!file->nr_segments)
		return 0;
	symbols->segments = calloc(file->nr_segments, sizeof(*symbols->segments));
	if (!symbols->segments)
		return -ENOMEM;
	memcpy(symbols->segments, file->segments, file->nr_segments * sizeof(*symbols->segments));
	symbols->nr_segments = file->nr_segments;
	for (size_t i = 0; i < file->nr_segments; i++) {
		if (file->segments[i].vaddr < symbols->base)
			symbols->base = file->segments[i].vaddr;
	}
	return 0;
}

/* Names will be read from this file: keeps it open, and records its size and mtime. */
static int keep_names(struct elf_symbols *symbols, int fd, uint64_t offset, uint64_t size)
{
	struct stat st;

	elf_strings_unbuffer(&symbols->strings);
	if (symbols->fd >= 0)
		close(symbols->fd);
	symbols->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (symbols->fd < 0 || fstat(symbols->fd, &st))
		return -errno;
	symbols->strings = (struct elf_strings){ .fd = symbols->fd, .offset = offset, .size = size };
	elf_strings_buffer(&symbols->strings);
	symbols->size = st.st_size;
	symbols->mtime = st.st_mtim;
	return 0;
}

static int take_strings(struct elf_symbols *symbols, const struct source *source)
{
	const struct elf_section *strings = elf_file_strings(source->file, source->symtab);

	return strings ? keep_names(symbols, source->file->fd, strings->offset, strings->size) : -ENOEXEC;
}

static int add_go_function(void *ctx, uint64_t start, uint64_t size, uint32_t name)
{
	struct elf_symbols *symbols = ctx;
	uint64_t left = elf_symbols_bytes_left(symbols, start);

	if (start < symbols->base || start - symbols->base > UINT32_MAX - left)
		return 0;
	return elf_symbols_add(symbols, &(struct elf_symbol){
		.start = (uint32_t)(start - symbols->base),
		.size = (uint32_t)(size < left ? size : left),
		.name = name,
		.rank = RANK_FUNCTION_GLOBAL,
	});
}

/* Reads Go's pclntab, and the exported functions, which may be C functions. Returns -ENOENT if there is no pclntab. */
static int read_go(struct elf_symbols *symbols, const struct elf_file *file)
{
	struct elf_go go;
	int err;

	if (!elf_go_find(file, &go))
		return -ENOENT;
	err = keep_names(symbols, file->fd, go.names_offset, go.names_size);
	if (!err)
		err = elf_go_each(&go, add_go_function, symbols);
	return err ? err : add_dynamic(symbols, file);
}

static int read_source(struct elf_symbols *symbols, const struct source *source)
{
	int err = take_strings(symbols, source);

	if (!err)
		err = add_from_symtab(symbols, source);
	/* An unreadable table counts as missing. */
	return err == -ENOEXEC ? 0 : err;
}

/* Takes ownership of the file descriptor, of a file with the symbols of another. Returns -ENOENT if it has none. */
static int read_other(struct elf_symbols *symbols, int fd)
{
	struct elf_file other;
	struct source source;
	int err = elf_file_open(&other, fd);

	if (!err) {
		source = (struct source){ .file = &other, .symtab = elf_file_find_type(&other, SHT_SYMTAB) };
		err = source.symtab ? read_source(symbols, &source) : -ENOENT;
		elf_file_close(&other);
	}
	close(fd);
	return err;
}

static int read_symtabs(struct elf_symbols *symbols, const struct elf_file *file, const struct debug_search *search)
{
	struct source source = { .file = file, .symtab = elf_file_find_type(file, SHT_SYMTAB) };
	int fd, err = -ENOENT;

	if (source.symtab)
		return read_source(symbols, &source);
	fd = debug_search_open(search, file);
	if (fd >= 0)
		err = read_other(symbols, fd);
	if (!err || err == -ENOMEM)
		return err;
	/* MiniDebugInfo contains only what the dynamic symbols lack. */
	fd = debug_inside_open(file);
	if (fd >= 0)
		err = read_other(symbols, fd);
	if (fd >= 0 && !err)
		return add_dynamic(symbols, file);
	if (err != -ENOMEM)
		err = read_go(symbols, file);
	if (!err || err == -ENOMEM)
		return err;
	source = (struct source){ file, elf_file_find_type(file, SHT_DYNSYM), .exported_only = true };
	return source.symtab ? read_source(symbols, &source) : 0;
}

static struct elf_symbols *open_symbols(int fd, const struct debug_search *search, bool keep_all)
{
	struct elf_symbols *symbols = calloc(1, sizeof(*symbols));
	struct elf_exports exports = { .strings.fd = -1 };
	struct elf_file file;
	int err;

	if (!symbols)
		return NULL;
	symbols->fd = -1;
	symbols->keep_all = keep_all;
	err = elf_file_open(&file, fd);
	if (err)
		goto err_free;
	err = take_segments(symbols, &file);
	if (!err)
		err = read_symtabs(symbols, &file, search);
	if (!err)
		err = add_plt(symbols, &file);
	if (!err)
		err = elf_exports_read(&exports, &file);
	if (!err)
		err = elf_symbols_finish(symbols, &exports);
	if (!err)
		err = elf_symbols_fill(symbols, &file);
	elf_exports_free(&exports);
	elf_file_close(&file);
	if (err)
		goto err_free;
	return symbols;

err_free:
	elf_symbols_close(symbols);
	errno = -err;
	return NULL;
}

struct elf_symbols *elf_symbols_open(int fd, const struct debug_search *search)
{
	return open_symbols(fd, search, false);
}

struct elf_symbols *elf_symbols_open_all(int fd, const struct debug_search *search)
{
	return open_symbols(fd, search, true);
}
