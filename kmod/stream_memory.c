// SPDX-License-Identifier: GPL-2.0-only
/* The streams of a session: allocation and free. Process context, while the session is not running. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "stream.h"

/* Bytes of the streams of all sessions. They are kernel memory that is charged to no memory cgroup. */
static atomic_long_t all_bytes;
unsigned int tprof_stream_limit_mb = 256;

static long bytes_of(u32 bytes)
{
	return bytes ? (long)num_possible_cpus() * (bytes + 2 * PAGE_SIZE) : 0;
}

static int charge(u32 bytes)
{
	long more = bytes_of(bytes);

	if (atomic_long_add_return(more, &all_bytes) <= (long)READ_ONCE(tprof_stream_limit_mb) << 20)
		return 0;
	atomic_long_sub(more, &all_bytes);
	return -ENOSPC;
}

static void uncharge(u32 bytes)
{
	atomic_long_sub(bytes_of(bytes), &all_bytes);
}

static void wake_from_irq(struct irq_work *work)
{
	tprof_streams_wake(container_of(work, struct tprof_streams, wake));
}

void tprof_streams_init(struct tprof_streams *streams)
{
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
	uncharge(streams->bytes);
	free_streams(streams->list);
	mutex_destroy(&streams->map_mutex);
	mutex_destroy(&streams->read_mutex);
}

static struct tprof_stream *new_streams(u32 bytes)
{
	struct tprof_stream *list = kvcalloc(nr_cpu_ids, sizeof(*list), GFP_KERNEL);
	unsigned int cpu;

	if (!list)
		return NULL;
	for_each_possible_cpu(cpu) {
		list[cpu].control = vmalloc_user(PAGE_SIZE);
		list[cpu].state = vmalloc_user(PAGE_SIZE + bytes);
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
		err = charge(bytes);
		if (err)
			return err;
		list = new_streams(bytes);
		if (!list) {
			uncharge(bytes);
			return -ENOMEM;
		}
	}
	err = exchange(streams, &list, bytes);
	uncharge(err ? bytes : old_bytes);
	/* poll() and waiters may be using the old list. */
	if (list && !err)
		synchronize_rcu();
	free_streams(list);
	return err;
}
