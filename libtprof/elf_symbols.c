// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Function symbols of one ELF file. */
#include "elf_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_debug.h"
#include "elf_file.h"
#include "elf_plt.h"

/* Addresses are relative to the lowest executable one. Code that lies 4 GB above it has no names. */
struct elf_symbol {
	uint32_t start, size;
	uint32_t name;			/* in the string table, or in plt_names */
	uint8_t rank;			/* higher is better, of those with the same start */
	bool open_end;			/* no size of its own: ends at the next symbol or the section's end */
	bool plt;
};

struct elf_symbols {
	struct elf_symbol *symbols;	/* sorted, starts differ */
	size_t nr, room;
	uint64_t base;
	struct elf_segment *segments;	/* of the mapped file, not of its debug file */
	size_t nr_segments;
	char *plt_names;
	size_t plt_names_size;

	/* Where the names are, and what that file looked like when the symbols were read. */
	int fd;
	uint64_t strings_offset, strings_size;
	off_t size;
	struct timespec mtime;
};

enum rank {
	RANK_PLT,
	RANK_LABEL_LOCAL,	/* without a type: assembly */
	RANK_LABEL_WEAK,
	RANK_LABEL_GLOBAL,
	RANK_FUNCTION_LOCAL,
	RANK_FUNCTION_WEAK,
	RANK_FUNCTION_GLOBAL,
};

/* What the table is made from. */
struct source {
	const struct elf_file *file;
	const struct elf_section *symtab;
};

static int add(struct elf_symbols *symbols, const struct elf_symbol *symbol)
{
	if (symbols->nr == symbols->room) {
		size_t room = symbols->room ? symbols->room * 2 : 64;
		struct elf_symbol *grown = reallocarray(symbols->symbols, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		symbols->symbols = grown;
		symbols->room = room;
	}
	symbols->symbols[symbols->nr++] = *symbol;
	return 0;
}

static bool read_name(const struct elf_symbols *symbols, uint32_t name, char *buffer, size_t size)
{
	return elf_string_read(symbols->fd, symbols->strings_offset, symbols->strings_size, name, buffer, size);
}

/* How far the executable segment goes from there; 0 if it is in none. */
static uint64_t room_in_segment(const struct elf_symbols *symbols, uint64_t vaddr)
{
	for (size_t i = 0; i < symbols->nr_segments; i++) {
		const struct elf_segment *segment = &symbols->segments[i];

		if (vaddr >= segment->vaddr && vaddr - segment->vaddr < segment->size)
			return segment->size - (vaddr - segment->vaddr);
	}
	return 0;
}

/* Which symbols name code, and how well; -1 for the others. */
static int symbol_rank(const GElf_Sym *symbol)
{
	int rank;

	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		rank = RANK_FUNCTION_LOCAL;
		break;
	case STT_NOTYPE:
		rank = RANK_LABEL_LOCAL;
		break;
	default:
		return -1;
	}
	switch (GELF_ST_BIND(symbol->st_info)) {
	case STB_LOCAL:
		return rank;
	case STB_WEAK:
		return rank + 1;
	default:
		return rank + 2;
	}
}

/* "$x" and "$d" mark code and data for disassemblers; ".L" is the compiler's own. They name nothing. */
static bool is_marker(const struct elf_symbols *symbols, uint32_t name)
{
	char start[3] = "";

	read_name(symbols, name, start, sizeof(start));
	return !start[0] || start[0] == '$' || (start[0] == '.' && start[1] == 'L');
}

static int add_from_symtab(struct elf_symbols *symbols, const struct source *source)
{
	struct elf_entries entries;
	GElf_Sym symbol;
	uint32_t marker = 0;		/* the last one found: assemblers use the same string for all */

	elf_symbols_begin(&entries, source->file, source->symtab);
	for (size_t i = 1; i < entries.nr && elf_entries_symbol(&entries, i, &symbol); i++) {
		const struct elf_section *section;
		uint64_t room, section_room;
		int rank = symbol_rank(&symbol);

		if (rank < 0 || !symbol.st_name || symbol.st_name == marker || symbol.st_shndx == SHN_UNDEF ||
		    symbol.st_shndx >= source->file->nr_sections || symbol.st_value < symbols->base)
			continue;
		section = &source->file->sections[symbol.st_shndx];
		if (!section->exec || symbol.st_value < section->addr ||
		    symbol.st_value - section->addr >= section->size)
			continue;
		if (rank == RANK_LABEL_LOCAL && is_marker(symbols, symbol.st_name)) {
			marker = symbol.st_name;
			continue;
		}
		section_room = section->size - (symbol.st_value - section->addr);
		room = room_in_segment(symbols, symbol.st_value);
		if (room > section_room)
			room = section_room;
		if (!room || symbol.st_value - symbols->base > UINT32_MAX - room)
			continue;
		if (add(symbols, &(struct elf_symbol){
			.start = symbol.st_value - symbols->base,
			.size = symbol.st_size && symbol.st_size < room ? symbol.st_size : room,
			.name = symbol.st_name,
			.rank = rank,
			.open_end = !symbol.st_size,
		}))
			return -ENOMEM;
	}
	return 0;
}

struct plt_reader {
	struct elf_symbols *symbols;
	const struct elf_section *strings;
	struct elf_entries dynsym;
	int fd, err;
};

static int add_plt_name(struct elf_symbols *symbols, const char *name)
{
	size_t size = strlen(name) + sizeof("@plt");
	char *grown = realloc(symbols->plt_names, symbols->plt_names_size + size);

	if (!grown)
		return -ENOMEM;
	memcpy(grown + symbols->plt_names_size, name, size - sizeof("@plt"));
	memcpy(grown + symbols->plt_names_size + size - sizeof("@plt"), "@plt", sizeof("@plt"));
	symbols->plt_names = grown;
	symbols->plt_names_size += size;
	return 0;
}

static void add_plt_entry(void *ctx, uint64_t vaddr, uint32_t size, uint32_t index)
{
	struct plt_reader *reader = ctx;
	struct elf_symbols *symbols = reader->symbols;
	char name[ELF_NAME_MAX];
	GElf_Sym symbol;

	if (reader->err || vaddr < symbols->base || vaddr - symbols->base > UINT32_MAX - size ||
	    room_in_segment(symbols, vaddr) < size || !index ||
	    !elf_entries_symbol(&reader->dynsym, index, &symbol) ||
	    !elf_string_read(reader->fd, reader->strings->offset, reader->strings->size, symbol.st_name,
			     name, sizeof(name)) || !name[0])
		return;
	reader->err = add(symbols, &(struct elf_symbol){
		.start = vaddr - symbols->base,
		.size = size,
		.name = symbols->plt_names_size,
		.rank = RANK_PLT,
		.plt = true,
	});
	if (!reader->err)
		reader->err = add_plt_name(symbols, name);
}

static int add_plt(struct elf_symbols *symbols, const struct elf_file *file)
{
	const struct elf_section *dynsym = elf_file_find_type(file, SHT_DYNSYM);
	struct plt_reader reader = { .symbols = symbols, .fd = file->fd };

	reader.strings = dynsym ? elf_file_strings(file, dynsym) : NULL;
	if (!reader.strings)
		return 0;
	elf_symbols_begin(&reader.dynsym, file, dynsym);
	elf_plt_each(file, add_plt_entry, &reader);
	return reader.err;
}

static int compare_symbols(const void *left, const void *right)
{
	const struct elf_symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return b->rank - a->rank;
	if (a->open_end != b->open_end)
		return a->open_end - b->open_end;
	return (a->size < b->size) - (a->size > b->size);
}

/* Of two names of the same function: without underscore, shorter, first in the alphabet. */
static bool is_better_name(const char *a, const char *b)
{
	size_t a_length = strcspn(a, "@"), b_length = strcspn(b, "@");

	if ((a[0] == '_') != (b[0] == '_'))
		return b[0] == '_';
	if (a_length != b_length)
		return a_length < b_length;
	return strcmp(a, b) < 0;
}

/* The best of nr symbols with the same start, best rank first. */
static struct elf_symbol choose(const struct elf_symbols *symbols, const struct elf_symbol *same, size_t nr)
{
	struct elf_symbol best = same[0];
	char best_name[ELF_NAME_MAX], name[ELF_NAME_MAX];
	bool has_name = false;

	if (best.plt)
		return best;
	for (size_t i = 1; i < nr && same[i].rank == best.rank && same[i].size == best.size; i++) {
		if (!has_name)
			has_name = read_name(symbols, best.name, best_name, sizeof(best_name));
		if (!has_name || !read_name(symbols, same[i].name, name, sizeof(name)) ||
		    !is_better_name(name, best_name))
			continue;
		best = same[i];
		memcpy(best_name, name, strlen(name) + 1);
	}
	return best;
}

/* One symbol for each start; those without size end where the next begins, and are no part of others. */
static void finish(struct elf_symbols *symbols)
{
	struct elf_symbol *all = symbols->symbols, *last = NULL;
	uint32_t covered = 0;		/* end of the symbols with a size so far */
	size_t nr = 0, same;

	if (symbols->nr)
		qsort(all, symbols->nr, sizeof(*all), compare_symbols);
	for (size_t i = 0; i < symbols->nr; i += same) {
		struct elf_symbol best;

		for (same = 1; i + same < symbols->nr && all[i + same].start == all[i].start; same++)
			;
		best = choose(symbols, &all[i], same);
		if (best.open_end && best.start < covered)
			continue;
		if (last && last->open_end && last->size > best.start - last->start)
			last->size = best.start - last->start;
		if (!best.open_end && best.start + best.size > covered)
			covered = best.start + best.size;
		last = &all[nr++];
		*last = best;
	}
	symbols->nr = nr;
	if (nr) {
		all = reallocarray(all, nr, sizeof(*all));
		if (all)
			symbols->symbols = all;
	}
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

/* The names will come from this file: keeps it open, and remembers its looks. */
static int take_strings(struct elf_symbols *symbols, const struct source *source)
{
	const struct elf_section *strings = elf_file_strings(source->file, source->symtab);
	struct stat st;

	if (!strings)
		return -ENOEXEC;
	symbols->fd = fcntl(source->file->fd, F_DUPFD_CLOEXEC, 3);
	if (symbols->fd < 0 || fstat(symbols->fd, &st))
		return -errno;
	symbols->strings_offset = strings->offset;
	symbols->strings_size = strings->size;
	symbols->size = st.st_size;
	symbols->mtime = st.st_mtim;
	return 0;
}

static int read_source(struct elf_symbols *symbols, const struct source *source)
{
	int err = take_strings(symbols, source);

	if (!err)
		err = add_from_symtab(symbols, source);
	/* A table that cannot be read is as good as none. */
	return err == -ENOEXEC ? 0 : err;
}

static int read_symtabs(struct elf_symbols *symbols, const struct elf_file *file, const char *path)
{
	struct source source = { .file = file, .symtab = elf_file_find_type(file, SHT_SYMTAB) };
	struct elf_file debug;
	int fd, err = -ENOENT;

	if (source.symtab)
		return read_source(symbols, &source);
	fd = elf_debug_open(file, path);
	if (fd >= 0) {
		err = elf_file_open(&debug, fd);
		if (!err) {
			source = (struct source){ &debug, elf_file_find_type(&debug, SHT_SYMTAB) };
			err = source.symtab ? read_source(symbols, &source) : -ENOENT;
			elf_file_close(&debug);
		}
		close(fd);
	}
	if (!err || err == -ENOMEM)
		return err;
	source = (struct source){ file, elf_file_find_type(file, SHT_DYNSYM) };
	return source.symtab ? read_source(symbols, &source) : 0;
}

struct elf_symbols *elf_symbols_open(int fd, const char *path)
{
	struct elf_symbols *symbols = calloc(1, sizeof(*symbols));
	struct elf_file file;
	int err;

	if (!symbols)
		return NULL;
	symbols->fd = -1;
	err = elf_file_open(&file, fd);
	if (err)
		goto err_free;
	err = take_segments(symbols, &file);
	if (!err)
		err = read_symtabs(symbols, &file, path);
	if (!err)
		err = add_plt(symbols, &file);
	elf_file_close(&file);
	if (err)
		goto err_free;
	finish(symbols);
	return symbols;

err_free:
	elf_symbols_close(symbols);
	errno = -err;
	return NULL;
}

void elf_symbols_close(struct elf_symbols *symbols)
{
	if (!symbols)
		return;
	if (symbols->fd >= 0)
		close(symbols->fd);
	free(symbols->symbols);
	free(symbols->segments);
	free(symbols->plt_names);
	free(symbols);
}

size_t elf_symbols_nr(const struct elf_symbols *symbols)
{
	return symbols->nr;
}

static bool offset_to_vaddr(const struct elf_symbols *symbols, uint64_t offset, uint64_t *vaddr)
{
	for (size_t i = 0; i < symbols->nr_segments; i++) {
		const struct elf_segment *segment = &symbols->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->size) {
			*vaddr = segment->vaddr + (offset - segment->offset);
			return true;
		}
	}
	return false;
}

long elf_symbols_find(const struct elf_symbols *symbols, uint64_t offset, uint64_t *delta)
{
	size_t low = 0, high = symbols->nr;
	uint64_t vaddr, at;

	if (!offset_to_vaddr(symbols, offset, &vaddr) || vaddr - symbols->base > UINT32_MAX)
		return -1;
	at = vaddr - symbols->base;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->symbols[middle].start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	/* A function can lie within another (assembly); behind its end the outer one goes on. */
	for (size_t i = low; i > 0 && low - i < 8; i--) {
		const struct elf_symbol *symbol = &symbols->symbols[i - 1];

		if (at - symbol->start >= symbol->size)
			continue;
		*delta = at - symbol->start;
		return (long)(i - 1);
	}
	return -1;
}

bool elf_symbols_name(const struct elf_symbols *symbols, size_t index, char *name, size_t size)
{
	const struct elf_symbol *symbol;
	struct stat st;

	if (index >= symbols->nr)
		return false;
	symbol = &symbols->symbols[index];
	if (symbol->plt) {
		size_t length = strlen(symbols->plt_names + symbol->name);

		if (length >= size)
			return false;
		memcpy(name, symbols->plt_names + symbol->name, length + 1);
		return true;
	}
	/* Overwritten in place since: the offsets mean nothing any more. */
	if (fstat(symbols->fd, &st) || st.st_size != symbols->size || st.st_mtim.tv_sec != symbols->mtime.tv_sec ||
	    st.st_mtim.tv_nsec != symbols->mtime.tv_nsec)
		return false;
	if (!read_name(symbols, symbol->name, name, size))
		return false;
	name[strcspn(name, "@")] = '\0';
	return name[0] != '\0';
}
