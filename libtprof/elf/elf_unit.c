// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Functions of a unit, and the calls inlined into them. Functions are read at the first lookup in the unit, inlined
 * calls at the first lookup in the function: most programs spend their time in few of either.
 */
#include "elf_unit.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Limit for nested namespaces and blocks. */
#define MAX_DEPTH 256

/* An inlined call. The calls nested in it follow in the array. */
struct inlined {
	Dwarf_Die die;
	size_t first_range, nr_ranges;
	size_t next;			/* index of the first call that is not nested in it */
};

struct inlines {
	struct inlined *calls;
	size_t nr, capacity;
	struct array_range *ranges;
	size_t nr_ranges, ranges_capacity;
};

struct elf_unit_function {
	struct array_range at;
	Dwarf_Die die;
	struct inlines *inlines;	/* NULL: not read yet */
};

static bool spend(uint64_t *budget)
{
	return *budget && (*budget)--;
}

/* Must move forward: a malformed tree could contain a cycle. */
static bool next_sibling(Dwarf_Die *die, uint64_t *budget)
{
	Dwarf_Die next;

	if (!spend(budget) || dwarf_siblingof(die, &next) || next.addr <= die->addr)
		return false;
	*die = next;
	return true;
}

/* Functions ---------------------------------------------------------------------------------------------- */

static int add_function(struct elf_unit *unit, Dwarf_Die *die, uint64_t *budget)
{
	struct elf_unit_function *functions;
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while (spend(budget) && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		if (low >= high)
			continue;
		functions = array_grow(unit->functions, unit->nr, &unit->capacity, sizeof(*functions));
		if (!functions)
			return -ENOMEM;
		unit->functions = functions;
		functions[unit->nr++] = (struct elf_unit_function){ .at = { low, high }, .die = *die };
	}
	return 0;
}

static bool holds_functions(int tag, bool deep)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return deep;
	default:
		return false;
	}
}

static int read_functions(struct elf_unit *unit, Dwarf_Die *parent, int depth, uint64_t *budget)
{
	bool deep = unit->read == ELF_UNIT_DEEP;
	Dwarf_Die die;
	int err = 0;

	if (depth == MAX_DEPTH || dwarf_child(parent, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			err = add_function(unit, &die, budget);
		if (!err && holds_functions(tag, deep))
			err = read_functions(unit, &die, depth + 1, budget);
	} while (!err && next_sibling(&die, budget));
	return err;
}

static void free_functions(struct elf_unit *unit)
{
	for (size_t i = 0; i < unit->nr; i++) {
		struct inlines *inlines = unit->functions[i].inlines;

		if (!inlines)
			continue;
		free(inlines->calls);
		free(inlines->ranges);
		free(inlines);
	}
	unit->nr = 0;
}

static void read_unit(struct elf_unit *unit, int how, uint64_t *budget)
{
	free_functions(unit);
	unit->read = how;
	if (unit->has_code && read_functions(unit, &unit->code, 0, budget))
		*budget = 0;
	array_sort_ranges(unit->functions, unit->nr, sizeof(*unit->functions));
}

static struct elf_unit_function *search(const struct elf_unit *unit, uint64_t vaddr)
{
	return array_find_range(unit->functions, unit->nr, sizeof(*unit->functions), vaddr);
}

/*
 * Functions nested in functions, or in classes local to a function, are rare. Finding them takes a complete traversal.
 */
static struct elf_unit_function *find_function(struct elf_unit *unit, uint64_t vaddr, uint64_t *budget)
{
	struct elf_unit_function *function;

	if (unit->read == ELF_UNIT_UNREAD)
		read_unit(unit, ELF_UNIT_SHALLOW, budget);
	function = search(unit, vaddr);
	if (function || unit->read == ELF_UNIT_DEEP)
		return function;
	read_unit(unit, ELF_UNIT_DEEP, budget);
	return search(unit, vaddr);
}

/* Inlined calls ------------------------------------------------------------------------------------------ */

static int add_ranges(struct inlines *inlines, Dwarf_Die *die, uint64_t *budget)
{
	struct array_range *ranges;
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while (spend(budget) && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		ranges = array_grow(inlines->ranges, inlines->nr_ranges, &inlines->ranges_capacity, sizeof(*ranges));
		if (!ranges)
			return -ENOMEM;
		inlines->ranges = ranges;
		ranges[inlines->nr_ranges++] = (struct array_range){ low, high };
	}
	return 0;
}

static int read_inlines(struct inlines *inlines, Dwarf_Die *parent, int depth, uint64_t *budget);

static int add_inlined(struct inlines *inlines, Dwarf_Die *die, int depth, uint64_t *budget)
{
	struct inlined *calls = array_grow(inlines->calls, inlines->nr, &inlines->capacity, sizeof(*calls));
	size_t at = inlines->nr;
	int err;

	if (!calls)
		return -ENOMEM;
	inlines->calls = calls;
	inlines->calls[inlines->nr++] = (struct inlined){ .die = *die, .first_range = inlines->nr_ranges };
	err = add_ranges(inlines, die, budget);
	inlines->calls[at].nr_ranges = inlines->nr_ranges - inlines->calls[at].first_range;
	if (!err)
		err = read_inlines(inlines, die, depth + 1, budget);
	inlines->calls[at].next = inlines->nr;
	return err;
}

static int read_inlines(struct inlines *inlines, Dwarf_Die *parent, int depth, uint64_t *budget)
{
	Dwarf_Die die;
	int err = 0;

	if (depth == MAX_DEPTH || dwarf_child(parent, &die))
		return 0;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_inlined_subroutine:
			err = add_inlined(inlines, &die, depth, budget);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			err = read_inlines(inlines, &die, depth + 1, budget);
			break;
		}
	} while (!err && next_sibling(&die, budget));
	return err;
}

static bool is_in(const struct inlines *inlines, const struct inlined *call, uint64_t vaddr)
{
	for (size_t i = call->first_range; i < call->first_range + call->nr_ranges; i++) {
		if (vaddr >= inlines->ranges[i].low && vaddr < inlines->ranges[i].high)
			return true;
	}
	return false;
}

/* The calls that contain the address, the outermost first. Returns ELF_PLACES_MAX if there are too many. */
static size_t find_calls(const struct inlines *inlines, uint64_t vaddr, struct inlined *calls[ELF_PLACES_MAX])
{
	size_t nr = 0, i = 0, end = inlines->nr;

	while (i < end && nr < ELF_PLACES_MAX) {
		struct inlined *call = &inlines->calls[i];

		if (!is_in(inlines, call, vaddr)) {
			i = call->next;
			continue;
		}
		calls[nr++] = call;
		end = call->next;
		i++;
	}
	return nr;
}

/* Places ------------------------------------------------------------------------------------------------- */

static uint32_t number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &number) || number > INT32_MAX)
		return 0;
	return (uint32_t)number;
}

static uint32_t start_line(Dwarf_Die *function)
{
	int line;

	return dwarf_decl_line(function, &line) || line < 0 ? 0 : (uint32_t)line;
}

static const char *function_name(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	const char *name;

	if (dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name, &attribute)) {
		name = dwarf_formstring(&attribute);
		if (name && name[0])
			return name;
	}
	name = dwarf_attr_integrate(function, DW_AT_name, &attribute) ? dwarf_formstring(&attribute) : NULL;
	return name && name[0] ? name : "[inlined]";
}

/* The source place of the call. */
static void place_call(struct elf_unit *unit, Dwarf_Die *call, struct elf_place *place)
{
	uint32_t file = number_of(call, DW_AT_call_file);
	Dwarf_Files *files;
	size_t nr;

	place->line = number_of(call, DW_AT_call_line);
	place->file = NULL;
	/* Some compilers keep the file names with the line table when they split off the rest. */
	if ((!dwarf_getsrcfiles(&unit->code, &files, &nr) || !dwarf_getsrcfiles(&unit->die, &files, &nr)) &&
	    file < nr)
		place->file = dwarf_filesrc(files, file, NULL, NULL);
}

static void place_address(struct elf_unit *unit, uint64_t vaddr, struct elf_place *place)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->die, vaddr);
	int number;

	*place = (struct elf_place){ 0 };
	if (!line || dwarf_lineno(line, &number) || number <= 0)
		return;
	place->line = (uint32_t)number;
	place->file = dwarf_linesrc(line, NULL, NULL);
}

size_t elf_unit_find(struct elf_unit *unit, uint64_t vaddr, uint64_t *budget, struct elf_place *places)
{
	struct elf_unit_function *function = find_function(unit, vaddr, budget);
	struct inlined *calls[ELF_PLACES_MAX];
	size_t nr = 0;

	place_address(unit, vaddr, &places[0]);
	if (!function)
		return *budget && places[0].file ? 1 : 0;
	if (!function->inlines) {
		function->inlines = calloc(1, sizeof(*function->inlines));
		if (!function->inlines || read_inlines(function->inlines, &function->die, 0, budget))
			*budget = 0;
	}
	/* An incomplete list would name wrong places. */
	if (!*budget)
		return 0;
	nr = find_calls(function->inlines, vaddr, calls);
	if (nr == ELF_PLACES_MAX) {
		/* Only the outermost call is certain. */
		place_call(unit, &calls[0]->die, &places[0]);
		nr = 0;
	}
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Die *call = &calls[nr - 1 - i]->die;

		places[i].function = function_name(call);
		places[i].start_line = start_line(call);
		places[i + 1] = (struct elf_place){ 0 };
		place_call(unit, call, &places[i + 1]);
	}
	places[nr].start_line = start_line(&function->die);
	return nr + 1;
}

void elf_unit_fini(struct elf_unit *unit)
{
	free_functions(unit);
	free(unit->functions);
}
