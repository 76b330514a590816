// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The loaded kernel modules.
 *
 * Two loads of a module are told apart by the inode number of its directory in /sys/module, which differs for each
 * load. Without /sys, a module that was reloaded at the same address with the same size is not detected.
 */
#include "kmodules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"

void kmodules_fini(struct kmodules *modules)
{
	free(modules->earlier.modules);
	free(modules->later.modules);
	*modules = (struct kmodules){ 0 };
}

/* "name size references users state 0xaddress ..."; the addresses are 0 if the kernel hides them. */
static bool parse_line(const char *line, struct kmodule *module)
{
	unsigned long long start;
	unsigned long size;

	*module = (struct kmodule){ .name = "[" };
	if (sscanf(line, "%61s %lu %*s %*s %*s 0x%llx", module->name + 1, &size, &start) != 3 || !start)
		return false;
	strcat(module->name, "]");
	module->start = start;
	module->end = start + size;
	return true;
}

int kmodules_parse(struct kmodule_list *list, const char *text, const uint64_t *loads)
{
	struct kmodule module, *grown;

	for (list->nr = 0; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		if (!parse_line(text, &module))
			continue;
		grown = array_grow(list->modules, list->nr, &list->capacity, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		list->modules = grown;
		module.load = loads ? loads[list->nr] : 0;
		grown[list->nr++] = module;
	}
	return 0;
}

static int read_list(struct kmodule_list *list)
{
	struct proc_text text = { 0 };
	int err = kmodules_parse(list, proc_read(&text, "modules") ? "" : text.text, NULL);

	proc_text_fini(&text);
	return err;
}

static void ask_load(struct kmodule *module)
{
	char path[sizeof("/sys/module/") + PROC_COMM_LEN];
	struct stat st;

	snprintf(path, sizeof(path), "/sys/module/%.*s", (int)strlen(module->name) - 2, module->name + 1);
	module->load = stat(path, &st) ? 0 : st.st_ino;
}

static void ask_loads(struct kmodule_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		ask_load(&list->modules[i]);
}

int kmodules_read(struct kmodules *modules)
{
	int err = read_list(&modules->earlier);

	modules->some_went = false;
	ask_loads(&modules->earlier);
	return err;
}

static bool same_place(const struct kmodule *a, const struct kmodule *b)
{
	return a->start == b->start && a->end == b->end && !strcmp(a->name, b->name);
}

/*
 * Compares addresses, and the load number of the first module only. The kernel puts the most recently loaded module
 * first: if the order is the same and any module was reloaded, the first one was reloaded too.
 */
bool kmodules_are_same(const struct kmodules *modules)
{
	const struct kmodule_list *earlier = &modules->earlier, *later = &modules->later;

	if (earlier->nr != later->nr || (later->nr && earlier->modules[0].load != later->modules[0].load))
		return false;
	for (size_t i = 0; i < later->nr; i++) {
		if (!same_place(&earlier->modules[i], &later->modules[i]))
			return false;
	}
	return true;
}

/* Marks the modules of @list that @other lacks. Returns true if there are any. */
static bool mark(struct kmodule_list *list, const struct kmodule_list *other)
{
	bool any = false;

	for (size_t i = 0; i < list->nr; i++) {
		struct kmodule *module = &list->modules[i];

		module->changed = true;
		for (size_t j = 0; j < other->nr && module->changed; j++)
			module->changed = module->load != other->modules[j].load ||
					  !same_place(module, &other->modules[j]);
		any |= module->changed;
	}
	return any;
}

enum kmodules_change kmodules_compare(struct kmodules *modules)
{
	bool some_came = mark(&modules->later, &modules->earlier);

	modules->some_went = mark(&modules->earlier, &modules->later);
	return modules->some_went ? KMODULES_WENT : some_came ? KMODULES_CAME : KMODULES_SAME;
}

enum kmodules_change kmodules_look(struct kmodules *modules)
{
	struct kmodule_list *later = &modules->later;

	if (read_list(later))
		return KMODULES_SAME;
	/* Reading the load number of every module costs more than reading the list. */
	if (later->nr)
		ask_load(&later->modules[0]);
	if (kmodules_are_same(modules))
		return KMODULES_SAME;
	ask_loads(later);
	return kmodules_compare(modules);
}

bool kmodules_replaced(const struct kmodules *modules, const char *name, uint64_t ip)
{
	const struct kmodule_list *earlier = &modules->earlier, *later = &modules->later;
	bool went = false;

	for (size_t i = 0; i < earlier->nr && modules->some_went && !went; i++)
		went = earlier->modules[i].changed && !strcmp(earlier->modules[i].name, name);
	for (size_t i = 0; i < later->nr && went; i++) {
		const struct kmodule *module = &later->modules[i];

		if (module->changed && ip >= module->start && ip < module->end)
			return true;
	}
	return false;
}

static bool list_changed_at(const struct kmodule_list *list, uint64_t ip)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct kmodule *module = &list->modules[i];

		if (module->changed && ip >= module->start && ip < module->end)
			return true;
	}
	return false;
}

bool kmodules_changed_at(const struct kmodules *modules, uint64_t ip)
{
	return list_changed_at(&modules->earlier, ip) || list_changed_at(&modules->later, ip);
}
