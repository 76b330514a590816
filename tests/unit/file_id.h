/* SPDX-License-Identifier: GPL-2.0-only */
/* The identity of a file, as in the kernel record of its mapping. */
#ifndef TPROF_TESTS_FILE_ID_H
#define TPROF_TESTS_FILE_ID_H

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "dso/dso.h"

/* The generation is 0 if the file system does not report it; the caller decides whether it is compared. */
static inline struct dso_id file_id(const char *path)
{
	uint32_t generation[2] = { 0, 0 };
	int fd = open(path, O_RDONLY);
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	if (ioctl(fd, FS_IOC_GETVERSION, generation))
		generation[0] = 0;
	close(fd);
	return (struct dso_id){
		.path = path, .maj = major(st.st_dev), .min = minor(st.st_dev), .ino = st.st_ino,
		.generation = generation[0],
	};
}

#endif
