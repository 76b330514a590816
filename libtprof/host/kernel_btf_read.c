// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Reads the BTF of the running kernel. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel_btf.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

/* Kernels before 6.16 do not support mmap(2) of their BTF. */
static int read_and_parse(int (*parse)(void *ctx, const void *bytes, size_t size), void *ctx, int fd, size_t size)
{
	char *btf = malloc(size);
	size_t done = 0;
	int err = btf ? 0 : -ENOMEM;

	while (!err && done < size) {
		ssize_t got = read(fd, btf + done, size - done);

		if (got <= 0)
			err = -EINVAL;
		else
			done += (size_t)got;
	}
	if (!err)
		err = parse(ctx, btf, size);
	free(btf);
	return err;
}

int kernel_btf_read(int (*parse)(void *ctx, const void *bytes, size_t size), void *ctx)
{
	struct stat st;
	void *btf;
	int err, fd = open(KERNEL_BTF, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_size <= 0) {
		close(fd);
		return -EINVAL;
	}
	btf = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (btf == MAP_FAILED) {
		err = read_and_parse(parse, ctx, fd, (size_t)st.st_size);
	} else {
		err = parse(ctx, btf, (size_t)st.st_size);
		munmap(btf, (size_t)st.st_size);
	}
	close(fd);
	return err;
}
