// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Asks the kernel for two symbols, each with a program that is assembled here. In C:
 *
 *	int find(void *ctx)
 *	{
 *		return bpf_kallsyms_lookup_name(name, sizeof(name), 0, &address);
 *	}
 */
#include "sched_text.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bpf_insn.h"
#include "base/libbpf_log.h"

/* More than the names, with their NUL. */
#define NAME_BYTES 24

static int load(int names_fd, int answer_fd, uint32_t size)
{
	const struct bpf_insn insns[] = {
		BPF_LD_MAP_VALUE(BPF_REG_1, names_fd, 0),
		BPF_MOV64_IMM(BPF_REG_2, (int)size),
		BPF_MOV64_IMM(BPF_REG_3, 0),
		BPF_LD_MAP_VALUE(BPF_REG_4, answer_fd, 0),
		BPF_EMIT_CALL(BPF_FUNC_kallsyms_lookup_name),
		BPF_EXIT_INSN(),
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);

	return bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "tprof_symbol", "GPL", insns, ARRAY_SIZE(insns), &opts);
}

/* The verifier requires a name in a frozen map. */
static int make_name(const char *name)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_RDONLY_PROG);
	char bytes[NAME_BYTES] = "";
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "tprof_symbol", sizeof(__u32), sizeof(bytes), 1, &opts);
	const __u32 zero = 0;
	int err;

	if (fd < 0)
		return fd;
	strncpy(bytes, name, sizeof(bytes) - 1);
	err = bpf_map_update_elem(fd, &zero, bytes, BPF_ANY);
	if (!err)
		err = bpf_map_freeze(fd);
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int run(int program_fd, int answer_fd, uint64_t *address)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	const __u32 zero = 0;
	int err = bpf_prog_test_run_opts(program_fd, &opts);

	if (!err && (int)opts.retval < 0)
		err = (int)opts.retval;
	return err ? err : bpf_map_lookup_elem(answer_fd, &zero, address);
}

static int look_up(const char *name, uint64_t *address)
{
	int name_fd = make_name(name), answer_fd = -1, program_fd = -1, err;

	err = name_fd < 0 ? name_fd : 0;
	if (!err) {
		answer_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "tprof_symbol", sizeof(__u32), sizeof(*address), 1,
					   NULL);
		err = answer_fd < 0 ? answer_fd : 0;
	}
	if (!err) {
		program_fd = load(name_fd, answer_fd, (uint32_t)strlen(name) + 1);
		err = program_fd < 0 ? program_fd : 0;
	}
	if (!err)
		err = run(program_fd, answer_fd, address);
	if (program_fd >= 0)
		close(program_fd);
	if (answer_fd >= 0)
		close(answer_fd);
	if (name_fd >= 0)
		close(name_fd);
	return err;
}

int kernel_symbol_find(uint64_t *address, const char *name)
{
	struct libbpf_log said;
	int err;

	/* A kernel that does not tell is no error, so libbpf's messages are dropped. */
	libbpf_log_begin(&said, NULL);
	err = look_up(name, address);
	libbpf_log_end(&said);
	return err;
}

int sched_text_find(uint64_t *start, uint64_t *end)
{
	int err = kernel_symbol_find(start, "__sched_text_start");

	if (!err)
		err = kernel_symbol_find(end, "__sched_text_end");
	if (err)
		*start = *end = 0;
	return err;
}
