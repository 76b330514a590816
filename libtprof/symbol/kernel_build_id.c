// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Build ids of the kernel and its modules. */
#include "kernel_build_id.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf_build_id.h"

/* The kernel's notes take some hundred bytes, a module's fewer. */
#define MAX_NOTES_BYTES 16384

struct known {
	struct hash_node node;
	char object[NAME_MAX + 1];
	char build_id[ELF_BUILD_ID_TEXT];
};

/* False if @object is neither the kernel nor possibly a module: BPF programs, trampolines. */
static bool notes_path(char path[PATH_MAX], const char *object)
{
	size_t length = strlen(object);

	if (!strcmp(object, "[kernel]"))
		return snprintf(path, PATH_MAX, "/sys/kernel/notes") > 0;
	if (length < 3 || object[0] != '[' || object[length - 1] != ']' || strchr(object, '/') || object[1] == '.')
		return false;
	return snprintf(path, PATH_MAX, "/sys/module/%.*s/notes/.note.gnu.build-id", (int)length - 2,
			object + 1) < PATH_MAX;
}

static void read_build_id(struct known *known)
{
	uint8_t notes[MAX_NOTES_BYTES], build_id[ELF_BUILD_ID_MAX] = { 0 };
	char path[PATH_MAX];
	int fd = notes_path(path, known->object) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t size = fd < 0 ? 0 : read(fd, notes, sizeof(notes));
	size_t length = size > 0 ? elf_notes_build_id(notes, (size_t)size, 4, build_id) : 0;

	elf_build_id_text(known->build_id, build_id, length);
	if (fd >= 0)
		close(fd);
}

const char *kernel_build_id(struct kernel_build_ids *ids, const char *object)
{
	uint64_t key = hash_text(object);
	struct known *known;

	for (struct hash_node *node = hash_find(&ids->known, key); node; node = hash_find_next(node)) {
		known = (struct known *)node;
		if (!strcmp(known->object, object))
			return known->build_id;
	}
	known = strlen(object) < sizeof(known->object) ? calloc(1, sizeof(*known)) : NULL;
	if (!known)
		return "";
	strcpy(known->object, object);
	if (hash_add(&ids->known, &known->node, key)) {
		free(known);
		return "";
	}
	read_build_id(known);
	return known->build_id;
}

static bool free_known(void *ctx, struct hash_node *node)
{
	(void)ctx;
	free(node);
	return false;
}

void kernel_build_ids_age(struct kernel_build_ids *ids)
{
	hash_filter(&ids->known, free_known, NULL);
	hash_fini(&ids->known);
}
