// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * A BPF program that empties one generation of a table.
 *
 * It is assembled here, since it depends only on the sizes of key and value; so no filter has to contain it. In C,
 * where copy() is a few loads and stores, or bpf_probe_read_kernel() for many bytes:
 *
 *	static long move(struct bpf_map *table, void *key, void *value, struct progress *progress)
 *	{
 *		__u32 index = progress->moved;
 *		char *entry = bpf_map_lookup_elem(&entries, &index);
 *
 *		if (!entry)
 *			return 1;
 *		copy(entry, key, key_bytes);
 *		copy(entry + value_offset, value, value_bytes);
 *		if (bpf_map_delete_elem(table, key))
 *			progress->left = LEFT;
 *		else
 *			progress->moved++;
 *		return 0;
 *	}
 *
 *	int drain(struct start *start)
 *	{
 *		struct progress progress = { start->moved, 0 };
 *
 *		bpf_for_each_map_elem(&table, move, &progress, 0);
 *		return progress.moved | progress.left;
 *	}
 *
 * start->moved is always 0, but the verifier must not know: it would otherwise verify each iteration separately.
 */
#include "table_drain.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bpf_insn.h"
#include "base/libbpf_log.h"

/*
 * Bytes that one run moves. A run takes a fraction of a millisecond, during which the kernel may be unable to schedule.
 */
#define ENTRIES_BYTES (256 * 1024)
/* A flag in the program's return value, beside the number of entries. */
#define LEFT (1 << 30)

/* Stack offsets in drain(): struct progress. */
enum { MOVED = -16, LEFT_AT = -8 };
/* Stack offsets in move(). */
enum { INDEX = -4, ENTRY = -16 };

/* Index of the first instruction of move(). */
#define MOVE_AT 15
/* Larger keys and values are copied by a helper. */
#define MAX_COPIED_BYTES 64
/* At most ten pairs for each copy: seven words and three parts. */
#define MAX_INSNS 96

struct sizes {
	uint32_t key_bytes, value_bytes;
};

static int sizes_of(int map_fd, struct sizes *sizes)
{
	struct bpf_map_info info = { 0 };
	__u32 length = sizeof(info);
	int err = bpf_map_get_info_by_fd(map_fd, &info, &length);

	*sizes = (struct sizes){ info.key_size, info.value_size };
	return err;
}

/* BTF of the two functions: without it, the kernel rejects function pointers. */
static struct btf *make_types(int ids[2])
{
	static const char *const names[] = { "tprof_drain", "tprof_move" };
	struct btf *btf = btf__new_empty();
	int number = btf ? btf__add_int(btf, "int", 4, BTF_INT_SIGNED) : -1;

	for (int i = 0; i < 2 && number > 0; i++) {
		int prototype = btf__add_func_proto(btf, number);

		ids[i] = prototype > 0 ? btf__add_func(btf, names[i], BTF_FUNC_STATIC, prototype) : -1;
		if (ids[i] < 0)
			number = -1;
	}
	if (number > 0 && !btf__load_into_kernel(btf))
		return btf;
	btf__free(btf);
	return NULL;
}

/* Instructions of the program, which are appended. */
struct code {
	struct bpf_insn insns[MAX_INSNS];
	size_t nr;
};

#define EMIT(code, ...) emit(code, (const struct bpf_insn[]){ __VA_ARGS__ }, \
			     sizeof((const struct bpf_insn[]){ __VA_ARGS__ }) / sizeof(struct bpf_insn))

static void emit(struct code *code, const struct bpf_insn *insns, size_t nr)
{
	memcpy(code->insns + code->nr, insns, nr * sizeof(*insns));
	code->nr += nr;
}

/* Copies to the entry, which is also at ENTRY, from the pointer in register @from. Keys and values are aligned to 8. */
static void emit_copy(struct code *code, uint32_t offset, int from, uint32_t bytes)
{
	static const struct {
		uint32_t bytes;
		int size;
	} parts[] = { { 8, BPF_DW }, { 4, BPF_W }, { 2, BPF_H }, { 1, BPF_B } };
	uint32_t at = 0;

	EMIT(code, BPF_LDX_MEM(BPF_DW, BPF_REG_1, BPF_REG_FP, ENTRY));
	if (bytes > MAX_COPIED_BYTES) {
		EMIT(code, BPF_ALU64_IMM(BPF_ADD, BPF_REG_1, (int)offset), BPF_MOV64_IMM(BPF_REG_2, (int)bytes),
		     BPF_MOV64_REG(BPF_REG_3, from), BPF_EMIT_CALL(BPF_FUNC_probe_read_kernel));
		return;
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		for (; bytes - at >= parts[i].bytes; at += parts[i].bytes)
			EMIT(code, BPF_LDX_MEM(parts[i].size, BPF_REG_2, from, (short)at),
			     BPF_STX_MEM(parts[i].size, BPF_REG_1, BPF_REG_2, (short)(offset + at)));
	}
}

static void emit_drain(struct code *code, int table_fd)
{
	EMIT(code, BPF_LDX_MEM(BPF_W, BPF_REG_2, BPF_REG_1, 0),
	     BPF_STX_MEM(BPF_DW, BPF_REG_FP, BPF_REG_2, MOVED),
	     BPF_ST_MEM(BPF_DW, BPF_REG_FP, LEFT_AT, 0),
	     BPF_LD_MAP_FD(BPF_REG_1, table_fd),
	     BPF_LD_FUNC(BPF_REG_2, MOVE_AT - 6),
	     BPF_MOV64_REG(BPF_REG_3, BPF_REG_FP),
	     BPF_ALU64_IMM(BPF_ADD, BPF_REG_3, MOVED),
	     BPF_MOV64_IMM(BPF_REG_4, 0),
	     BPF_EMIT_CALL(BPF_FUNC_for_each_map_elem),
	     BPF_LDX_MEM(BPF_DW, BPF_REG_0, BPF_REG_FP, MOVED),
	     BPF_LDX_MEM(BPF_DW, BPF_REG_1, BPF_REG_FP, LEFT_AT),
	     BPF_ALU64_REG(BPF_OR, BPF_REG_0, BPF_REG_1),
	     BPF_EXIT_INSN());
}

static void emit_move(struct code *code, const struct table_drain *drain, const struct sizes *sizes, int entries_fd)
{
	EMIT(code, BPF_MOV64_REG(BPF_REG_6, BPF_REG_1),
	     BPF_MOV64_REG(BPF_REG_7, BPF_REG_2),
	     BPF_MOV64_REG(BPF_REG_8, BPF_REG_3),
	     BPF_MOV64_REG(BPF_REG_9, BPF_REG_4),
	     BPF_LDX_MEM(BPF_DW, BPF_REG_1, BPF_REG_9, 0),
	     BPF_STX_MEM(BPF_W, BPF_REG_FP, BPF_REG_1, INDEX),
	     BPF_LD_MAP_FD(BPF_REG_1, entries_fd),
	     BPF_MOV64_REG(BPF_REG_2, BPF_REG_FP),
	     BPF_ALU64_IMM(BPF_ADD, BPF_REG_2, INDEX),
	     BPF_EMIT_CALL(BPF_FUNC_map_lookup_elem),
	     BPF_JMP_IMM(BPF_JNE, BPF_REG_0, 0, 2),
	     BPF_MOV64_IMM(BPF_REG_0, 1),
	     BPF_EXIT_INSN(),
	     BPF_STX_MEM(BPF_DW, BPF_REG_FP, BPF_REG_0, ENTRY));
	emit_copy(code, 0, BPF_REG_7, sizes->key_bytes);
	emit_copy(code, drain->value_offset, BPF_REG_8, sizes->value_bytes);
	EMIT(code, BPF_MOV64_REG(BPF_REG_1, BPF_REG_6),
	     BPF_MOV64_REG(BPF_REG_2, BPF_REG_7),
	     BPF_EMIT_CALL(BPF_FUNC_map_delete_elem),
	     BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 0, 2),
	     BPF_ST_MEM(BPF_DW, BPF_REG_9, LEFT_AT - MOVED, LEFT),
	     BPF_JMP_A(3),
	     BPF_LDX_MEM(BPF_DW, BPF_REG_1, BPF_REG_9, 0),
	     BPF_ALU64_IMM(BPF_ADD, BPF_REG_1, 1),
	     BPF_STX_MEM(BPF_DW, BPF_REG_9, BPF_REG_1, 0),
	     BPF_MOV64_IMM(BPF_REG_0, 0),
	     BPF_EXIT_INSN());
}

static int load(const struct table_drain *drain, const struct sizes *sizes, int table_fd, int entries_fd,
		const struct btf *types, const int ids[2])
{
	const struct bpf_func_info functions[] = { { 0, (__u32)ids[0] }, { MOVE_AT, (__u32)ids[1] } };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE, .prog_btf_fd = (__u32)btf__fd(types),
		    .func_info = functions, .func_info_cnt = 2, .func_info_rec_size = sizeof(functions[0]));
	struct code code = { .nr = 0 };

	emit_drain(&code, table_fd);
	emit_move(&code, drain, sizes, entries_fd);
	return bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "tprof_drain", "GPL", code.insns, code.nr, &opts);
}

static int load_both(struct table_drain *drain, const struct sizes *sizes, const int map_fds[2], int entries_fd)
{
	int ids[2], err = 0;
	struct btf *types = make_types(ids);

	if (!types)
		return -EOPNOTSUPP;
	for (int i = 0; i < 2 && !err; i++) {
		drain->program_fds[i] = load(drain, sizes, map_fds[i], entries_fd, types, ids);
		if (drain->program_fds[i] < 0)
			err = drain->program_fds[i];
	}
	btf__free(types);
	return err;
}

/* The size of the mapping: whole pages. */
static size_t mapped_bytes(const struct table_drain *drain)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return ((size_t)drain->capacity * drain->entry_bytes + page - 1) / page * page;
}

static int open_drain(struct table_drain *drain, const int map_fds[2])
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	struct sizes sizes;
	int fd, err;

	*drain = (struct table_drain){ .program_fds = { -1, -1 } };
	err = sizes_of(map_fds[0], &sizes);
	if (err)
		return err;
	drain->value_offset = (sizes.key_bytes + 7) / 8 * 8;
	drain->entry_bytes = drain->value_offset + (sizes.value_bytes + 7) / 8 * 8;
	drain->capacity = 1 + ENTRIES_BYTES / drain->entry_bytes;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "tprof_drained", sizeof(__u32), drain->entry_bytes, drain->capacity,
			    &opts);
	if (fd < 0)
		return fd;
	drain->entries = mmap(NULL, mapped_bytes(drain), PROT_READ, MAP_SHARED, fd, 0);
	if (drain->entries == MAP_FAILED) {
		err = -errno;
		drain->entries = NULL;
	} else {
		err = load_both(drain, &sizes, map_fds, fd);
	}
	close(fd);
	if (err)
		table_drain_close(drain);
	return err;
}

int table_drain_open(struct table_drain *drain, const int map_fds[2])
{
	struct libbpf_log said;
	int err;

	/* A kernel without these programs is not an error, so libbpf's messages are dropped. */
	libbpf_log_begin(&said, NULL);
	err = open_drain(drain, map_fds);
	libbpf_log_end(&said);
	return err;
}

void table_drain_close(struct table_drain *drain)
{
	for (int i = 0; i < 2; i++) {
		if (drain->program_fds[i] > 0)
			close(drain->program_fds[i]);
		drain->program_fds[i] = -1;
	}
	if (drain->entries)
		munmap(drain->entries, mapped_bytes(drain));
	drain->entries = NULL;
}

int table_drain_run(const struct table_drain *drain, unsigned int generation, bool *left)
{
	__u32 start = 0;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &start, .ctx_size_in = sizeof(start));
	int err = bpf_prog_test_run_opts(drain->program_fds[generation], &opts);

	if (err)
		return err;
	*left = opts.retval & LEFT;
	return (int)(opts.retval & (LEFT - 1));
}
