// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Checks whether an open file is the inode that the kernel reported for a mapping.
 *
 * Mappings are reported with the device of the superblock. stat(2) returns the device of the subvolume on btrfs, and
 * that of a layer or of the union on overlayfs, which also has its own inode numbers. If stat(2) disagrees, the file is
 * mapped briefly, without access to its pages, and /proc/self/maps shows the identity in the kernel's terms.
 */
#include "dso_inode.h"

#include <linux/fs.h>
#include <linux/magic.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "host/proc.h"

#ifndef OVERLAYFS_SUPER_MAGIC
#define OVERLAYFS_SUPER_MAGIC 0x794c7630
#endif

static bool maps_say(char *text, uint64_t address, const struct dso_id *id)
{
	struct proc_map map;
	int more;

	while ((more = proc_parse_map(&text, &map))) {
		if (more > 0 && map.start <= address && address < map.end)
			return map.ino == id->ino && map.maj == id->maj && map.min == id->min;
	}
	return false;
}

/* The mapping is not executable and not accessed: profilers get no event for it, and its pages are not read. */
static bool kernel_says(int fd, const struct dso_id *id)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	struct proc_text maps = { 0 };
	bool same;

	if (at == MAP_FAILED)
		return false;
	same = !proc_read(&maps, "self/maps") && maps_say(maps.text, (uintptr_t)at, id);
	proc_text_fini(&maps);
	munmap(at, size);
	return same;
}

static bool is_on_overlayfs(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

/* File systems store the inode generation in 32 bits, although the type in the ioctl request is long. */
static bool is_of_another_generation(int fd, uint64_t generation)
{
	uint32_t version[2] = { 0, 0 };

	return !ioctl(fd, FS_IOC_GETVERSION, version) && version[0] != (uint32_t)generation;
}

bool dso_inode_is(int fd, const struct stat *st, const struct dso_id *id)
{
	if (!id->ino)
		return false;
	/*
	 * From Linux 6.8 until a fix in 6.18, events report the inode of the layer and maps that of the union. The
	 * number is the same unless the file was copied up or the layers are on several file systems.
	 */
	if ((st->st_ino != id->ino || st->st_dev != makedev(id->maj, id->min)) && !kernel_says(fd, id) &&
	    (st->st_ino != id->ino || !is_on_overlayfs(fd)))
		return false;
	return !id->has_generation || !is_of_another_generation(fd, id->generation);
}
