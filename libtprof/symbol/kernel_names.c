// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Asks the kernel for the name of one address. The program is assembled here. In C:
 *
 *	int name(struct { __u64 ip; } *asked)
 *	{
 *		__u64 ip = asked->ip;
 *
 *		if (ip)
 *			return bpf_snprintf(answer, ANSWER_BYTES, "%pS", &ip, sizeof(ip));
 *		return bpf_kallsyms_lookup_name("_stext", sizeof("_stext"), 0, answer) ?:
 *		       bpf_kallsyms_lookup_name("_einittext", sizeof("_einittext"), 0, answer + 8);
 *	}
 *
 * The kernel formats an address for everyone. But it looks up a name only for processes that may see addresses in
 * /proc/kallsyms, so this comes first.
 */
#include "kernel_names.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bpf_insn.h"
#include "base/libbpf_log.h"
#include "kallsyms.h"

/* Twice the longest symbol (KSYM_NAME_LEN), with the name of its module and the two numbers. */
#define ANSWER_BYTES 1024

/* The program's constants; the verifier requires a format in a frozen map. */
struct constants {
	char format[8], first[8], last[16];
};
static const struct constants constants = { "%pS", "_stext", "_einittext" };

#define CONSTANT(reg, fd, member) BPF_LD_MAP_VALUE(reg, fd, offsetof(struct constants, member))

static int load(int answer_fd, int constants_fd)
{
	const struct bpf_insn insns[] = {
		BPF_LDX_MEM(BPF_DW, BPF_REG_6, BPF_REG_1, 0),
		BPF_STX_MEM(BPF_DW, BPF_REG_FP, BPF_REG_6, -8),
		BPF_JMP_IMM(BPF_JEQ, BPF_REG_6, 0, 10),
		BPF_LD_MAP_VALUE(BPF_REG_1, answer_fd, 0),
		BPF_MOV64_IMM(BPF_REG_2, ANSWER_BYTES),
		CONSTANT(BPF_REG_3, constants_fd, format),
		BPF_MOV64_REG(BPF_REG_4, BPF_REG_FP),
		BPF_ALU64_IMM(BPF_ADD, BPF_REG_4, -8),
		BPF_MOV64_IMM(BPF_REG_5, 8),
		BPF_EMIT_CALL(BPF_FUNC_snprintf),
		BPF_EXIT_INSN(),
		/* The text of the core kernel. */
		CONSTANT(BPF_REG_1, constants_fd, first),
		BPF_MOV64_IMM(BPF_REG_2, sizeof("_stext")),
		BPF_MOV64_IMM(BPF_REG_3, 0),
		BPF_LD_MAP_VALUE(BPF_REG_4, answer_fd, 0),
		BPF_EMIT_CALL(BPF_FUNC_kallsyms_lookup_name),
		BPF_JMP_IMM(BPF_JNE, BPF_REG_0, 0, 7),
		CONSTANT(BPF_REG_1, constants_fd, last),
		BPF_MOV64_IMM(BPF_REG_2, sizeof("_einittext")),
		BPF_MOV64_IMM(BPF_REG_3, 0),
		BPF_LD_MAP_VALUE(BPF_REG_4, answer_fd, sizeof(uint64_t)),
		BPF_EMIT_CALL(BPF_FUNC_kallsyms_lookup_name),
		BPF_EXIT_INSN(),
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);

	return bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "tprof_names", "GPL", insns, ARRAY_SIZE(insns), &opts);
}

static int make_constants(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_RDONLY_PROG);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "tprof_constants", sizeof(__u32), sizeof(constants), 1, &opts);
	const __u32 zero = 0;
	int err;

	if (fd < 0)
		return fd;
	err = bpf_map_update_elem(fd, &zero, &constants, BPF_ANY);
	if (!err)
		err = bpf_map_freeze(fd);
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int make_answer(struct kernel_names *names)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "tprof_answer", sizeof(__u32), ANSWER_BYTES, 1, &opts);
	void *map;

	if (fd < 0)
		return fd;
	names->answer_bytes = (size_t)sysconf(_SC_PAGESIZE);
	map = mmap(NULL, names->answer_bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED) {
		names->answer = map;
		return fd;
	}
	close(fd);
	return -errno;
}

static int open_names(struct kernel_names *names)
{
	int constants_fd = make_constants(), answer_fd, err = 0;

	if (constants_fd < 0)
		return constants_fd;
	answer_fd = make_answer(names);
	names->program_fd = answer_fd < 0 ? answer_fd : load(answer_fd, constants_fd);
	if (answer_fd >= 0)
		close(answer_fd);
	close(constants_fd);
	if (names->program_fd < 0) {
		err = names->program_fd;
		names->program_fd = 0;
		kernel_names_close(names);
	}
	return err;
}

int kernel_names_open(struct kernel_names *names)
{
	struct libbpf_log said;
	int err;

	/* A kernel without this program is not an error, so libbpf's messages are dropped. */
	libbpf_log_begin(&said, NULL);
	err = open_names(names);
	libbpf_log_end(&said);
	return err;
}

void kernel_names_close(struct kernel_names *names)
{
	if (names->program_fd > 0)
		close(names->program_fd);
	if (names->answer)
		munmap(names->answer, names->answer_bytes);
	*names = (struct kernel_names){ 0 };
}

bool kernel_names_are_open(const struct kernel_names *names)
{
	return names->program_fd > 0;
}

/* Returns the program's result, or -errno if it did not run. */
static int run(const struct kernel_names *names, uint64_t ip)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &ip, .ctx_size_in = sizeof(ip));
	int err = bpf_prog_test_run_opts(names->program_fd, &opts);

	return err ? err : (int)opts.retval;
}

static int find_text(struct kernel_names *names)
{
	int err = run(names, 0);

	if (err)
		return err;
	memcpy(&names->start, names->answer, sizeof(names->start));
	memcpy(&names->end, names->answer + sizeof(names->start), sizeof(names->end));
	return 0;
}

/* Parses "0x1a0"; returns the position behind it, or NULL. */
static const char *parse_hex(const char *text, const char *end, uint64_t *value)
{
	const char *at = text + 2;

	if (end - text < 3 || text[0] != '0' || text[1] != 'x')
		return NULL;
	for (*value = 0; at < end; at++) {
		int digit = *at >= '0' && *at <= '9' ? *at - '0' : *at >= 'a' && *at <= 'f' ? *at - 'a' + 10 : -1;

		if (digit < 0)
			break;
		*value = *value << 4 | (unsigned int)digit;
	}
	return at > text + 2 && at - text <= 18 ? at : NULL;
}

bool kernel_names_parse(const char *text, size_t length, uint64_t ip, struct kernel_name *name)
{
	const char *plus = memrchr(text, '+', length), *end = text + length, *at;
	uint64_t offset, size;

	*name = (struct kernel_name){ .name = text };
	at = plus && plus > text ? parse_hex(plus + 1, end, &offset) : NULL;
	at = at && at < end && *at == '/' ? parse_hex(at + 1, end, &size) : NULL;
	if (!at || offset >= size || offset > ip || size - offset > UINT64_MAX - ip)
		return false;
	if (at < end && (end - at < 4 || at[0] != ' ' || at[1] != '[' || end[-1] != ']'))
		return false;
	name->start = ip - offset;
	name->end = name->start + size;
	name->name_length = (size_t)(plus - text);
	if (at < end) {
		name->object = at + 1;
		name->object_length = (size_t)(end - name->object);
	}
	return true;
}

int kernel_names_ask(struct kernel_names *names, uint64_t ip, struct kernel_name *name)
{
	static const char bpf[] = "[bpf]";
	int length, err = names->end ? 0 : find_text(names);

	if (err)
		return err;
	length = run(names, ip);
	if (length < 0)
		return length;
	/* The length includes the terminating zero, and what did not fit. */
	if (!length || length > ANSWER_BYTES || !kernel_names_parse(names->answer, (size_t)length - 1, ip, name))
		return -ENOENT;
	if (kallsyms_is_marker(name->name, name->name_length))
		return strncmp(name->name, "__pfx_", strlen("__pfx_")) ? -ENOENT : -ENODATA;
	/* The kernel does not say so of BPF programs and their trampolines; everything else outside has a module. */
	if (!name->object_length && (ip < names->start || ip >= names->end)) {
		name->object = bpf;
		name->object_length = sizeof(bpf) - 1;
	}
	return 0;
}
