// SPDX-License-Identifier: GPL-2.0-only
/*
 * The streams of a session: reader side: read, poll, mmap.
 *
 * A client that had a mapping may have stored any value in the tail. That damages only its own stream: read() discards
 * everything up to the head if there is no valid record at the tail.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/poll.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "ring.h"
#include "session.h"
#include "stream.h"
#include "stream_file.h"

/* Returns the record at @tail, with its size in @size, or NULL if the bytes there cannot be a record. */
static const struct tprof_record *record_at(const struct tprof_streams *streams, const struct tprof_stream *stream,
					    u64 tail, u64 head, u32 *size)
{
	u32 place = tail & (streams->bytes - 1);
	const struct tprof_record *record = stream->ring + place;

	if (!IS_ALIGNED(tail, 8) || head - tail > streams->bytes)
		return NULL;
	*size = READ_ONCE(record->size);
	if (*size < sizeof(*record) || !IS_ALIGNED(*size, 8) || *size > head - tail || *size > streams->bytes - place)
		return NULL;
	return record;
}

/* Copies whole records of one stream. Returns the number of bytes, or -errno if not even one could be copied. */
static ssize_t read_stream(struct tprof_streams *streams, struct tprof_stream *stream, char __user *buffer,
			   size_t capacity)
{
	u64 head = smp_load_acquire(&stream->state->head);
	u64 began = READ_ONCE(stream->control->tail), tail = began;
	const struct tprof_record *record;
	ssize_t done = 0;
	u32 size;

	while (tail != head) {
		record = record_at(streams, stream, tail, head, &size);
		if (!record) {
			tail = head;
			break;
		}
		if (record->type != TPROF_RECORD_PAD) {
			if (size > capacity - done) {
				done = done ?: -EINVAL;
				break;
			}
			if (copy_to_user(buffer + done, record, size)) {
				done = done ?: -EFAULT;
				break;
			}
			done += size;
		}
		tail += size;
	}
	/*
	 * Pairs with the acquire in stream_put(): space is reused only after it was read. If the stream was cleared
	 * meanwhile, the tail has changed, and the copied records are discarded: they may have been overwritten.
	 */
	if (cmpxchg_release(&stream->control->tail, began, tail) != began && done > 0)
		return 0;
	return done;
}

static ssize_t read_all(struct tprof_streams *streams, char __user *buffer, size_t capacity)
{
	ssize_t done = 0, got;
	unsigned int cpu;

	mutex_lock(&streams->read_mutex);
	if (atomic_read(&streams->nr_mapped))
		done = -EBUSY;
	else if (!streams->list)
		done = -EBADF;
	for_each_possible_cpu(cpu) {
		if (done < 0)
			break;
		got = read_stream(streams, &streams->list[cpu], buffer + done, capacity - done);
		if (got < 0) {
			done = done ?: got;
			break;
		}
		done += got;
	}
	mutex_unlock(&streams->read_mutex);
	return done;
}

/*
 * Returns the bytes used. A stream that has dropped a sample is reported as full, since it may never get more records.
 */
static u64 stream_used(const struct tprof_stream *stream, u32 bytes)
{
	u64 used = ring_used(smp_load_acquire(&stream->state->head), READ_ONCE(stream->control->tail), bytes);

	return used && READ_ONCE(stream->dropped.samples) ? bytes : used;
}

/* Returns the bytes used of the fullest stream. Takes no lock, because poll() and waiters call it. */
static u64 most_used(const struct tprof_streams *streams)
{
	const struct tprof_stream *list;
	unsigned int cpu;
	u64 used = 0;

	rcu_read_lock();
	list = READ_ONCE(streams->list);
	for_each_possible_cpu(cpu) {
		if (!list)
			break;
		used = max(used, stream_used(&list[cpu], READ_ONCE(streams->bytes)));
	}
	rcu_read_unlock();
	return used;
}

static bool is_over(const struct tprof_session *session)
{
	return READ_ONCE(session->state) == TPROF_SESSION_STOPPED;
}

ssize_t tprof_streams_read(struct tprof_session *session, struct file *file, char __user *buffer, size_t capacity)
{
	struct tprof_streams *streams = &session->streams;
	ssize_t got;
	bool over;

	for (;;) {
		/* Before read_all(): if the session is stopped here, read_all() sees all of its records. */
		over = is_over(session);
		got = read_all(streams, buffer, capacity);
		if (got || over)
			return got;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(streams->wait, most_used(streams) || is_over(session)))
			return -ERESTARTSYS;
	}
}

__poll_t tprof_streams_poll(struct tprof_session *session, struct file *file, struct poll_table_struct *table)
{
	struct tprof_streams *streams = &session->streams;
	__poll_t events = 0;

	poll_wait(file, &streams->wait, table);
	/* Pairs with the barrier of wq_has_sleeper() in wake_from_irq(). */
	smp_mb();
	if (is_over(session))
		events = EPOLLIN | EPOLLRDNORM | EPOLLHUP;
	else if (most_used(streams) >= max(session->wakeup_bytes, 1))
		events = EPOLLIN | EPOLLRDNORM;
	return events;
}

static void mapping_open(struct vm_area_struct *vma)
{
	struct tprof_session *session = vma->vm_file->private_data;

	atomic_inc(&session->streams.nr_mapped);
}

static void mapping_close(struct vm_area_struct *vma)
{
	struct tprof_session *session = vma->vm_file->private_data;

	atomic_dec(&session->streams.nr_mapped);
}

static const struct vm_operations_struct mapping_ops = {
	.open = mapping_open,
	.close = mapping_close,
};

static int map_part(const struct tprof_streams *streams, struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	unsigned long size = vma->vm_end - vma->vm_start;
	u32 part = (u32)offset;
	u64 cpu = offset >> 32;

	if (!streams->bytes)
		return -EBADF;
	if (cpu >= nr_cpu_ids)
		return -EINVAL;
	cpu = array_index_nospec(cpu, nr_cpu_ids);
	if (!cpu_possible(cpu))
		return -EINVAL;
	if (part == (u32)TPROF_STREAM_CONTROL(0) && size == PAGE_SIZE)
		return remap_vmalloc_range(vma, streams->list[cpu].control, 0);
	if (part != (u32)TPROF_STREAM_DATA(0) || size != PAGE_SIZE + streams->bytes)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	vm_flags_clear(vma, VM_MAYWRITE);
	return remap_vmalloc_range(vma, streams->list[cpu].state, 0);
}

int tprof_streams_mmap(struct tprof_session *session, struct vm_area_struct *vma)
{
	struct tprof_streams *streams = &session->streams;
	int err;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	/*
	 * Not read_mutex: mmap_lock is held here, and a reader that holds read_mutex may fault and wait for mmap_lock.
	 */
	mutex_lock(&streams->map_mutex);
	err = map_part(streams, vma);
	if (!err) {
		vma->vm_ops = &mapping_ops;
		atomic_inc(&streams->nr_mapped);
	}
	mutex_unlock(&streams->map_mutex);
	return err;
}
