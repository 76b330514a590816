// SPDX-License-Identifier: GPL-2.0-only
/* The file of a session: read, write, poll, mmap, release. The ioctls are in session_ioctl.c. */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/uaccess.h>

#include "calls.h"
#include "session.h"
#include "session_file.h"
#include "session_info.h"
#include "session_ioctl.h"
#include "stream_file.h"

static long session_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return tprof_ioctl_ended(cmd, tprof_session_ioctl(file->private_data, cmd, arg));
}

static ssize_t session_read(struct file *file, char __user *buffer, size_t capacity, loff_t *position)
{
	return tprof_file_call_ended(TPROF_CALL_READ,
				     tprof_streams_read(file->private_data, file, buffer, capacity));
}

static ssize_t mark(struct tprof_session *session, const char __user *buffer, size_t length)
{
	char bytes[TPROF_MAX_MARK_BYTES];
	int err = -EBADF;

	if (!length || length > sizeof(bytes))
		return -EINVAL;
	if (copy_from_user(bytes, buffer, length))
		return -EFAULT;
	mutex_lock(&session->mutex);
	if (session->streams.bytes)
		err = tprof_stream_mark(session, bytes, length);
	mutex_unlock(&session->mutex);
	return err ?: length;
}

static ssize_t session_write(struct file *file, const char __user *buffer, size_t length, loff_t *position)
{
	return tprof_file_call_ended(TPROF_CALL_WRITE, mark(file->private_data, buffer, length));
}

static __poll_t session_poll(struct file *file, struct poll_table_struct *table)
{
	return tprof_streams_poll(file->private_data, file, table);
}

static int session_mmap(struct file *file, struct vm_area_struct *vma)
{
	return tprof_file_call_ended(TPROF_CALL_MMAP, tprof_streams_mmap(file->private_data, vma));
}

static int session_release(struct inode *inode, struct file *file)
{
	tprof_session_close(file->private_data);
	return 0;
}

static void session_fdinfo(struct seq_file *m, struct file *file)
{
	tprof_session_fdinfo(file->private_data, m);
}

const struct file_operations tprof_session_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = session_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.read = session_read,
	.write = session_write,
	.poll = session_poll,
	.mmap = session_mmap,
	.release = session_release,
	.show_fdinfo = session_fdinfo,
};

struct tprof_session *tprof_session_from_fd(int fd)
{
	struct tprof_session *session = ERR_PTR(-EBADF);
	struct file *file = fget(fd);

	if (!file)
		return session;
	if (file->f_op == &tprof_session_fops) {
		session = file->private_data;
		tprof_session_get(session);
	}
	fput(file);
	return session;
}
