// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Where the kernel's structures have the members that filters read. */
#include "kernel_types.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

struct btf_bytes {
	const char *types, *types_end;
	const char *strings, *strings_end;
};

static int open_btf(struct btf_bytes *bytes, const void *btf, size_t size)
{
	struct btf_header header;
	const char *base = btf;

	if (size < sizeof(header))
		return -EINVAL;
	memcpy(&header, btf, sizeof(header));
	if (header.magic != BTF_MAGIC || header.hdr_len < sizeof(header) || header.hdr_len > size ||
	    header.type_off > size - header.hdr_len || header.type_len > size - header.hdr_len - header.type_off ||
	    header.str_off > size - header.hdr_len || header.str_len > size - header.hdr_len - header.str_off ||
	    header.type_off % 4 || header.hdr_len % 4)
		return -EINVAL;
	bytes->types = base + header.hdr_len + header.type_off;
	bytes->types_end = bytes->types + header.type_len;
	bytes->strings = base + header.hdr_len + header.str_off;
	bytes->strings_end = bytes->strings + header.str_len;
	return 0;
}

static bool has_name(const struct btf_bytes *bytes, uint32_t offset, const char *name)
{
	size_t size = strlen(name) + 1;

	return offset < (size_t)(bytes->strings_end - bytes->strings) &&
	       size <= (size_t)(bytes->strings_end - bytes->strings) - offset &&
	       memcmp(bytes->strings + offset, name, size) == 0;
}

/* Bytes behind a struct btf_type; SIZE_MAX for a kind that is not known. */
static size_t tail_bytes(const struct btf_type *type)
{
	size_t vlen = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return vlen * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return vlen * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return vlen * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return vlen * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return vlen * sizeof(struct btf_var_secinfo);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	default:
		return SIZE_MAX;
	}
}

/* The structure of that name, or if there is no name the one of that id; NULL if there is none. */
static const struct btf_type *find_struct(const struct btf_bytes *bytes, const char *name, uint32_t wanted_id)
{
	const char *at = bytes->types;

	for (uint32_t id = 1; at < bytes->types_end; id++) {
		const struct btf_type *type = (const struct btf_type *)at;
		size_t left = (size_t)(bytes->types_end - at), tail;

		if (left < sizeof(*type))
			return NULL;
		tail = tail_bytes(type);
		if (tail > left - sizeof(*type))
			return NULL;
		if (BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT &&
		    (name ? has_name(bytes, type->name_off, name) : id == wanted_id))
			return type;
		at += sizeof(*type) + tail;
	}
	return NULL;
}

static uint32_t member_offset(const struct btf_type *type, const struct btf_member *member)
{
	uint32_t bits = BTF_INFO_KFLAG(type->info) ? BTF_MEMBER_BIT_OFFSET(member->offset) : member->offset;

	return bits / 8;
}

/* A member of the structure, or of an unnamed one right in it. Returns its offset, or -ENOENT. */
static int64_t find_member(const struct btf_bytes *bytes, const struct btf_type *type, const char *name, int depth)
{
	const struct btf_member *members = (const struct btf_member *)(type + 1);

	for (uint32_t i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		const struct btf_type *unnamed;
		int64_t offset;

		if (has_name(bytes, members[i].name_off, name))
			return member_offset(type, &members[i]);
		if (!has_name(bytes, members[i].name_off, "") || depth == 0)
			continue;
		unnamed = find_struct(bytes, NULL, members[i].type);
		offset = unnamed ? find_member(bytes, unnamed, name, depth - 1) : -ENOENT;
		if (offset >= 0)
			return member_offset(type, &members[i]) + offset;
	}
	return -ENOENT;
}

static int find_offset(const struct btf_bytes *bytes, uint32_t *offset, const char *structure, const char *member)
{
	const struct btf_type *type = find_struct(bytes, structure, 0);
	int64_t found = type ? find_member(bytes, type, member, 1) : -ENOENT;

	*offset = (uint32_t)found;
	return found < 0 ? -EINVAL : 0;
}

int kernel_types_parse(struct kernel_types *types, const void *btf, size_t size)
{
	struct btf_bytes bytes;
	int err = open_btf(&bytes, btf, size);

#define X(name, structure, member)					\
	if (!err)							\
		err = find_offset(&bytes, &types->name, structure, member);
	KERNEL_MEMBERS(X)
#undef X
	return err;
}

/* Kernels before 6.16 do not let their BTF be mapped. */
static int read_and_parse(struct kernel_types *types, int fd, size_t size)
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
		err = kernel_types_parse(types, btf, size);
	free(btf);
	return err;
}

int kernel_types_read(struct kernel_types *types)
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
		err = read_and_parse(types, fd, (size_t)st.st_size);
	} else {
		err = kernel_types_parse(types, btf, (size_t)st.st_size);
		munmap(btf, (size_t)st.st_size);
	}
	close(fd);
	return err;
}
