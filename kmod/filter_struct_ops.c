// SPDX-License-Identifier: GPL-2.0-only
/* Registers struct tprof_filter_ops as a struct_ops type, which BPF programs implement. */
#include <linux/bpf.h>
#include <linux/bpf_verifier.h>
#include <linux/btf.h>
#include <linux/module.h>

#include "filter.h"
#include "filter_calls.h"
#include "filter_struct_ops.h"
#include "trampoline.h"

static bool is_valid_access(int off, int size, enum bpf_access_type type, const struct bpf_prog *prog,
			    struct bpf_insn_access_aux *info)
{
	return bpf_tracing_btf_ctx_access(off, size, type, prog, info);
}

/* Samples, waits and wake-ups are read-only for filters. */
static int refuse_write(struct bpf_verifier_log *log, const struct bpf_reg_state *reg, int off, int size)
{
	bpf_log(log, "a filter cannot write to its sample or wait\n");
	return -EACCES;
}

static const struct bpf_verifier_ops verifier_ops = {
	.get_func_proto = tprof_filter_helper,
	.is_valid_access = is_valid_access,
	.btf_struct_access = refuse_write,
};

static int init(struct btf *btf)
{
	return 0;
}

/* Called before the verifier walks the program. It prints its own message, "attach to unsupported member". */
static int check_member(const struct btf_type *t, const struct btf_member *member, const struct bpf_prog *prog)
{
	if (prog->sleepable)
		return -EINVAL;
	return tprof_filter_program_allowed(prog) ? 0 : -EACCES;
}

/*
 * Returns the program that @from->sample, a file descriptor, names now, or NULL. It may name another program when BPF
 * looks it up, so nothing is known of the program but its address, until the trampoline is seen to run it.
 */
static struct bpf_prog *named_program(const struct tprof_filter_ops *from)
{
	u32 fd = *(const unsigned long *)&from->sample;
	struct bpf_prog *prog = bpf_prog_get_type_dev(fd, BPF_PROG_TYPE_STRUCT_OPS, false);

	if (IS_ERR(prog))
		return NULL;
	bpf_prog_put(prog);
	return prog;
}

/* Returns 1: handled here; 0: left to BPF, which handles programs and requires all other members to be 0. */
static int init_member(const struct btf_type *t, const struct btf_member *member, void *kdata, const void *udata)
{
	const struct tprof_filter_ops *from = udata;
	struct tprof_filter_ops *to = kdata;

	switch (__btf_member_bit_offset(t, member) / 8) {
	case offsetof(struct tprof_filter_ops, name):
		if (strscpy(to->name, from->name, sizeof(to->name)) <= 0)
			return -EINVAL;
		return 1;
	case offsetof(struct tprof_filter_ops, flags):
		to->flags = from->flags;
		return 1;
	case offsetof(struct tprof_filter_ops, session_fd):
		to->session_fd = from->session_fd;
		return 1;
	case offsetof(struct tprof_filter_ops, sample):
		to->prog = named_program(from);
		return 0;
	case offsetof(struct tprof_filter_ops, prog):
		if (from->prog)
			return -EINVAL;
		/* The last member: BPF has looked up the program and made the trampoline. */
		if (!READ_ONCE(tprof_direct_calls) || !tprof_trampoline_runs(to->sample, to->prog))
			to->prog = NULL;
		return 1;
	default:
		return 0;
	}
}

static int reg(void *kdata, struct bpf_link *link)
{
	/* Without a link the filter would outlive the process that attached it. */
	return link ? tprof_filter_attach(kdata, link) : -EOPNOTSUPP;
}

static void unreg(void *kdata, struct bpf_link *link)
{
	tprof_filter_detach(link);
}

static int update(void *kdata, void *old_kdata, struct bpf_link *link)
{
	return tprof_filter_replace(kdata, link);
}

/* CFI stubs: kCFI takes the type of the indirect call from them. */
static int sample_stub(const struct tprof_sample *s)
{
	return TPROF_DONE;
}

static int offcpu_stub(const struct tprof_wait *w)
{
	return TPROF_DONE;
}

static int wakeup_stub(const struct tprof_wakeup *w)
{
	return TPROF_DONE;
}

static struct tprof_filter_ops stubs = {
	.sample = sample_stub,
	.offcpu = offcpu_stub,
	.wakeup = wakeup_stub,
};

static struct bpf_struct_ops tprof_struct_ops = {
	.verifier_ops = &verifier_ops,
	.init = init,
	.check_member = check_member,
	.init_member = init_member,
	.reg = reg,
	.unreg = unreg,
	.update = update,
	.cfi_stubs = &stubs,
	.owner = THIS_MODULE,
	.name = "tprof_filter_ops",
};

int tprof_filter_struct_ops_init(void)
{
	return register_bpf_struct_ops(&tprof_struct_ops, tprof_filter_ops);
}
