/* SPDX-License-Identifier: GPL-2.0-only */
/* A file as the kernel tells of it when it is mapped. */
#ifndef TPROF_TESTS_FILE_ID_H
#define TPROF_TESTS_FILE_ID_H

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "dso/dso.h"

/* Its generation is there, 0 where the file system does not tell; whether it counts is for the caller to say. */
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
