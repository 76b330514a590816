// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The function symbols of one ELF file as a sorted table: chooses between aliases, and finds the function of an
 * address.
 */
#include "elf_symbols_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alias.h"
#include "base/array.h"

int elf_symbols_add(struct elf_symbols *symbols, const struct elf_symbol *symbol)
{
	struct elf_symbol *grown;

	if (symbols->nr >= ELF_SYMBOLS_MAX)
		return -ENOMEM;
	grown = array_grow(symbols->symbols, symbols->nr, &symbols->capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	symbols->symbols = grown;
	grown[symbols->nr++] = *symbol;
	return 0;
}

int elf_symbols_add_kept(struct elf_symbols *symbols, struct elf_symbol symbol, const char *name, const char *suffix)
{
	size_t length = strlen(name), suffix_size = strlen(suffix) + 1;
	size_t at = symbols->kept_names_size;
	char *grown;

	if (!length || at > ELF_KEPT_NAMES_MAX - length - suffix_size)
		return 0;
	grown = array_reserve(symbols->kept_names, at + length + suffix_size, &symbols->kept_names_capacity, 1);
	if (!grown)
		return -ENOMEM;
	memcpy(grown + at, name, length);
	memcpy(grown + at + length, suffix, suffix_size);
	symbols->kept_names = grown;
	symbols->kept_names_size += length + suffix_size;
	symbol.name = (uint32_t)at;
	symbol.kept = true;
	return elf_symbols_add(symbols, &symbol);
}

bool elf_symbols_read_name(const struct elf_symbols *symbols, uint32_t name, char *buffer, size_t size)
{
	return elf_strings_read(&symbols->strings, name, buffer, size);
}

uint64_t elf_symbols_bytes_left(const struct elf_symbols *symbols, uint64_t vaddr)
{
	uint64_t offset, left;

	return elf_segments_offset(symbols->segments, symbols->nr_segments, vaddr, &offset, &left) ? left : 0;
}

/* At the same start, symbols with a size come first: one without may be an empty function. */
static int compare_symbols(const void *left, const void *right)
{
	const struct elf_symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->open_end != b->open_end)
		return a->open_end - b->open_end;
	if (a->rank != b->rank)
		return b->rank - a->rank;
	return (a->size < b->size) - (a->size > b->size);
}

/* Reads the name, from the file or from kept_names. Returns false if it cannot be read or is too long. */
static bool read_any_name(const struct elf_symbols *symbols, const struct elf_symbol *symbol, char *name, size_t size)
{
	size_t length;

	if (!symbol->kept)
		return elf_symbols_read_name(symbols, symbol->name, name, size);
	length = strlen(symbols->kept_names + symbol->name);
	if (length >= size)
		return false;
	memcpy(name, symbols->kept_names + symbol->name, length + 1);
	return true;
}

/* One of several symbols with the same start, and its name if it was read. */
struct candidate {
	const struct elf_symbol *symbol;
	bool is_exported, has_name;
	char name[ELF_NAME_MAX];
};

static void take(const struct elf_symbols *symbols, const struct elf_exports *exports, bool are_exported,
		 const struct elf_symbol *symbol, struct candidate *candidate)
{
	const char *version;
	size_t length;

	candidate->symbol = symbol;
	candidate->is_exported = false;
	candidate->has_name = read_any_name(symbols, symbol, candidate->name, sizeof(candidate->name));
	if (!candidate->has_name || !are_exported)
		return;
	/* "@@" precedes the default version. */
	version = strchr(candidate->name, '@');
	if (version && version[1] != '@')
		return;
	length = version ? (size_t)(version - candidate->name) : strlen(candidate->name);
	candidate->name[length] = '\0';
	candidate->is_exported = elf_exports_has_name(exports, symbols->base + symbol->start, candidate->name);
}

static bool is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->symbol->open_end != b->symbol->open_end)
		return b->symbol->open_end;
	if (a->is_exported != b->is_exported)
		return a->is_exported;
	if (a->symbol->rank != b->symbol->rank)
		return a->symbol->rank > b->symbol->rank;
	if (a->symbol->size != b->symbol->size)
		return a->symbol->size > b->symbol->size;
	if (a->has_name != b->has_name)
		return a->has_name;
	return a->has_name && alias_is_better(a->name, b->name);
}

/*
 * The best of nr symbols with the same start: an exported name is better than an internal one. Otherwise the same
 * choice as perf.
 */
static struct elf_symbol choose(const struct elf_symbols *symbols, const struct elf_exports *exports,
				const struct elf_symbol *same, size_t nr)
{
	struct candidate candidates[2], *best = &candidates[0], *other = &candidates[1], *worse;
	bool are_exported;

	if (nr == 1)
		return same[0];
	are_exported = elf_exports_has(exports, symbols->base + same[0].start);
	take(symbols, exports, are_exported, &same[0], best);
	for (size_t i = 1; i < nr; i++) {
		take(symbols, exports, are_exported, &same[i], other);
		if (!is_better(other, best))
			continue;
		worse = best;
		best = other;
		other = worse;
	}
	return *best->symbol;
}

void elf_symbols_shrink(struct elf_symbols *symbols)
{
	symbols->symbols = array_trim(symbols->symbols, symbols->nr, &symbols->capacity, sizeof(*symbols->symbols));
	symbols->kept_names = array_trim(symbols->kept_names, symbols->kept_names_size,
					 &symbols->kept_names_capacity, 1);
}

static int keep_all(struct elf_symbols *symbols)
{
	symbols->all = calloc(symbols->nr + 1, sizeof(*symbols->all));
	if (!symbols->all)
		return -ENOMEM;
	if (symbols->nr)
		memcpy(symbols->all, symbols->symbols, symbols->nr * sizeof(*symbols->all));
	symbols->nr_all = symbols->nr;
	return 0;
}

int elf_symbols_finish(struct elf_symbols *symbols, const struct elf_exports *exports)
{
	struct elf_symbol *all = symbols->symbols, *last = NULL;
	uint32_t covered = 0;		/* end of the symbols with a size so far */
	size_t nr = 0, same;

	if (symbols->nr)
		qsort(all, symbols->nr, sizeof(*all), compare_symbols);
	if (symbols->keep_all && keep_all(symbols))
		return -ENOMEM;
	for (size_t i = 0; i < symbols->nr; i += same) {
		struct elf_symbol best;

		for (same = 1; i + same < symbols->nr && all[i + same].start == all[i].start; same++)
			;
		best = choose(symbols, exports, &all[i], same);
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
	elf_strings_unbuffer(&symbols->strings);
	elf_symbols_shrink(symbols);
	return 0;
}

void elf_symbols_close(struct elf_symbols *symbols)
{
	if (!symbols)
		return;
	elf_strings_unbuffer(&symbols->strings);
	if (symbols->fd >= 0)
		close(symbols->fd);
	free(symbols->symbols);
	free(symbols->all);
	free(symbols->segments);
	free(symbols->kept_names);
	free(symbols);
}

size_t elf_symbols_nr(const struct elf_symbols *symbols)
{
	return symbols->nr;
}

size_t elf_symbols_bytes(const struct elf_symbols *symbols)
{
	return sizeof(*symbols) + symbols->capacity * sizeof(*symbols->symbols) + symbols->kept_names_capacity +
	       symbols->nr_segments * sizeof(*symbols->segments);
}

long elf_symbols_find(const struct elf_symbols *symbols, uint64_t offset, uint64_t *delta)
{
	size_t low = 0, high = symbols->nr;
	uint64_t vaddr, at;

	if (!elf_segments_vaddr(symbols->segments, symbols->nr_segments, offset, &vaddr) ||
	    vaddr - symbols->base > UINT32_MAX)
		return -1;
	at = vaddr - symbols->base;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->symbols[middle].start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	/* A function can contain another one (assembly); after the inner one ends, the outer one continues. */
	for (size_t i = low; i > 0 && low - i < 8; i--) {
		const struct elf_symbol *symbol = &symbols->symbols[i - 1];

		if (at - symbol->start >= symbol->size)
			continue;
		*delta = at - symbol->start;
		return (long)(i - 1);
	}
	return -1;
}

/* Gets the name as in the file. Returns false if it can no longer be read, or if there is none. */
static bool name_of(const struct elf_symbols *symbols, const struct elf_symbol *symbol, char *name, size_t size)
{
	struct stat st;

	if (symbol->nameless)
		return false;
	if (symbol->kept)
		return read_any_name(symbols, symbol, name, size);
	/* The file was modified in place: the offsets are invalid. */
	if (fstat(symbols->fd, &st) || st.st_size != symbols->size || st.st_mtim.tv_sec != symbols->mtime.tv_sec ||
	    st.st_mtim.tv_nsec != symbols->mtime.tv_nsec)
		return false;
	return read_any_name(symbols, symbol, name, size) && name[0];
}

bool elf_symbols_name(const struct elf_symbols *symbols, size_t index, char *name, size_t size)
{
	const struct elf_symbol *symbol;

	if (index >= symbols->nr)
		return false;
	symbol = &symbols->symbols[index];
	if (!name_of(symbols, symbol, name, size))
		return false;
	if (!symbol->kept)
		name[strcspn(name, "@")] = '\0';
	return name[0] != '\0';
}

bool elf_symbols_at(const struct elf_symbols *symbols, size_t index, uint64_t *address, uint64_t *size)
{
	if (index >= symbols->nr)
		return false;
	*address = symbols->base + symbols->symbols[index].start;
	*size = symbols->symbols[index].size;
	return true;
}

size_t elf_symbols_first_alias(const struct elf_symbols *symbols, size_t index)
{
	size_t low = 0, high = symbols->nr_all;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->all[middle].start < symbols->symbols[index].start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool elf_symbols_next_alias(const struct elf_symbols *symbols, size_t index, size_t *at, char *name, size_t size)
{
	uint32_t start = symbols->symbols[index].start;

	while (*at < symbols->nr_all && symbols->all[*at].start == start) {
		if (name_of(symbols, &symbols->all[(*at)++], name, size))
			return true;
	}
	return false;
}
