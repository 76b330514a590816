/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The first bytes of a file, which identify its format. Readers of the file begin with these bytes, because a pipe
 * cannot be read again.
 */
#ifndef TPROF_FILE_HEAD_H
#define TPROF_FILE_HEAD_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

struct file_head {
	uint8_t bytes[8];
	size_t size;		/* less than sizeof(bytes): the whole file is this short */
};

/* Errors: those of read(2). */
static inline int file_head_read(struct file_head *head, int fd)
{
	head->size = 0;
	while (head->size < sizeof(head->bytes)) {
		ssize_t size = read(fd, head->bytes + head->size, sizeof(head->bytes) - head->size);

		if (size == 0)
			break;
		if (size > 0)
			head->size += (size_t)size;
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

#endif
