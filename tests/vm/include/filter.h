/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filters for guest tests in C, with bare system calls: BPF programs of a few instructions in the source of the test.
 * Include device.h first.
 *
 *	static const struct bpf_insn keep[] = { ANSWER(TPROF_KEEP) };
 *	int link = attach_filter(session, "keep", 0, keep, 2);		until it is closed
 *
 * Attaching needs the BTF IDs of types and functions of the module, so these are looked up first.
 */
#ifndef TPROF_TESTS_FILTER_H
#define TPROF_TESTS_FILTER_H

#include <stddef.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <sys/syscall.h>

/* Two instructions that return the verdict. */
#define ANSWER(verdict)									\
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = (verdict) },	\
	{ .code = BPF_JMP | BPF_EXIT }

/* Four instructions that read the clock so many times, which takes about a tenth of a microsecond each. */
#define READ_CLOCK(times)								\
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_6, .imm = (times) },	\
	{ .code = BPF_JMP | BPF_CALL, .imm = 5 /* bpf_ktime_get_ns() */ },		\
	{ .code = BPF_ALU64 | BPF_SUB | BPF_K, .dst_reg = BPF_REG_6, .imm = 1 },	\
	{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_6, .off = -3 }

/* Calls a kfunc; attach_filter() inserts its BTF ID. A program may have only one such call. */
#define CALL_WALK(which)								\
	{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL, .off = 1, .imm = (which) }
#define CALL_WALK_KERNEL	CALL_WALK(0)
#define CALL_WALK_USER		CALL_WALK(1)

/* Constants of Linux 6.9, which the headers of the host may not have. */
#define FILTER_F_LINK			(1U << 13)
#define FILTER_F_VALUE_OF_MODULE	(1U << 15)
#define FILTER_ATTACH_STRUCT_OPS	44

struct filter_map_attr {
	uint32_t map_type, key_size, value_size, max_entries, map_flags, inner_map_fd, numa_node;
	char map_name[16];
	uint32_t map_ifindex, btf_fd, btf_key_type_id, btf_value_type_id, btf_vmlinux_value_type_id;
	uint64_t map_extra;
	int32_t value_type_btf_obj_fd, token_fd;
};

/* struct tprof_filter_ops as user space fills it: the descriptor of a program replaces the pointer. */
struct filter_ops {
	uint64_t sample;
	char name[TPROF_NAME_LEN];
	uint32_t flags;
	int32_t session_fd;
};

/* Data from the BTF of the module that attaching needs. */
struct filter_btf {
	int fd;
	uint32_t ops_id, value_id, value_size, data_offset, walk_ids[2];
};

static long filter_bpf(int command, void *attr, size_t size)
{
	return syscall(SYS_bpf, command, attr, size);
}

/* Returns the descriptor of the BTF of the module. */
static int filter_btf_fd(void)
{
	union bpf_attr attr = { 0 };

	while (filter_bpf(BPF_BTF_GET_NEXT_ID, &attr, sizeof(attr)) == 0) {
		union bpf_attr get = { .btf_id = attr.next_id };
		char name[64] = "";
		struct bpf_btf_info info = { .name = (uintptr_t)name, .name_len = sizeof(name) };
		int fd = (int)filter_bpf(BPF_BTF_GET_FD_BY_ID, &get, sizeof(get));
		union bpf_attr ask = { .info = { .bpf_fd = (uint32_t)fd, .info_len = sizeof(info),
						 .info = (uintptr_t)&info } };

		if (fd >= 0 && filter_bpf(BPF_OBJ_GET_INFO_BY_FD, &ask, sizeof(ask)) == 0 && info.kernel_btf &&
		    strcmp(name, "tprof") == 0)
			return fd;
		if (fd >= 0)
			close(fd);
		attr.start_id = attr.next_id;
	}
	need(false, "the module has BTF");
	return -1;
}

static char *filter_read_file(const char *path)
{
	size_t size = 0, room = 1 << 24;
	char *bytes = malloc(room);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t nr = 1;

	need(bytes && fd >= 0, "%s opens", path);
	while (nr > 0 && size < room) {
		nr = read(fd, bytes + size, room - size);
		size += nr > 0 ? (size_t)nr : 0;
	}
	close(fd);
	need(nr == 0, "%s is read", path);
	return bytes;
}

/* Returns the number of bytes after the btf_type of a type. */
static size_t filter_type_tail(const struct btf_type *type)
{
	size_t nr = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return nr * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return nr * 2 * sizeof(uint32_t);
	case BTF_KIND_ENUM64:
	case BTF_KIND_DATASEC:
		return nr * 3 * sizeof(uint32_t);
	default:
		return 0;
	}
}

static const struct btf_type *filter_next_type(const struct btf_type *type)
{
	return (const void *)((const char *)(type + 1) + filter_type_tail(type));
}

static uint32_t filter_nr_types(const struct btf_header *header)
{
	const char *types = (const char *)header + header->hdr_len + header->type_off;
	const struct btf_type *type = (const void *)types;
	uint32_t nr = 1;

	for (; (const char *)type < types + header->type_len; type = filter_next_type(type))
		nr++;
	return nr;
}

/* The type IDs and string offsets of the module continue those of the kernel. */
static struct filter_btf filter_find_types(void)
{
	const struct btf_header *base = (void *)filter_read_file("/sys/kernel/btf/vmlinux");
	const struct btf_header *header = (void *)filter_read_file("/sys/kernel/btf/tprof");
	const char *strings = (const char *)header + header->hdr_len + header->str_off - base->str_len;
	const char *types = (const char *)header + header->hdr_len + header->type_off;
	const struct btf_type *type = (const void *)types;
	struct filter_btf found = { .fd = filter_btf_fd() };

	for (uint32_t id = filter_nr_types(base); (const char *)type < types + header->type_len;
	     id++, type = filter_next_type(type)) {
		const char *name = type->name_off < base->str_len ? "" : strings + type->name_off;

		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC && strcmp(name, "tprof_walk_kernel") == 0)
			found.walk_ids[0] = id;
		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC && strcmp(name, "tprof_walk_user") == 0)
			found.walk_ids[1] = id;
		if (BTF_INFO_KIND(type->info) != BTF_KIND_STRUCT)
			continue;
		if (strcmp(name, "tprof_filter_ops") == 0)
			found.ops_id = id;
		if (strcmp(name, "bpf_struct_ops_tprof_filter_ops") == 0) {
			found.value_id = id;
			found.value_size = type->size;
			/* After the common part of a struct_ops value. */
			found.data_offset = ((const struct btf_member *)(type + 1))[1].offset / 8;
		}
	}
	free((void *)base);
	free((void *)header);
	need(found.ops_id && found.value_id && found.walk_ids[0] && found.walk_ids[1],
	     "the module's BTF has what filters need");
	return found;
}

/* Returns the BTF ID of a function of the kernel. */
__attribute__((unused))
static uint32_t filter_kernel_function(const char *name)
{
	const struct btf_header *header = (void *)filter_read_file("/sys/kernel/btf/vmlinux");
	const char *strings = (const char *)header + header->hdr_len + header->str_off;
	const struct btf_type *type = (const void *)((const char *)header + header->hdr_len + header->type_off);
	uint32_t nr = filter_nr_types(header);

	for (uint32_t id = 1; id < nr; id++, type = filter_next_type(type)) {
		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC && strcmp(strings + type->name_off, name) == 0)
			return id;
	}
	need(false, "the kernel has %s()", name);
	return 0;
}

static int filter_load(const struct filter_btf *btf, const struct bpf_insn *insns, uint32_t nr_insns)
{
	static struct bpf_insn copy[64];
	static char log[16384];
	const int fds[] = { -1, btf->fd };
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_STRUCT_OPS,
		.insn_cnt = nr_insns, .insns = (uintptr_t)copy,
		.license = (uintptr_t)"GPL", .fd_array = (uintptr_t)fds,
		.attach_btf_id = btf->ops_id, .attach_btf_obj_fd = (uint32_t)btf->fd,
	};
	int fd;

	need(nr_insns <= sizeof(copy) / sizeof(copy[0]), "the filter is short enough");
	memcpy(copy, insns, nr_insns * sizeof(*insns));
	for (uint32_t i = 0; i < nr_insns; i++) {
		if (copy[i].code == (BPF_JMP | BPF_CALL) && copy[i].src_reg == BPF_PSEUDO_KFUNC_CALL)
			copy[i].imm = (int32_t)btf->walk_ids[copy[i].imm];
	}
	fd = (int)filter_bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd >= 0)
		return fd;
	/* Loads again with a log, which makes the verifier much slower. */
	attr.log_level = 1;
	attr.log_size = sizeof(log);
	attr.log_buf = (uintptr_t)log;
	fd = (int)filter_bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
	diag("%s", log);
	return fd;
}

/* The kernel requires BTF of the filter; an empty struct is enough. */
static int filter_own_btf(void)
{
	static const struct {
		struct btf_header header;
		struct btf_type type;
		char strings[4];
	} btf = {
		.header = {
			.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(struct btf_header),
			.type_len = sizeof(struct btf_type), .str_off = sizeof(struct btf_type), .str_len = 4,
		},
		.type = { .info = BTF_KIND_STRUCT << 24 },
	};
	union bpf_attr attr = { .btf = (uintptr_t)&btf, .btf_size = sizeof(btf) };

	return (int)filter_bpf(BPF_BTF_LOAD, &attr, sizeof(attr));
}

static int filter_map(const struct filter_btf *btf, const struct filter_ops *ops)
{
	int own = filter_own_btf();
	struct filter_map_attr create = {
		.map_type = BPF_MAP_TYPE_STRUCT_OPS, .key_size = sizeof(uint32_t), .value_size = btf->value_size,
		.max_entries = 1, .map_flags = FILTER_F_LINK | FILTER_F_VALUE_OF_MODULE, .btf_fd = (uint32_t)own,
		.btf_vmlinux_value_type_id = btf->value_id, .value_type_btf_obj_fd = btf->fd,
	};
	int fd = (int)filter_bpf(BPF_MAP_CREATE, &create, sizeof(create));
	char *value = calloc(1, btf->value_size);
	uint32_t key = 0;
	union bpf_attr update = { .map_fd = (uint32_t)fd, .key = (uintptr_t)&key, .value = (uintptr_t)value };

	need(own >= 0 && fd >= 0 && value, "a map for the filter");
	memcpy(value + btf->data_offset, ops, sizeof(*ops));
	if (filter_bpf(BPF_MAP_UPDATE_ELEM, &update, sizeof(update)) != 0) {
		int error = errno;

		close(fd);
		fd = -1;
		errno = error;
	}
	free(value);
	close(own);
	return fd;
}

/*
 * Makes the map of a filter, which can be linked and unlinked any number of times; -1 with errno if the kernel refuses
 * its members. The session need not exist before the map is linked. @program: -1 for none
 */
__attribute__((unused))
static int make_filter_of(const struct filter_btf *btf, int session, const char *name, uint32_t flags, int program)
{
	struct filter_ops ops = { .flags = flags, .session_fd = session };

	if (program >= 0)
		ops.sample = (uint64_t)program;
	snprintf(ops.name, sizeof(ops.name), "%s", name);
	return filter_map(btf, &ops);
}

__attribute__((unused))
static int make_filter(int session, const char *name, uint32_t flags, const struct bpf_insn *insns, uint32_t nr_insns)
{
	struct filter_btf btf = filter_find_types();
	int program = filter_load(&btf, insns, nr_insns), map, error;

	need(program >= 0, "the filter is loaded");
	map = make_filter_of(&btf, session, name, flags, program);
	error = errno;
	close(program);
	close(btf.fd);
	errno = error;
	return map;
}

/* Returns the descriptor of the link, or -1 with errno. */
__attribute__((unused))
static int link_filter(int map)
{
	union bpf_attr attr = {
		.link_create = { .prog_fd = (uint32_t)map, .attach_type = FILTER_ATTACH_STRUCT_OPS },
	};

	return (int)filter_bpf(BPF_LINK_CREATE, &attr, sizeof(attr));
}

/* Makes the map of a filter and links it. */
__attribute__((unused))
static int attach_filter(int session, const char *name, uint32_t flags, const struct bpf_insn *insns,
			 uint32_t nr_insns)
{
	int map = make_filter(session, name, flags, insns, nr_insns), link, error;

	need(map >= 0, "the filter is made");
	link = link_filter(map);
	error = errno;
	close(map);
	errno = error;
	return link;
}

#endif
