// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Functions without a symbol, from the unwind table. Only their range is known, so all addresses in one range are
 * counted together. An entry of the table can describe more than one function (assembly, the PLT). Symbols have
 * precedence, and each remaining part of the range becomes an entry of its own.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "elf_fde.h"
#include "elf_symbols_table.h"

struct ranges {
	const struct elf_symbols *symbols;
	struct array_range *ranges;	/* as in struct elf_symbol, relative to the base */
	size_t nr, capacity;
};

static int add_range(void *ctx, uint64_t start, uint64_t size)
{
	struct ranges *ranges = ctx;
	uint64_t base = ranges->symbols->base, left = elf_symbols_bytes_left(ranges->symbols, start);
	struct array_range *grown;

	if (!left || start < base || start - base > UINT32_MAX - left)
		return 0;
	if (ranges->nr >= ELF_SYMBOLS_MAX)
		return -ENOMEM;
	grown = array_grow(ranges->ranges, ranges->nr, &ranges->capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	ranges->ranges = grown;
	grown[ranges->nr++] = (struct array_range){ start - base, start - base + (size < left ? size : left) };
	return 0;
}

static int add_part(struct elf_symbols *symbols, uint64_t low, uint64_t high)
{
	return elf_symbols_add(symbols, &(struct elf_symbol){
		.start = (uint32_t)low,
		.size = (uint32_t)(high - low),
		.nameless = true,
	});
}

/* Adds the parts of the ranges, sorted by start, that no symbol covers. Overlapping ranges are added once. */
static int add_parts(struct elf_symbols *symbols, const struct ranges *ranges)
{
	size_t nr = symbols->nr, next = 0;
	uint64_t done = 0, covered = 0;
	int err = 0;

	for (size_t i = 0; i < ranges->nr && !err; i++) {
		const struct array_range *range = &ranges->ranges[i];
		uint64_t end;

		for (done = range->low > done ? range->low : done; done < range->high && !err; done = end) {
			for (; next < nr && symbols->symbols[next].start <= done; next++) {
				uint64_t high = (uint64_t)symbols->symbols[next].start + symbols->symbols[next].size;

				covered = high > covered ? high : covered;
			}
			end = next < nr && symbols->symbols[next].start < range->high ?
			      symbols->symbols[next].start : range->high;
			if (covered > done)
				end = covered < range->high ? covered : range->high;
			else
				err = add_part(symbols, done, end);
		}
	}
	return err;
}

static int compare_starts(const void *left, const void *right)
{
	const struct elf_symbol *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

int elf_symbols_fill(struct elf_symbols *symbols, const struct elf_file *file)
{
	struct ranges ranges = { .symbols = symbols };
	size_t nr = symbols->nr;
	int err;

	/*
	 * A symbol table that was not stripped contains local functions, at least those of the compiler's startup code.
	 */
	if (symbols->has_locals)
		return 0;
	err = elf_fde_each(file, add_range, &ranges);
	if (!err) {
		array_sort_ranges(ranges.ranges, ranges.nr, sizeof(*ranges.ranges));
		err = add_parts(symbols, &ranges);
	}
	free(ranges.ranges);
	if (!err && symbols->nr > nr)
		qsort(symbols->symbols, symbols->nr, sizeof(*symbols->symbols), compare_starts);
	elf_symbols_shrink(symbols);
	return err;
}
