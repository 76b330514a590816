// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* What an engine says to a filter, without running it. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "verifier.h"

/* Names of the helpers by number, from the kernel's own list. */
#define HELPER_NAME(name) "bpf_" #name
static const char *const helper_names[] = { __BPF_FUNC_MAPPER(HELPER_NAME) };
#define NR_HELPERS (sizeof(helper_names) / sizeof(helper_names[0]))

static char *list_helpers(const struct bpf_program *program)
{
	const struct bpf_insn *insns = bpf_program__insns(program);
	size_t nr = bpf_program__insn_cnt(program), size = 0;
	bool used[NR_HELPERS] = { false };
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		if (insns[i].code == (BPF_JMP | BPF_CALL) && insns[i].src_reg == 0 && insns[i].imm > 0 &&
		    (size_t)insns[i].imm < NR_HELPERS)
			used[insns[i].imm] = true;
	}
	for (size_t i = 0; i < NR_HELPERS; i++) {
		if (used[i])
			fprintf(out, "%s%s", ftell(out) > 0 ? " " : "", helper_names[i]);
	}
	return fclose(out) == 0 ? text : NULL;
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

static int check_perf(struct tprof_filter *filter, struct tprof_check *check)
{
	const struct tprof_object everything = { 0 };
	char log[4096] = "";
	int err;

	for (size_t i = 0; i < filter->nr_entries; i++)
		bpf_program__set_log_level(filter->entries[i].program, 1 | 4 /* BPF_LOG_LEVEL1 | BPF_LOG_STATS */);
	err = filter_load(filter, TPROF_OBJECT_PERF, &everything, NULL, &filter->error);
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

static int check_kmod(const struct tprof_filter *filter, struct tprof_error *error)
{
	error_set(error, EOPNOTSUPP, "filter %s: the module is not loaded, so it cannot be asked",
		  tprof_filter__name(filter));
	return -EOPNOTSUPP;
}

static int describe(struct tprof_filter *filter, const struct bpf_program *program, struct tprof_check *check)
{
	free(filter->check_helpers);
	filter->check_helpers = list_helpers(program);
	check->instructions = (uint32_t)bpf_program__insn_cnt(program);
	check->helpers = filter->check_helpers ? filter->check_helpers : "";
	return 0;
}

static int describe_kmod(struct tprof_filter *filter, struct tprof_check *check)
{
	struct bpf_object *whole = filter_open_whole(filter->path, &filter->error);
	const struct bpf_program *program;

	if (!whole)
		return -errno;
	program = bpf_object__find_program_by_name(whole, filter->kmod_name);
	if (program)
		describe(filter, program, check);
	bpf_object__close(whole);
	return program ? 0 : error_set(&filter->error, ENOEXEC, "%s: has changed", filter->path);
}

int tprof_filter__check(struct tprof_filter *filter, const char *engine, struct tprof_check *check)
{
	int err;

	check->verified = 0;
	check->log = "";
	if (strcmp(engine, "perf") == 0) {
		check->program = bpf_program__name(filter->entries[0].program);
		describe(filter, filter->entries[0].program, check);
		return check_perf(filter, check);
	}
	if (strcmp(engine, "kmod") != 0)
		return error_set(&filter->error, EINVAL, "engine %s: there is none of this name", engine);
	snprintf(filter->kmod_name, sizeof(filter->kmod_name), "%s%s", filter->entries[0].name, TPROF_KMOD_SUFFIX);
	check->program = filter->kmod_name;
	err = describe_kmod(filter, check);
	return err ? err : check_kmod(filter, &filter->error);
}
