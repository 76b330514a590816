// SPDX-License-Identifier: GPL-2.0-only
/* Shortening of verifier logs. The logs are excerpts from Linux 6.18 and 6.1, for small bad filters. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "filter/verifier.h"

static const char null_log[] =
	"arg#0 reference type('UNKNOWN ') size cannot be determined: -22\n"
	"0: R1=ctx() R10=fp0\n"
	"; TPROF_FILTER(nul, s) @ null.bpf.c:3\n"
	"0: (bf) r6 = r1                       ; R1=ctx() R6=ctx()\n"
	"; __u32 k = s->cpu; @ null.bpf.c:5\n"
	"272: (63) *(u32 *)(r10 -8) = r1       ; R1=0 R10=fp0 fp-8=????0\n"
	";  @ null.bpf.c:0\n"
	"274: (07) r2 += -8                    ; R2=fp-8\n"
	"; __u64 *v = bpf_map_lookup_elem(&m, &k); @ null.bpf.c:6\n"
	"275: (18) r1 = 0xffff8881043f0000     ; R1=map_ptr(map=m,ks=4,vs=8)\n"
	"277: (85) call bpf_map_lookup_elem#1          ; R0=map_value_or_null(id=13,map=m,ks=4,vs=8)\n"
	"; *v += 1; @ null.bpf.c:7\n"
	"278: (79) r1 = *(u64 *)(r0 +0)\n"
	"R0 invalid mem access 'map_value_or_null'\n"
	"processed 151 insns (limit 1000000) max_states_per_insn 0 total_states 12 peak_states 12 mark_read 0\n";

static const char loop_log[] =
	"; TPROF_FILTER(inf, s) @ inf.bpf.c:3\n"
	"270: (15) if r8 == 0x0 goto pc+1      ; R8=map_value(map=tprof_ledger,ks=4,vs=288)\n"
	"; for (;;) @ inf.bpf.c:5\n"
	"271: (05) goto pc-1\n"
	"infinite loop detected at insn 271\n"
	"cur state: R0=scalar() R1=scalar() R6=map_value(map=tprof_ledger,ks=4,vs=288,off=280)\n"
	"old state: R0=scalar() R1=scalar() R6=map_value(map=tprof_ledger,ks=4,vs=288,off=280)\n"
	"processed 146 insns (limit 1000000) max_states_per_insn 0 total_states 12 peak_states 12 mark_read 0\n";

/* Begins in the middle of a line, like a log of the kernel that is larger than its buffer. */
static const char large_log[] =
	"8)       ; R2=0x26e11 R10=fp0 fp-8=mmmm0x26e11\n"
	"; while (i < 0xffffffff) @ loop.bpf.c:5\n"
	"281: (5d) if r2 != r1 goto pc-5       ; R1=0xffffffff R2=0x30d22\n"
	"; i = i + 1; @ loop.bpf.c:6\n"
	"277: (61) r2 = *(u32 *)(r10 -8)\n"
	"BPF program is too large. Processed 1000001 insn\n"
	"processed 1000001 insns (limit 1000000) max_states_per_insn 4 total_states 14297 peak_states 14297 "
	"mark_read 0\n";

/* The last instruction that may be verified is a jump, after which the kernel ends no line. */
static const char large_jump_log[] =
	"; while (i < 0xffffffff) @ loop.bpf.c:5\n"
	"281: (55) if r2 != 0x1 goto pc-5 BPF program is too large. Processed 1000001 insn\n"
	"processed 1000001 insns (limit 1000000) max_states_per_insn 4 total_states 14297 peak_states 14297 "
	"mark_read 0\n";

static const char libbpf_log[] =
	"libbpf: prog 'gpl_perf': BPF program load failed: Invalid argument\n"
	"libbpf: prog 'gpl_perf': -- BEGIN PROG LOAD LOG --\n"
	"0: R1=ctx(off=0,imm=0) R10=fp0\n"
	"; __u64 id = bpf_get_current_pid_tgid();\n"
	"57: (85) call bpf_get_current_pid_tgid#14     ; R0_w=scalar()\n"
	"; task = (void *)bpf_get_current_task();\n"
	"59: (85) call bpf_get_current_task#35\n"
	"cannot call GPL-restricted function from non-GPL compatible program\n"
	"processed 54 insns (limit 1000000) max_states_per_insn 0 total_states 4 peak_states 4 mark_read 0\n"
	"-- END PROG LOAD LOG --\n"
	"libbpf: prog 'gpl_perf': failed to load: -22\n";

static void assert_trims(const char *log, const char *expected)
{
	char out[2048];

	verifier_trim(log, out, sizeof(out));
	assert_string_equal(out, expected);
}

static void test_trim_missing_check(void **state)
{
	(void)state;
	assert_trims(null_log,
		     "; __u32 k = s->cpu; @ null.bpf.c:5\n"
		     "; __u64 *v = bpf_map_lookup_elem(&m, &k); @ null.bpf.c:6\n"
		     "; *v += 1; @ null.bpf.c:7\n"
		     "278: (79) r1 = *(u64 *)(r0 +0)\n"
		     "R0 invalid mem access 'map_value_or_null'\n");
}

static void test_trim_loops(void **state)
{
	(void)state;
	assert_trims(loop_log,
		     "; TPROF_FILTER(inf, s) @ inf.bpf.c:3\n"
		     "; for (;;) @ inf.bpf.c:5\n"
		     "271: (05) goto pc-1\n"
		     "infinite loop detected at insn 271\n");
	assert_trims(large_log,
		     "; while (i < 0xffffffff) @ loop.bpf.c:5\n"
		     "; i = i + 1; @ loop.bpf.c:6\n"
		     "277: (61) r2 = *(u32 *)(r10 -8)\n"
		     "BPF program is too large. Processed 1000001 insn\n");
	assert_trims(large_jump_log,
		     "; while (i < 0xffffffff) @ loop.bpf.c:5\n"
		     "281: (55) if r2 != 0x1 goto pc-5\n"
		     "BPF program is too large. Processed 1000001 insn\n");
}

static void test_trim_older_log(void **state)
{
	(void)state;
	assert_trims(libbpf_log,
		     "; __u64 id = bpf_get_current_pid_tgid();\n"
		     "; task = (void *)bpf_get_current_task();\n"
		     "59: (85) call bpf_get_current_task#35\n"
		     "cannot call GPL-restricted function from non-GPL compatible program\n");
}

static void test_trim_odd_input(void **state)
{
	(void)state;
	assert_trims("", "");
	assert_trims("\n\n", "");
	assert_trims("processed 1 insns\n", "");
	assert_trims("; ", "");
	assert_trims("12", "12\n");
	assert_trims("12:", "12:\n");
	assert_trims("R", "R\n");
	assert_trims("unknown opcode 8f", "unknown opcode 8f\n");
}

static void test_trim_into_a_small_buffer(void **state)
{
	char out[64], tiny[1];

	(void)state;
	verifier_trim(null_log, out, sizeof(out));
	assert_true(strlen(out) < sizeof(out));
	assert_string_equal(out, "; __u32 k = s->cpu; @ null.bpf.c:5\n; *v += 1; @ null.bpf.c:7\n");
	verifier_trim(null_log, tiny, sizeof(tiny));
	assert_string_equal(tiny, "");
}

static void assert_explains(const char *log, const char *word)
{
	const char *text = verifier_explain(log);

	assert_non_null(text);
	if (!strstr(text, word))
		fail_msg("\"%s\" does not speak of %s", text, word);
}

static void test_explain(void **state)
{
	(void)state;
	assert_explains(null_log, "NULL");
	assert_explains(loop_log, "loop");
	assert_explains(large_log, "too many instructions");
	assert_explains(libbpf_log, "TPROF_LICENSE");
	assert_explains("275: (85) call bpf_copy_from_user#148\n"
			"helper call might sleep in a non-sleepable prog\n", "sleep");
	assert_explains("273: (85) call bpf_redirect#23\n"
			"program of this type cannot use helper bpf_redirect#23\n", "may not call");
	assert_explains("attach to unsupported member sample of struct tprof_filter_ops\n", "kernel function");
	assert_explains("9: (85) call bpf_loop#181\nprogram of this type cannot use helper bpf_loop#181\n",
			"use a loop with a bound");
	assert_explains("1: (85) call bpf_ktime_get_ns#5\nhelper call is not allowed in probe\n", "too often");
	assert_explains("273: (85) call bpf_redirect#23\nunknown func bpf_redirect#23\n", "may not call");
	assert_explains("271: (85) call unknown#9999\ninvalid func unknown#9999\n", "does not have");
	assert_explains("272: (79) r1 = *(u64 *)(r1 +0)\nR1 invalid mem access 'scalar'\n", "bpf_probe_read");
	assert_explains("282: (79) r1 = *(u64 *)(r0 +0)\n"
			"R0 unbounded memory access, make sure to bounds check any such access\n", "not bounded");
	assert_explains("279: (71) r1 = *(u8 *)(r6 +0)\n"
			"invalid unbounded variable-offset read from stack R6\n", "not bounded");
	assert_explains("0: (79) r0 = *(u64 *)(r1 +800)\ninvalid bpf_context access off=800 size=8\n", "tprof_sample");
	assert_explains("combined stack size of 2 calls is 544. Too large\n", "512 bytes");
	assert_explains("874: (18) r2 = 0x15c\nmissing btf func_info\n", "memory");
}

static void test_explain_nothing(void **state)
{
	(void)state;
	assert_null(verifier_explain(""));
	assert_null(verifier_explain("something that nobody has seen\n"));
	/* Source lines in the log are not messages of the verifier. */
	assert_null(verifier_explain("; /* may sleep */ @ a.c:1\n1: (95) exit\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trim_missing_check),
		cmocka_unit_test(test_trim_loops),
		cmocka_unit_test(test_trim_older_log),
		cmocka_unit_test(test_trim_odd_input),
		cmocka_unit_test(test_trim_into_a_small_buffer),
		cmocka_unit_test(test_explain),
		cmocka_unit_test(test_explain_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
