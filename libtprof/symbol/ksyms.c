// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Symbols of the kernel, its modules and BPF programs: 12 bytes and a name each.
 *
 * kallsyms lists where functions begin, not where they end. So all other symbols, the ends of sections and modules, and
 * the padding before functions (__pfx_*, half of all symbols) are kept as entries without a name: an address behind one
 * of them is not attributed to the function before it.
 */
#include "ksyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alias.h"
#include "base/array.h"
#include "host/proc.h"
#include "kallsyms.h"
#include "kmodules.h"

/* The largest functions have 40 kB. Only in modules and BPF programs may a function have no symbol behind it. */
#define MAX_FAR_BYTES 65536
/* A reading that did not help doubles the number of ksyms_age() calls until the next one, up to this many. */
#define MAX_PATIENCE 64
#define BLOCK_BYTES 65536
#define MAX_OBJECTS UINT16_MAX

/* name: 29 bits of offset into names (0: none); two bits of rank; highest bit: an object number precedes the name. */
#define NAME_PLACE 0x1fffffffu
#define NAME_RANK_SHIFT 29
#define NAME_RANK (3u << NAME_RANK_SHIFT)
#define NAME_HAS_OBJECT (1u << 31)
/* Before sorting only: marks the end of the module whose object number is in the other bits. */
#define NAME_IS_END NAME_HAS_OBJECT

struct ksym {
	uint64_t start;
	uint32_t name;
} __attribute__((packed));

struct ksyms {
	const struct log *log;
	bool loaded, hidden, warned;
	struct ksym *syms;
	size_t nr, capacity;
	char *names;			/* begins with an empty name */
	size_t names_size, names_capacity;
	char (*objects)[PROC_COMM_LEN];
	size_t nr_objects, objects_capacity;
	bool after_text;		/* while parsing: the previous line was a function */
	bool missed;			/* a lookup has failed since the last ksyms_age() */
	bool changed;			/* code was removed since the last ksyms_age() */
	unsigned int waited, patience;
	struct kmodules modules;	/* read before the symbols */
	bool looked;			/* modules were checked since the last ksyms_age() */
};

struct ksyms *ksyms_new(const struct log *log)
{
	struct ksyms *ksyms = calloc(1, sizeof(*ksyms));

	if (!ksyms)
		return NULL;
	ksyms->log = log;
	ksyms->patience = 1;
	return ksyms;
}

/*
 * Keeps the memory for the next reading: if megabytes were freed and allocated again, the allocator would take them
 * from the heap and leave a hole of that size there.
 */
static void forget(struct ksyms *ksyms)
{
	ksyms->nr = ksyms->names_size = ksyms->nr_objects = 0;
	ksyms->loaded = ksyms->hidden = ksyms->after_text = false;
}

void ksyms_free(struct ksyms *ksyms)
{
	if (!ksyms)
		return;
	free(ksyms->syms);
	free(ksyms->names);
	free(ksyms->objects);
	kmodules_fini(&ksyms->modules);
	free(ksyms);
}

static int add(struct ksyms *ksyms, uint64_t start, uint32_t name)
{
	struct ksym *grown = array_grow(ksyms->syms, ksyms->nr, &ksyms->capacity, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	ksyms->syms = grown;
	ksyms->syms[ksyms->nr++] = (struct ksym){ start, name };
	return 0;
}

static int append_name(struct ksyms *ksyms, const void *bytes, size_t size)
{
	char *grown;

	if (ksyms->names_size + size > NAME_PLACE)
		return -E2BIG;
	grown = array_reserve(ksyms->names, ksyms->names_size + size, &ksyms->names_capacity, 1);
	if (!grown)
		return -ENOMEM;
	ksyms->names = grown;
	memcpy(ksyms->names + ksyms->names_size, bytes, size);
	ksyms->names_size += size;
	return 0;
}

/* The object number of a module, -ENOENT if it has no symbols. Symbols of one module are contiguous in the file. */
static int find_object(const struct ksyms *ksyms, const char *object, size_t length)
{
	for (size_t i = ksyms->nr_objects; i > 0; i--) {
		if (!strncmp(ksyms->objects[i - 1], object, length) && !ksyms->objects[i - 1][length])
			return (int)(i - 1);
	}
	return -ENOENT;
}

static int object_number(struct ksyms *ksyms, const char *object, size_t length)
{
	char (*grown)[PROC_COMM_LEN];
	int number;

	if (length >= sizeof(*grown))
		length = sizeof(*grown) - 1;
	number = find_object(ksyms, object, length);
	if (number >= 0)
		return number;
	if (ksyms->nr_objects == MAX_OBJECTS)
		return -E2BIG;
	grown = array_grow(ksyms->objects, ksyms->nr_objects, &ksyms->objects_capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	ksyms->objects = grown;
	memcpy(grown[ksyms->nr_objects], object, length);
	grown[ksyms->nr_objects][length] = '\0';
	return (int)ksyms->nr_objects++;
}

static uint32_t type_rank(char type)
{
	return type == 'T' ? 3 : type == 't' ? 1 : 2;
}

static int add_function(struct ksyms *ksyms, const struct kallsyms_line *sym)
{
	uint32_t packed = type_rank(sym->type) << NAME_RANK_SHIFT;
	int err = 0;

	if (sym->object_length) {
		int number = object_number(ksyms, sym->object, sym->object_length);
		uint16_t prefix = (uint16_t)number;

		if (number < 0)
			return number;
		packed |= NAME_HAS_OBJECT;
		err = append_name(ksyms, &prefix, sizeof(prefix));
	}
	packed |= ksyms->names_size;
	if (!err)
		err = append_name(ksyms, sym->name, sym->name_length);
	if (!err)
		err = append_name(ksyms, "", 1);
	return err ? err : add(ksyms, sym->start, packed);
}

static int add_line(struct ksyms *ksyms, const char *line, const char *end)
{
	struct kallsyms_line sym;

	if (!kallsyms_parse(line, end, &sym))
		return 0;
	if (sym.is_function) {
		ksyms->after_text = true;
		return add_function(ksyms, &sym);
	}
	if (!ksyms->after_text)
		return 0;
	ksyms->after_text = false;
	return add(ksyms, sym.start, 0);
}

/* Parses all complete lines. Returns the bytes consumed, or -errno. */
static ssize_t parse_lines(struct ksyms *ksyms, const char *text, size_t size)
{
	const char *line = text, *end;

	while ((end = memchr(line, '\n', text + size - line))) {
		int err = add_line(ksyms, line, end);

		if (err)
			return err;
		line = end + 1;
	}
	return line - text;
}

/* Adds the ends of the modules that have symbols. */
static int add_ends(struct ksyms *ksyms)
{
	for (size_t i = 0; i < ksyms->modules.earlier.nr; i++) {
		const struct kmodule *module = &ksyms->modules.earlier.modules[i];
		int number = find_object(ksyms, module->name, strlen(module->name));

		if (number >= 0 && add(ksyms, module->end, NAME_IS_END | (uint32_t)number))
			return -ENOMEM;
	}
	return 0;
}

static int compare_starts(const void *left, const void *right)
{
	const struct ksym *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* The second name that the kernel gives to functions for code that runs before relocation ("__pi_memcpy"). */
static bool is_startup_alias(const char *name)
{
	return !strncmp(name, "__pi_", strlen("__pi_"));
}

/*
 * Of two symbols at one address: one with a name wins, then a global one over a local one, then one that is no startup
 * alias.
 */
static bool is_better(const struct ksyms *ksyms, uint32_t a, uint32_t b)
{
	const char *x = ksyms->names + (a & NAME_PLACE), *y = ksyms->names + (b & NAME_PLACE);

	if ((a & NAME_RANK) != (b & NAME_RANK))
		return (a & NAME_RANK) > (b & NAME_RANK);
	if (is_startup_alias(x) != is_startup_alias(y))
		return is_startup_alias(y);
	return alias_is_better(x, y);
}

/* Symbols of the core kernel are sorted already and are most of the file; those of modules and BPF programs follow. */
static void sort(struct ksym *syms, size_t nr)
{
	uint64_t least = UINT64_MAX;
	size_t sorted = 1;

	while (sorted < nr && syms[sorted].start >= syms[sorted - 1].start)
		sorted++;
	if (sorted >= nr)
		return;
	for (size_t i = sorted; i < nr; i++)
		least = syms[i].start < least ? syms[i].start : least;
	while (sorted && syms[sorted - 1].start > least)
		sorted--;
	qsort(syms + sorted, nr - sorted, sizeof(*syms), compare_starts);
}

/* The object number of a symbol that has one. */
static uint16_t number_of(const struct ksyms *ksyms, const struct ksym *sym)
{
	uint16_t number;

	memcpy(&number, ksyms->names + (sym->name & NAME_PLACE) - sizeof(number), sizeof(number));
	return number;
}

/*
 * True for the end of a module that the symbol before does not belong to. A module's size covers text and data, which
 * are not contiguous, so its computed end can lie within functions of another module.
 */
static bool is_foreign_end(const struct ksyms *ksyms, const struct ksym *sym, const struct ksym *before)
{
	if (!sym->name || sym->name & NAME_RANK)
		return false;
	if (!before || !(before->name & NAME_HAS_OBJECT))
		return true;
	return number_of(ksyms, before) != (sym->name & NAME_PLACE);
}

static void finish(struct ksyms *ksyms)
{
	struct ksym *syms = ksyms->syms;
	size_t nr = 0;

	sort(syms, ksyms->nr);
	for (size_t i = 0; i < ksyms->nr; i++) {
		if (is_foreign_end(ksyms, &syms[i], nr ? &syms[nr - 1] : NULL))
			continue;
		if (syms[i].name && !(syms[i].name & NAME_RANK))
			syms[i].name = 0;
		if (nr && syms[nr - 1].start == syms[i].start) {
			if (is_better(ksyms, syms[i].name, syms[nr - 1].name))
				syms[nr - 1] = syms[i];
		} else if (!nr || syms[i].name || syms[nr - 1].name) {
			syms[nr++] = syms[i];
		}
	}
	ksyms->nr = nr;
	ksyms->syms = array_trim(syms, nr, &ksyms->capacity, sizeof(*syms));
	ksyms->names = array_trim(ksyms->names, ksyms->names_size, &ksyms->names_capacity, 1);
}

static int begin(struct ksyms *ksyms)
{
	forget(ksyms);
	ksyms->loaded = true;
	return append_name(ksyms, "", 1);
}

int ksyms_parse(struct ksyms *ksyms, const char *kallsyms, size_t size, const char *modules)
{
	ssize_t parsed;
	int err = begin(ksyms);

	parsed = err ? err : parse_lines(ksyms, kallsyms, size);
	ksyms->hidden = !ksyms->nr;
	if (parsed >= 0)
		err = kmodules_parse(&ksyms->modules.earlier, modules ? modules : "", NULL);
	if (parsed >= 0 && !err)
		err = add_ends(ksyms);
	if (parsed < 0 || err) {
		forget(ksyms);
		return parsed < 0 ? (int)parsed : err;
	}
	finish(ksyms);
	ksyms->looked = true;
	return ksyms->hidden ? -EACCES : 0;
}

static int read_kallsyms(struct ksyms *ksyms, int fd, char *block)
{
	size_t kept = 0;
	ssize_t got, parsed;

	while ((got = read(fd, block + kept, BLOCK_BYTES - kept)) > 0) {
		kept += got;
		parsed = parse_lines(ksyms, block, kept);
		if (parsed < 0)
			return (int)parsed;
		kept -= parsed;
		memmove(block, block + parsed, kept);
	}
	return got < 0 ? -errno : 0;
}

static void load(struct ksyms *ksyms)
{
	char *block = malloc(BLOCK_BYTES);
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? -errno : block ? begin(ksyms) : -ENOMEM;

	/* Read first: a change during the reading of the symbols is found at the next check. */
	if (!err)
		err = kmodules_read(&ksyms->modules);
	if (!err)
		err = read_kallsyms(ksyms, fd, block);
	if (!err && !ksyms->nr)
		err = -EACCES;
	if (!err)
		err = add_ends(ksyms);
	if (!err)
		finish(ksyms);
	if (err)
		forget(ksyms);
	if (fd >= 0)
		close(fd);
	free(block);

	ksyms->loaded = ksyms->looked = true;
	ksyms->hidden = err;
	if (err && !ksyms->warned)
		log_warn(ksyms->log, "kernel functions have no names: %s", err == -EACCES ?
			 "/proc/kallsyms hides their addresses (see the sysctl kernel.kptr_restrict)" :
			 strerror(-err));
	ksyms->warned |= err != 0;
	if (!err)
		log_debug(ksyms->log, "/proc/kallsyms: %zu entries, %zu bytes of names", ksyms->nr, ksyms->names_size);
}

/* The last entry that starts at or before @ip, or NULL. */
static const struct ksym *find_entry(const struct ksyms *ksyms, uint64_t ip)
{
	size_t low = 0, high = ksyms->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ksyms->syms[middle].start <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &ksyms->syms[low - 1] : NULL;
}

/* Symbols of the core kernel always have another symbol behind them; those of modules and BPF programs may not. */
static bool is_open_end(const struct ksyms *ksyms, const struct ksym *sym)
{
	return sym->name & NAME_HAS_OBJECT || sym == &ksyms->syms[ksyms->nr - 1];
}

/*
 * New modules lie where no code was, so symbols that are read now are right for them too. If modules were removed,
 * samples in them can be named by the old symbols only, which stay in use until ksyms_age().
 */
static void handle_change(struct ksyms *ksyms, enum kmodules_change change)
{
	ksyms->looked = true;
	if (change == KMODULES_SAME)
		return;
	ksyms->patience = 1;
	if (change == KMODULES_CAME)
		forget(ksyms);
	else
		ksyms->changed = true;
}

int ksyms_parse_later(struct ksyms *ksyms, const char *modules)
{
	int err = kmodules_parse(&ksyms->modules.later, modules, NULL);

	if (!err)
		handle_change(ksyms, kmodules_compare(&ksyms->modules));
	return err;
}

static const char *object_of(const struct ksyms *ksyms, const struct ksym *sym)
{
	return sym->name & NAME_HAS_OBJECT ? ksyms->objects[number_of(ksyms, sym)] : "[kernel]";
}

/* The entry with a name that @ip belongs to, or NULL. */
static const struct ksym *find_owner(const struct ksyms *ksyms, uint64_t ip)
{
	const struct ksym *sym = find_entry(ksyms, ip), *next = sym ? sym + 1 : ksyms->syms;

	if (sym && (!sym->name || (is_open_end(ksyms, sym) && ip - sym->start >= MAX_FAR_BYTES)))
		sym = NULL;
	if (next == ksyms->syms + ksyms->nr || next->start != ip + 1 || !next->name)
		return sym;
	return sym && strcmp(object_of(ksyms, next), "[bpf]") ? sym : next;
}

bool ksyms_find(struct ksyms *ksyms, uint64_t ip, const char **name, const char **object, uint64_t *delta)
{
	const struct ksym *sym;

	if (ksyms->loaded && !ksyms->hidden && !ksyms->looked)
		handle_change(ksyms, kmodules_look(&ksyms->modules));
	if (!ksyms->loaded)
		load(ksyms);
	if (ksyms->hidden)
		return false;
	sym = find_owner(ksyms, ip);
	if (!sym) {
		ksyms->missed = true;
		return false;
	}
	*name = ksyms->names + (sym->name & NAME_PLACE);
	*object = object_of(ksyms, sym);
	if (kmodules_replaced(&ksyms->modules, *object, ip < sym->start ? sym->start : ip))
		return false;
	*delta = ip < sym->start ? 0 : ip - sym->start;
	return true;
}

void ksyms_changed(struct ksyms *ksyms)
{
	ksyms->changed = true;
}

void ksyms_age(struct ksyms *ksyms)
{
	ksyms->looked = false;
	if (!ksyms->loaded || ksyms->hidden)
		return;
	if (ksyms->changed) {
		ksyms->patience = 1;
		forget(ksyms);
	} else if (ksyms->missed && ++ksyms->waited >= ksyms->patience) {
		ksyms->waited = 0;
		if (ksyms->patience < MAX_PATIENCE)
			ksyms->patience *= 2;
		forget(ksyms);
	}
	ksyms->missed = ksyms->changed = false;
}

size_t ksyms_nr(const struct ksyms *ksyms)
{
	return ksyms->nr;
}
