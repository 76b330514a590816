// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The bytes of a filter object, and one of its halves hidden from libbpf. */
#include "filter_image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Filters are of some ten kilobytes; what is larger than this is something else. */
#define IMAGE_BYTES_MAX (64 << 20)

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

int filter_image_read(struct filter_image *image, const char *path, struct tprof_error *error)
{
	struct stat st;
	int err = 0, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*image = (struct filter_image){ 0 };
	if (fd < 0 || fstat(fd, &st)) {
		err = error_set(error, errno, "%s: %s", path, strerror(errno));
		error_hint(error, "tprof list filters shows those that can be given by name");
	} else if (!S_ISREG(st.st_mode) || st.st_size > IMAGE_BYTES_MAX) {
		err = error_set(error, ENOEXEC, "%s: not a compiled filter", path);
	} else {
		image->size = (size_t)st.st_size;
		image->bytes = malloc(image->size + 1);
		err = image->bytes ? read_all(image, fd) : -ENOMEM;
		if (err)
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

static bool is_inside(const struct filter_image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset;
}

/* Programs and maps of struct_ops, and what is to be relocated in them. */
static bool is_kmod_section(const char *name)
{
	if (strncmp(name, ".rel", 4) == 0)
		name += 4;
	return strncmp(name, "struct_ops/", strlen("struct_ops/")) == 0 ||
	       strcmp(name, ".struct_ops.link") == 0;
}

void filter_image_hide_kmod(struct filter_image *image)
{
	Elf64_Ehdr header;
	Elf64_Shdr section, names;

	if (!is_inside(image, 0, sizeof(header)))
		return;
	memcpy(&header, image->bytes, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_shentsize != sizeof(section) || header.e_shstrndx >= header.e_shnum ||
	    !is_inside(image, header.e_shoff, (uint64_t)header.e_shnum * sizeof(section)))
		return;
	memcpy(&names, image->bytes + header.e_shoff + header.e_shstrndx * sizeof(names), sizeof(names));
	/* The names have to end with a NUL, or they are none. */
	if (!names.sh_size || !is_inside(image, names.sh_offset, names.sh_size) ||
	    image->bytes[names.sh_offset + names.sh_size - 1])
		return;
	for (size_t i = 0; i < header.e_shnum; i++) {
		char *at = image->bytes + header.e_shoff + i * sizeof(section);

		memcpy(&section, at, sizeof(section));
		if (section.sh_name >= names.sh_size ||
		    !is_kmod_section(image->bytes + names.sh_offset + section.sh_name))
			continue;
		section.sh_type = SHT_NULL;
		memcpy(at, &section, sizeof(section));
	}
}
