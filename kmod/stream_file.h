/* SPDX-License-Identifier: GPL-2.0-only */
/* Streams as the file operations of a session see them. */
#ifndef _TPROF_STREAM_FILE_H
#define _TPROF_STREAM_FILE_H

#include <linux/types.h>

struct file;
struct poll_table_struct;
struct tprof_session;
struct vm_area_struct;

ssize_t tprof_streams_read(struct tprof_session *session, struct file *file, char __user *buffer, size_t capacity);
__poll_t tprof_streams_poll(struct tprof_session *session, struct file *file, struct poll_table_struct *table);
int tprof_streams_mmap(struct tprof_session *session, struct vm_area_struct *vma);

#endif
