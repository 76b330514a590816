// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Is an open file the inode that the kernel named when it told of a mapping?
 *
 * Mappings are told of with the device of the superblock. stat(2) gives that of the subvolume on btrfs and that of the
 * layers or of the union on overlayfs, which has inode numbers of its own besides. Where stat disagrees, the kernel is
 * asked for the same file in its own terms: it is mapped here for a moment, without a look at it, and read up in
 * /proc/self/maps.
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

/* A mapping that cannot be executed and is not touched: profilers are not told of it, and its pages are not read. */
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

/* What a file system has as the generation of an inode has 32 bits, whatever the type of the request says. */
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
	 * From Linux 6.8 until that was mended in 6.18, events name the inode of the layer, and maps that of the union:
	 * the number is the same, unless the file was copied up or the layers are on several file systems.
	 */
	if ((st->st_ino != id->ino || st->st_dev != makedev(id->maj, id->min)) && !kernel_says(fd, id) &&
	    (st->st_ino != id->ino || !is_on_overlayfs(fd)))
		return false;
	return !id->has_generation || !is_of_another_generation(fd, id->generation);
}
