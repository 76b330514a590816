// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Code that a program moved to anonymous memory. */
#include "moved.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "rights/foreign.h"

/* Limits per age: reading the mappings of a process takes about 100 us, and a page takes two system calls. */
#define MAX_PROCESSES 64
#define MAX_PAGES 4096
/* Few programs have as many files mapped. */
#define MAX_STARTS 1024
#define PAGE_BYTES 4096

/* The address range to which the first byte of a file is mapped. */
struct start {
	uint64_t start, end;
	struct dso *dso;
};

struct process {
	struct hash_node node;		/* key: process id */
	struct start *starts;		/* sorted by address */
	size_t nr, capacity;
};

struct page {
	struct hash_node node;		/* key: process id and address */
	pid_t tgid;
	uint64_t address;
	struct dso *dso;
	uint64_t offset;		/* file offset of its first byte */
	uint32_t age;			/* age when it was verified */
};

static bool free_process(void *ctx, struct hash_node *node)
{
	(void)ctx;
	free(((struct process *)node)->starts);
	free(node);
	return false;
}

static void add_starts(struct process *process, struct dsos *dsos, char *text)
{
	struct proc_map map;
	int more;

	while ((more = proc_parse_map(&text, &map)) && process->nr < MAX_STARTS) {
		struct dso_id id = { .path = map.path, .maj = map.maj, .min = map.min, .ino = map.ino };
		struct start *grown;
		struct dso *dso;

		if (more < 0 || !map.ino || map.pgoff || map.path[0] != '/')
			continue;
		grown = array_grow(process->starts, process->nr, &process->capacity, sizeof(*grown));
		if (!grown)
			return;
		process->starts = grown;
		dso = dsos_get(dsos, &id, 0, map.start, map.end, clock_now_ns());
		if (dso)
			grown[process->nr++] = (struct start){ map.start, map.end, dso };
	}
}

/* Returns NULL if the limit is reached or memory is exhausted. An exited process has no mappings. */
static struct process *get_process(struct moved *moved, struct dsos *dsos, pid_t tgid)
{
	struct process *process = (struct process *)hash_find(&moved->processes, (uint64_t)tgid);

	if (process || moved->processes.nr >= MAX_PROCESSES)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process || hash_add(&moved->processes, &process->node, (uint64_t)tgid)) {
		free(process);
		return NULL;
	}
	if (!foreign_read(dsos_broker(dsos), &moved->text, BROKER_MAPS, tgid) && moved->text.size)
		add_starts(process, dsos, moved->text.text);
	return process;
}

static uint64_t page_key(pid_t tgid, uint64_t address)
{
	return address ^ (uint64_t)(uint32_t)tgid << 44;
}

static struct page *find_page(const struct moved *moved, pid_t tgid, uint64_t address)
{
	struct hash_node *node = hash_find(&moved->pages, page_key(tgid, address));

	for (; node; node = hash_find_next(node)) {
		struct page *page = (struct page *)node;

		if (page->tgid == tgid && page->address == address)
			return page;
	}
	return NULL;
}

static struct page *note_page(struct moved *moved, pid_t tgid, uint64_t address, struct dso *dso, uint64_t offset)
{
	struct page *page = find_page(moved, tgid, address);

	if (!page && moved->pages.nr < MAX_PAGES) {
		page = calloc(1, sizeof(*page));
		if (page && hash_add(&moved->pages, &page->node, page_key(tgid, address))) {
			free(page);
			page = NULL;
		}
	}
	if (page) {
		page->tgid = tgid;
		page->address = address;
		dso_put(page->dso);
		page->dso = dso_ref(dso);
		page->offset = offset;
		page->age = moved->age;
	}
	return page;
}

static bool read_memory(struct broker *broker, pid_t tgid, uint64_t address, void *bytes, size_t size)
{
	ssize_t got;
	int fd = address > INT64_MAX ? -1 : foreign_open(broker, BROKER_MEMORY, tgid);

	if (fd < 0)
		return false;
	got = pread(fd, bytes, size, (off_t)address);
	close(fd);
	return got == (ssize_t)size;
}

/* Verifies the last file that begins below the address: its code must reach the address and be identical. */
static const struct page *prove(struct moved *moved, struct broker *broker, const struct process *process, pid_t tgid,
				uint64_t address)
{
	uint8_t bytes[PAGE_BYTES];
	const struct start *start;
	uint64_t offset;
	size_t nr = 0;

	while (nr < process->nr && process->starts[nr].start <= address)
		nr++;
	if (!nr || moved->nr_proofs++ >= MAX_PAGES || !read_memory(broker, tgid, address, bytes, sizeof(bytes)))
		return NULL;
	start = &process->starts[nr - 1];
	dso_open_late(start->dso, tgid, start->start, start->end);
	if (!dso_has_bytes(start->dso, address - start->start, bytes, sizeof(bytes), &offset))
		return NULL;
	return note_page(moved, tgid, address, start->dso, offset);
}

bool moved_find(struct moved *moved, struct dsos *dsos, pid_t tgid, uint64_t ip, struct dso **dso, uint64_t *offset)
{
	uint64_t address = ip & ~(uint64_t)(PAGE_BYTES - 1);
	const struct page *page = find_page(moved, tgid, address);
	const struct process *process;

	if (!page || page->age != moved->age) {
		process = get_process(moved, dsos, tgid);
		/* If the process has exited, the last verification stays valid. */
		if (process && process->nr)
			page = prove(moved, dsos_broker(dsos), process, tgid, address);
	}
	if (!page)
		return false;
	*dso = page->dso;
	*offset = page->offset + (ip - address);
	return true;
}

static bool page_keep(void *ctx, struct hash_node *node)
{
	const struct moved *moved = ctx;

	if (moved->age - ((struct page *)node)->age < 2)
		return true;
	dso_put(((struct page *)node)->dso);
	free(node);
	return false;
}

void moved_age(struct moved *moved)
{
	moved->age++;
	moved->nr_proofs = 0;
	hash_filter(&moved->processes, free_process, NULL);
	hash_filter(&moved->pages, page_keep, moved);
}

void moved_fini(struct moved *moved)
{
	moved->age += 2;
	hash_filter(&moved->processes, free_process, NULL);
	hash_filter(&moved->pages, page_keep, moved);
	hash_fini(&moved->processes);
	hash_fini(&moved->pages);
	proc_text_fini(&moved->text);
}
