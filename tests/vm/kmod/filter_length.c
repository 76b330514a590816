// SPDX-License-Identifier: GPL-2.0-only
/*
 * One call of a filter cannot take as long as its author likes: the kernel refuses programs with loops that the
 * verifier does not walk to their end (bpf_loop, may_goto), with functions that it walks only once, and with too many
 * calls of helpers; and a call can walk stacks sixteen times.
 *
 * vm: machines=x86-64
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"
#include "probe.h"

#define MAX_CALLS	8192
#define MAX_WALKS	16
#define LENGTH(array)	(sizeof(array) / sizeof((array)[0]))

/* The offset of BPF_JCOND, which the headers of the host may not have; it jumps after millions of rounds. */
#define MAY_GOTO(to)	{ .code = BPF_JMP | 0xe0, .off = (to) }
#define JUMP(to)	{ .code = BPF_JMP | BPF_JA, .off = (to) }
#define SET(reg, to)	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (reg), .imm = (to) }
#define COPY(to, from)	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from) }
#define HELPER(id)	{ .code = BPF_JMP | BPF_CALL, .imm = (id) }

static struct filter_btf btf;
static char said[16384];

/* Types for a program of two functions without arguments: an int, their prototype, and the functions. */
struct function_types {
	struct btf_header header;
	struct { struct btf_type type; uint32_t encoding; } number;
	struct btf_type prototype, functions[2];
	char strings[12];
};

static int load_types(unsigned int linkage)
{
	static struct function_types types = {
		.header = {
			.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(struct btf_header),
			.type_len = offsetof(struct function_types, strings) - sizeof(struct btf_header),
			.str_off = offsetof(struct function_types, strings) - sizeof(struct btf_header),
			.str_len = sizeof(types.strings),
		},
		.number = { { .name_off = 1, .info = BTF_KIND_INT << 24, .size = 4 }, BTF_INT_SIGNED << 24 | 32 },
		.prototype = { .info = BTF_KIND_FUNC_PROTO << 24, .type = 1 },
		.strings = "\0int\0a\0b",
	};
	union bpf_attr attr = { .btf = (uintptr_t)&types, .btf_size = sizeof(types) };
	int fd;

	types.functions[0] = (struct btf_type){ .name_off = 5, .info = BTF_KIND_FUNC << 24 | BTF_FUNC_GLOBAL,
						.type = 2 };
	types.functions[1] = (struct btf_type){ .name_off = 7, .info = BTF_KIND_FUNC << 24 | linkage, .type = 2 };
	fd = (int)filter_bpf(BPF_BTF_LOAD, &attr, sizeof(attr));
	need(fd >= 0, "the types of two functions");
	return fd;
}

/* Loads a program, which may have a second function at an instruction. Returns 0 or errno; sets said. */
static int load(const struct bpf_insn *insns, uint32_t nr, int types, uint32_t second)
{
	const struct bpf_func_info functions[] = { { 0, 3 }, { second, 4 } };
	const int fds[] = { -1, btf.fd };
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_STRUCT_OPS, .insn_cnt = nr, .insns = (uintptr_t)insns,
		.license = (uintptr_t)"GPL", .fd_array = (uintptr_t)fds, .attach_btf_id = btf.ops_id,
		.attach_btf_obj_fd = (uint32_t)btf.fd, .log_level = 4, .log_size = sizeof(said),
		.log_buf = (uintptr_t)said,
	};
	int fd;

	said[0] = '\0';
	if (types >= 0) {
		attr.prog_btf_fd = (uint32_t)types;
		attr.func_info = (uintptr_t)functions;
		attr.func_info_cnt = 2;
		attr.func_info_rec_size = sizeof(functions[0]);
	}
	fd = (int)filter_bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* A callback that a helper calls very often; the second function of the program. */
static void loops_of_helpers(void)
{
	const struct bpf_insn insns[] = {
		SET(BPF_REG_1, 1 << 23),
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_2, .src_reg = BPF_PSEUDO_FUNC, .imm = 6 },
		{ .imm = 0 },
		SET(BPF_REG_3, 0), SET(BPF_REG_4, 0), HELPER(BPF_FUNC_loop), ANSWER(TPROF_DONE), ANSWER(0),
	};
	int types = load_types(BTF_FUNC_STATIC);

	is(load(insns, LENGTH(insns), types, 8), EINVAL, "bpf_loop() is refused");
	check(strstr(said, "cannot use helper bpf_loop") != NULL, "and named");
	close(types);
}

static void loops_of_the_kernel(void)
{
	const struct bpf_insn insns[] = { MAY_GOTO(1), JUMP(-2), ANSWER(TPROF_DONE) };

	is(load(insns, LENGTH(insns), -1, 0), EACCES, "a loop of may_goto is refused");
	check(strstr(said, "attach to unsupported member") != NULL, "by the module");
}

static void functions(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 2 }, ANSWER(TPROF_DONE), ANSWER(0),
	};
	int types = load_types(BTF_FUNC_GLOBAL);

	is(load(insns, LENGTH(insns), types, 3), EACCES, "a function that is not static is refused");
	check(strstr(said, "attach to unsupported member") != NULL, "by the module");
	close(types);
	types = load_types(BTF_FUNC_STATIC);
	is(load(insns, LENGTH(insns), types, 3), 0, "one that is static is not");
	close(types);
}

static void calls(void)
{
	const struct bpf_insn fewer[] = { READ_CLOCK(MAX_CALLS), ANSWER(TPROF_DONE) };
	const struct bpf_insn more[] = { READ_CLOCK(MAX_CALLS + 1), ANSWER(TPROF_DONE) };

	is(load(fewer, LENGTH(fewer), -1, 0), 0, "%d calls of helpers are permitted", MAX_CALLS);
	is(load(more, LENGTH(more), -1, 0), EINVAL, "one more is refused");
	check(strstr(said, "not allowed") != NULL, "for the call");
	is(load(fewer, LENGTH(fewer), -1, 0), 0, "the next program has as many again");
}

/* Walks the stack of each sample many times, and counts the walks that find one. */
static void walks(void)
{
	const int found = new_counter();
	const struct bpf_insn insns[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1 },
		SET(BPF_REG_7, 4 * MAX_WALKS),
		COPY(BPF_REG_1, BPF_REG_6), COPY(BPF_REG_2, BPF_REG_10),
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -64 },
		SET(BPF_REG_3, 64), CALL_WALK_USER,
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = 4, .imm = 0 },
		ADDRESS_OF_COUNTER(BPF_REG_1, found), SET(BPF_REG_2, 1),
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_2, .imm = BPF_ADD },
		{ .code = BPF_ALU64 | BPF_SUB | BPF_K, .dst_reg = BPF_REG_7, .imm = 1 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_7, .off = -12 },
		ANSWER(TPROF_DONE),
	};
	int session = create_session(open_device()), link;
	struct tprof_filter_info info;
	struct tprof_ledger_read ledger;

	need(session >= 0 && add_timer(session, MS) == 0, "a session");
	sample_me(session);
	link = attach_filter(session, "walks", 0, insns, LENGTH(insns));
	need(link >= 0 && ioctl(session, TPROF_IOC_START) == 0, "with a filter that walks many times");
	burn(300 * MS);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	info = read_filter_info(session, 0);
	ledger = read_ledger(session, -1);
	check(info.calls > 0, "it is called");
	is(read_counter(found), MAX_WALKS * info.calls, "each call finds a stack %d times", MAX_WALKS);
	check(closes(&ledger), "the ledger closes");
	close(link);
	close(session);
	close(found);
}

int main(void)
{
	open_device();
	btf = filter_find_types();
	loops_of_helpers();
	loops_of_the_kernel();
	functions();
	calls();
	walks();
	return done_testing();
}
