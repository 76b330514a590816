// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Loads filter objects into the kernel, and explains why the kernel rejected one. */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf_perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/libbpf_log.h"
#include "filter.h"
#include "filter_cast.h"
#include "host/kernel_types.h"
#include "host/probe.h"
#include "host/proc.h"
#include "verifier.h"

/* The verifier stops writing when this is full, and the end of the log matters most. */
#define VERIFIER_LOG_BYTES (4 << 20)
/* BPF_LOG_LEVEL1 and BPF_LOG_STATS, which are not in the kernel's user space headers. */
#define LOG_LEVEL1 1
#define LOG_STATISTICS 4

#if defined(__x86_64__)
_Static_assert(offsetof(struct bpf_perf_event_data, regs.rip) == TPROF_X86_64_IP, "ip");
_Static_assert(offsetof(struct bpf_perf_event_data, sample_period) == TPROF_X86_64_REGS, "registers");
_Static_assert(sizeof(bpf_user_pt_regs_t) == TPROF_X86_64_WORDS * 8, "words");
_Static_assert(offsetof(bpf_user_pt_regs_t, rsp) == TPROF_X86_64_SP * 8, "sp");
_Static_assert(offsetof(bpf_user_pt_regs_t, cs) == TPROF_X86_64_CS * 8, "cs");
#elif defined(__aarch64__)
_Static_assert(offsetof(struct bpf_perf_event_data, regs.pc) == TPROF_AARCH64_IP, "ip");
_Static_assert(offsetof(struct bpf_perf_event_data, sample_period) == TPROF_AARCH64_REGS, "registers");
_Static_assert(sizeof(bpf_user_pt_regs_t) == TPROF_AARCH64_WORDS * 8, "words");
_Static_assert(offsetof(bpf_user_pt_regs_t, sp) == TPROF_AARCH64_SP * 8, "sp");
_Static_assert(offsetof(bpf_user_pt_regs_t, pstate) == TPROF_AARCH64_PSTATE * 8, "pstate");
#endif
_Static_assert(offsetof(struct bpf_perf_event_data, addr) ==
	       offsetof(struct bpf_perf_event_data, sample_period) + 8, "address");

/*
 * Frames per stack that the kernel's helper collects: the limit that the administrator set for perf, or our capacity.
 */
static uint32_t helper_frames(void)
{
	struct proc_text text = { 0 };
	unsigned long frames = 0;

	if (!proc_read(&text, "sys/kernel/perf_event_max_stack"))
		frames = strtoul(text.text, NULL, 10);
	proc_text_fini(&text);
	if (!frames)
		return TPROF_STACK_FRAMES;
	return frames < TPROF_STACK_MAX_FRAMES ? (uint32_t)frames : TPROF_STACK_MAX_FRAMES;
}

/* Only programs that are compiled for the processor can call functions of the kernel. */
static bool are_compiled(void)
{
	struct proc_text text = { 0 };
	bool off = !proc_read(&text, "sys/net/core/bpf_jit_enable") && text.text[0] == '0';

	proc_text_fini(&text);
	return !off;
}

static int set_constants(struct tprof_filter *filter, const struct tprof_object *scope, struct tprof_error *error)
{
	struct tprof_object constants = *scope;
	struct kernel_types types;
	int err = kernel_types_read(&types);

	if (err == -EMFILE) {
		error_set(error, EMFILE, "the kernel's BTF cannot be read: %s", strerror(EMFILE));
		error_hint_files(error, EMFILE);
		return err;
	}
	if (err && probe_explain(error))
		return -EOPNOTSUPP;
	if (err)
		return error_set(error, EOPNOTSUPP, "the kernel's BTF cannot be read: %s", strerror(-err));

	constants.abi = filter->constants->abi;
	constants.size = filter->constants->size;
	constants.layout = filter->constants->layout;
	constants.stack_frames = filter->constants->stack_frames;
	constants.stack_helper_frames = helper_frames();
	constants.engine = TPROF_OBJECT_PERF;
	constants.machine = FILTER_MACHINE;
	constants.task_mm = types.task_mm;
	constants.task_tgid = types.task_tgid;
	constants.task_pid = types.task_pid;
	constants.task_comm = types.task_comm;
	constants.task_real_parent = types.task_real_parent;
	constants.mm_start_code = types.mm_start_code;
	constants.preempt_count = types.preempt_count;
	constants.nr_cpus = (uint32_t)libbpf_num_possible_cpus();
	if (!are_compiled())
		types.cast_function = 0;
	constants.can_cast = types.cast_function != 0;
	*filter->constants = constants;
	err = filter_cast_object(filter->object, &types);
	if (err)
		return error_set(error, -err, "filter %s: not enough memory", tprof_filter__name(filter));
	/* The verifier removes the code that uses it. */
	if (!(scope->scope & TPROF_SCOPE_CGROUPS))
		bpf_map__set_autocreate(filter_map(filter, TPROF_CGROUPS_NAME), false);
	if (!(scope->scope & TPROF_SCOPE_TASKS))
		bpf_map__set_max_entries(filter_map(filter, TPROF_SCOPE_NAME), 1);
	return 0;
}

/* All programs share the log, because the first that is refused ends the loading. */
static int prepare_log(struct tprof_filter *filter)
{
	struct bpf_program *program;

	filter->verifier_log = malloc(VERIFIER_LOG_BYTES);
	if (!filter->verifier_log)
		return -ENOMEM;
	filter->verifier_log[0] = '\0';
	bpf_object__for_each_program(program, filter->object)
		bpf_program__set_log_buf(program, filter->verifier_log, VERIFIER_LOG_BYTES);
	for (size_t i = 0; i < filter->nr_entries && filter->verifier_statistics; i++)
		bpf_program__set_log_level(filter->entries[i].program, LOG_LEVEL1 | LOG_STATISTICS);
	return 0;
}

static int explain_map(const struct tprof_filter *filter, const char *said, int err, struct tprof_error *error)
{
	const char *name = said + strlen("map '");
	int length = (int)strcspn(name, "'");

	for (size_t i = 0; i < filter->nr_tables; i++) {
		const struct table *table = &filter->tables[i];

		if (strncmp(name, table->name, strlen(table->name)) != 0)
			continue;
		error_set(error, err, "filter %s: table %s with %u entries is too large for the kernel: %s",
			  tprof_filter__name(filter), table->name, table_max_entries(table), strerror(err));
		error_hint(error, "make it smaller in TPROF_TABLE(), or with --table-entries");
		return -err;
	}
	return error_set(error, err, "filter %s: map %.*s cannot be created: %s", tprof_filter__name(filter), length,
			 name, strerror(err));
}

static int explain_failure(struct tprof_filter *filter, const struct libbpf_log *said, int err,
			   struct tprof_error *error)
{
	const char *reason;

	if (filter->verifier_log[0]) {
		reason = verifier_explain(filter->verifier_log);
		error_set(error, EINVAL, "filter %s: the kernel's verifier refused it%s%s", tprof_filter__name(filter),
			  reason ? ": " : "", reason ? reason : "");
		error_hint(error, "tprof filter check %s", filter->path);
		return -EINVAL;
	}
	if (probe_explain(error))
		return err == EPERM || err == EACCES ? -EPERM : -EOPNOTSUPP;
	if (said->map[0])
		return explain_map(filter, said->map, err, error);
	return error_set(error, err, "filter %s: cannot be loaded: %s", tprof_filter__name(filter),
			 said->warning[0] && err != ENOMEM ? said->warning : strerror(err));
}

int filter_load_object(struct tprof_filter *filter, const struct log *log, struct tprof_error *error)
{
	struct libbpf_log said;
	int err;

	if (prepare_log(filter))
		return error_set(error, ENOMEM, "filter %s: not enough memory", tprof_filter__name(filter));
	filter->nr_slots = (size_t)libbpf_num_possible_cpus() + 1;
	bpf_map__set_max_entries(filter_map(filter, TPROF_LEDGER_NAME), (uint32_t)filter->nr_slots);
	bpf_map__set_autocreate(filter_map(filter, TPROF_SCRATCH_NAME),
				filter->stacks || filter->wait_stacks || filter->for_wakeups);
	libbpf_log_begin(&said, log);
	err = bpf_object__load(filter->object);
	libbpf_log_end(&said);
	filter->loaded = true;
	filter->constants = NULL;
	filter->rodata = NULL;
	if (err)
		return explain_failure(filter, &said, -err, error);
	for (size_t i = 0; i < filter->nr_tables; i++)
		table_prepare(&filter->tables[i]);
	return 0;
}

int filter_load_perf(struct tprof_filter *filter, const struct tprof_object *scope, const struct log *log,
		     struct tprof_error *error)
{
	int err;

	if (filter->loaded)
		return error_set(error, EBUSY, "filter %s: is loaded already", tprof_filter__name(filter));
	filter->whole_samples = true;
	err = set_constants(filter, scope, error);
	if (!err)
		err = filter_choose_waits(filter, error);
	if (!err)
		err = filter_choose_owners(filter, error);
	return err ? err : filter_load_object(filter, log, error);
}

struct bpf_map *filter_map(const struct tprof_filter *filter, const char *name)
{
	return bpf_object__find_map_by_name(filter->object, name);
}

int filter_map_fd(const struct tprof_filter *filter, const char *name)
{
	return bpf_map__fd(filter_map(filter, name));
}
