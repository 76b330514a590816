// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Reads a filter object file. */
#include "filter_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_all(struct filter_image *image, int fd)
{
	size_t done = 0;

	while (done < image->size) {
		ssize_t got = pread(fd, image->bytes + done, image->size - done, (off_t)done);

		if (got < 0)
			return -errno;
		if (got == 0)
			return -EIO;
		done += (size_t)got;
	}
	return 0;
}

static void refuse(const char *path, const char *why, struct tprof_error *error)
{
	error_set(error, ENOEXEC, "%s: not a compiled filter%s", path, why);
	error_hint(error, "compile it again: clang -g -O2 --target=bpf -c FILTER.bpf.c -o FILTER.bpf.o");
}

int filter_image_read(struct filter_image *image, const char *path, struct tprof_error *error)
{
	struct stat st;
	int err = 0, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*image = (struct filter_image){ 0 };
	if (fd < 0 || fstat(fd, &st)) {
		err = error_set(error, errno, "%s: %s", path, strerror(errno));
		if (err == -ENOENT)
			error_hint(error, "tprof list filters shows the filters that can be given by name");
		error_hint_files(error, -err);
	} else if (!S_ISREG(st.st_mode) || st.st_size > FILTER_IMAGE_BYTES_MAX) {
		refuse(path, "", error);
		err = -ENOEXEC;
	} else {
		image->size = (size_t)st.st_size;
		image->bytes = malloc(image->size + 1);
		err = image->bytes ? read_all(image, fd) : -ENOMEM;
		if (!err)
			err = filter_image_check(image);
		if (err == -ENOEXEC)
			refuse(path, ", or damaged", error);
		else if (err)
			error_set(error, -err, "%s: %s", path, strerror(-err));
	}
	if (fd >= 0)
		close(fd);
	if (err)
		filter_image_free(image);
	return err;
}

void filter_image_free(struct filter_image *image)
{
	free(image->bytes);
	*image = (struct filter_image){ 0 };
}
