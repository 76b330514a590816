// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Checks whether an engine accepts a filter, without running it. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "base/text_stream.h"
#include "engine.h"
#include "filter/filter.h"
#include "filter/verifier.h"

/* Names of the BPF helpers by number, from the kernel's list. */
#define HELPER_NAME(name) "bpf_" #name
static const char *const helper_names[] = { __BPF_FUNC_MAPPER(HELPER_NAME) };
#define NR_HELPERS (sizeof(helper_names) / sizeof(helper_names[0]))

static char *list_helpers(const struct bpf_program *program)
{
	const struct bpf_insn *insns = bpf_program__insns(program);
	size_t nr = bpf_program__insn_cnt(program);
	bool used[NR_HELPERS] = { false };
	struct text_stream text = { 0 };
	const char *separator = "";
	FILE *out = text_stream_begin(&text);

	if (!out)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		if (insns[i].code == (BPF_JMP | BPF_CALL) && insns[i].src_reg == 0 && insns[i].imm > 0 &&
		    (size_t)insns[i].imm < NR_HELPERS)
			used[insns[i].imm] = true;
	}
	for (size_t i = 0; i < NR_HELPERS; i++) {
		if (!used[i])
			continue;
		fprintf(out, "%s%s", separator, helper_names[i]);
		separator = " ";
	}
	return text_stream_take(&text);
}

/* "processed 1234 insns (limit ...", the last line of the verifier's log. */
static uint32_t verified_instructions(const char *log)
{
	static const char word[] = "processed ";
	const char *at = NULL;

	for (const char *next = strstr(log, word); next; next = strstr(next + 1, word))
		at = next;
	return at ? (uint32_t)strtoul(at + strlen(word), NULL, 10) : 0;
}

static void describe(struct tprof_filter *filter, struct tprof_check *check)
{
	const struct bpf_program *program = filter->entries[0].program;

	free(filter->check_helpers);
	filter->check_helpers = list_helpers(program);
	check->program = bpf_program__name(program);
	check->instructions = (uint32_t)bpf_program__insn_cnt(program);
	check->helpers = filter->check_helpers ? filter->check_helpers : "";
}

/* Evaluates the verifier's log, whether it accepted the filter or not. */
static int judge(struct tprof_filter *filter, struct tprof_check *check, int err)
{
	char log[4096] = "";

	if (err == 0) {
		check->verified = verified_instructions(filter->verifier_log);
		return 0;
	}
	if (filter->verifier_log && filter->verifier_log[0])
		verifier_trim(filter->verifier_log, log, sizeof(log));
	free(filter->check_log);
	filter->check_log = strdup(log);
	check->log = filter->check_log ? filter->check_log : "";
	return err;
}

static int check_perf(struct tprof_filter *filter, struct tprof_check *check)
{
	/* The author's code for waits is verified, too, and that for samples in the programs of waits. */
	const struct tprof_object everything = {
		.wait_event = filter_has_offcpu(filter), .run_event = filter_has_offcpu(filter),
		.wake_event = filter_has_wakeup(filter),
	};

	describe(filter, check);
	return judge(filter, check, filter_load_perf(filter, &everything, NULL, &filter->error));
}

/* The program can be described without the module, but not verified. */
static int check_kmod(struct tprof_filter *filter, struct tprof_check *check)
{
	/* The author's code for waits and wake-ups is verified, too. */
	struct tprof_object everything = {
		.nr_events = 1, .wait_event = filter_has_offcpu(filter), .wake_event = filter_has_wakeup(filter),
	};
	int err;

	if (filter_check_kmod_waits(filter, &everything, NULL))
		everything.wait_event = everything.wake_event = 0;
	err = filter_use_kmod(filter, &everything, &filter->error);

	if (err)
		return err;
	describe(filter, check);
	err = engine_kmod.usable(NULL);
	if (err == -ENODEV)
		return error_set(&filter->error, EOPNOTSUPP, "filter %s: the module is not loaded",
				 tprof_filter__name(filter));
	if (err) {
		engine_kmod.usable(&filter->error);
		return err;
	}
	return judge(filter, check, filter_load_kmod(filter, -1, &everything, NULL, &filter->error));
}

static int check_for(struct tprof_filter *filter, const char *engine, struct tprof_check *check)
{
	if (filter->loaded)
		return error_set(&filter->error, EBUSY, "filter %s: is loaded already", tprof_filter__name(filter));
	filter->verifier_statistics = true;
	if (strcmp(engine, "perf") == 0)
		return check_perf(filter, check);
	if (strcmp(engine, "kmod") == 0)
		return check_kmod(filter, check);
	return error_set(&filter->error, EINVAL, "engine %s: there is no such engine", engine);
}

int tprof_filter__check(struct tprof_filter *filter, const char *engine, struct tprof_check *check)
{
	struct tprof_check found = { .helpers = "", .log = "" };
	int err = check_for(filter, engine, &found);
	int given = sized_error(err ? NULL : &filter->error, sized_give(check, &found, sizeof(found)), "check");

	return err ? err : given;
}
