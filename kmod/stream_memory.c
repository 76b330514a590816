// SPDX-License-Identifier: GPL-2.0-only
/* The streams of a session: allocation and free. Process context, while the session is not running. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "payer.h"
#include "stream.h"
#include "stream_memory.h"

/* Bytes of the streams of all sessions. */
static atomic_long_t all_bytes;
unsigned int tprof_stream_limit_mb = 256;

static long bytes_of(u32 bytes)
{
	return bytes ? (long)num_possible_cpus() * (bytes + 2 * PAGE_SIZE) : 0;
}

static int charge(const struct tprof_payer *payer, u32 bytes)
{
	long more = bytes_of(bytes);

	if (!tprof_payer_take(payer, TPROF_STREAM_BYTES, more))
		return -ENOMEM;
	if (atomic_long_add_return(more, &all_bytes) <= (long)READ_ONCE(tprof_stream_limit_mb) << 20)
		return 0;
	atomic_long_sub(more, &all_bytes);
	tprof_payer_give(payer, TPROF_STREAM_BYTES, more);
	return -ENOSPC;
}

static void uncharge(const struct tprof_payer *payer, u32 bytes)
{
	atomic_long_sub(bytes_of(bytes), &all_bytes);
	tprof_payer_give(payer, TPROF_STREAM_BYTES, bytes_of(bytes));
}

static void wake_from_irq(struct irq_work *work)
{
	tprof_streams_wake(container_of(work, struct tprof_streams, wake));
}

void tprof_streams_init(struct tprof_streams *streams, const struct tprof_payer *payer)
{
	streams->payer = payer;
	mutex_init(&streams->read_mutex);
	mutex_init(&streams->map_mutex);
	init_waitqueue_head(&streams->wait);
	init_irq_work(&streams->wake, wake_from_irq);
}

static void free_streams(struct tprof_stream *list)
{
	unsigned int cpu;

	for (cpu = 0; list && cpu < nr_cpu_ids; cpu++) {
		vfree(list[cpu].control);
		vfree(list[cpu].state);
	}
	kvfree(list);
}

void tprof_streams_fini(struct tprof_streams *streams)
{
	irq_work_sync(&streams->wake);
	uncharge(streams->payer, streams->bytes);
	free_streams(streams->list);
	mutex_destroy(&streams->map_mutex);
	mutex_destroy(&streams->read_mutex);
}

/*
 * Allocates zeroed memory that can be mapped to user space. vmalloc_user() would charge it to no cgroup. To be freed
 * with vfree(), which frees the pages, too.
 */
static void *alloc_mappable(u32 bytes)
{
	unsigned int i, nr = bytes >> PAGE_SHIFT;
	struct page **pages = kvcalloc(nr, sizeof(*pages), TPROF_GFP);
	void *memory = NULL;

	for (i = 0; pages && i < nr; i++) {
		pages[i] = alloc_page(TPROF_GFP | __GFP_ZERO);
		if (!pages[i])
			break;
	}
	if (pages && i == nr)
		memory = vmap(pages, nr, VM_MAP | VM_USERMAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	if (memory)
		return memory;
	while (pages && i--)
		__free_page(pages[i]);
	kvfree(pages);
	return NULL;
}

static struct tprof_stream *new_streams(u32 bytes)
{
	struct tprof_stream *list = kvcalloc(nr_cpu_ids, sizeof(*list), TPROF_GFP);
	unsigned int cpu;

	if (!list)
		return NULL;
	for_each_possible_cpu(cpu) {
		list[cpu].control = alloc_mappable(PAGE_SIZE);
		list[cpu].state = alloc_mappable(PAGE_SIZE + bytes);
		if (!list[cpu].control || !list[cpu].state) {
			free_streams(list);
			return NULL;
		}
		list[cpu].ring = (void *)list[cpu].state + PAGE_SIZE;
		list[cpu].cpu = cpu;
		list[cpu].bytes = bytes;
	}
	return list;
}

/*
 * Exchanges the list of streams with @list. Returns -EBUSY while it is mapped or read; it does not wait for a reader,
 * which may block in a page fault for any time.
 */
static int exchange(struct tprof_streams *streams, struct tprof_stream **list, u32 bytes)
{
	struct tprof_stream *old = streams->list;
	int err = 0;

	if (!mutex_trylock(&streams->read_mutex))
		return -EBUSY;
	mutex_lock(&streams->map_mutex);
	if (atomic_read(&streams->nr_mapped)) {
		err = -EBUSY;
	} else {
		WRITE_ONCE(streams->bytes, bytes);
		/* Pairs with the dependency in most_used(). */
		smp_store_release(&streams->list, *list);
		*list = old;
	}
	mutex_unlock(&streams->map_mutex);
	mutex_unlock(&streams->read_mutex);
	return err;
}

int tprof_streams_resize(struct tprof_streams *streams, u32 bytes)
{
	struct tprof_stream *list = NULL;
	u32 old_bytes = streams->bytes;
	int err;

	if (bytes == old_bytes)
		return 0;
	if (bytes) {
		err = charge(streams->payer, bytes);
		if (err)
			return err;
		list = new_streams(bytes);
		if (!list) {
			uncharge(streams->payer, bytes);
			return -ENOMEM;
		}
	}
	err = exchange(streams, &list, bytes);
	uncharge(streams->payer, err ? bytes : old_bytes);
	/* poll() and waiters may be using the old list. */
	if (list && !err)
		synchronize_rcu();
	free_streams(list);
	return err;
}
