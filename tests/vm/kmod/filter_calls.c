// SPDX-License-Identifier: GPL-2.0-only
/*
 * The helpers that filters may call are those of the list here, which docs/filters.md has too: a program that calls any
 * other one is refused for that reason, and one that calls a helper of the list is not. Functions of the kernel are
 * refused.
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"

#define NR_HELPERS 240		/* more than there are */

static const char *const allowed[] = {
	"map_lookup_elem", "map_update_elem", "map_delete_elem", "map_lookup_percpu_elem", "map_push_elem",
	"map_pop_elem", "map_peek_elem", "per_cpu_ptr", "this_cpu_ptr", "ringbuf_output", "ringbuf_reserve",
	"ringbuf_submit", "ringbuf_discard", "ringbuf_query", "ringbuf_reserve_dynptr", "ringbuf_submit_dynptr",
	"ringbuf_discard_dynptr", "dynptr_from_mem", "dynptr_read", "dynptr_write", "dynptr_data", "ktime_get_ns",
	"ktime_get_boot_ns", "ktime_get_tai_ns", "jiffies64", "get_smp_processor_id", "get_numa_node_id",
	"get_prandom_u32", "get_current_pid_tgid", "get_ns_current_pid_tgid",
	"get_current_task", "get_current_task_btf", "task_pt_regs", "get_current_cgroup_id",
	"get_current_ancestor_cgroup_id", "probe_read_user", "probe_read_user_str",
	"probe_read_kernel", "probe_read_kernel_str", "strncmp", "strtol", "strtoul",
};

#define NR_ALLOWED (sizeof(allowed) / sizeof(allowed[0]))

static struct filter_btf btf;
static char log_text[4096];

/* Loads a program that only makes this call, and returns what the verifier says. */
static const char *load(struct bpf_insn call)
{
	const struct bpf_insn insns[] = { call, ANSWER(TPROF_DONE) };
	const int fds[] = { -1, btf.fd };
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_STRUCT_OPS, .insn_cnt = 3, .insns = (uintptr_t)insns,
		.license = (uintptr_t)"GPL", .fd_array = (uintptr_t)fds, .attach_btf_id = btf.ops_id,
		.attach_btf_obj_fd = (uint32_t)btf.fd, .log_level = 1, .log_size = sizeof(log_text),
		.log_buf = (uintptr_t)log_text,
	};
	int fd;

	log_text[0] = '\0';
	fd = (int)filter_bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd >= 0)
		close(fd);
	return fd >= 0 ? "" : log_text;
}

/* The name of the helper in "12: (85) call bpf_NAME#34", or NULL. */
static const char *name_in(const char *text)
{
	static char name[64];
	const char *call = strstr(text, "call bpf_");
	size_t length;

	if (!call)
		return NULL;
	call += strlen("call bpf_");
	length = strcspn(call, "#");
	snprintf(name, sizeof(name), "%.*s", (int)length, call);
	return name;
}

static int find(const char *name)
{
	for (size_t i = 0; i < NR_ALLOWED; i++) {
		if (strcmp(allowed[i], name) == 0)
			return (int)i;
	}
	return -1;
}

static void helpers(void)
{
	unsigned int refused = 0, accepted = 0;

	for (int id = 1; id < NR_HELPERS; id++) {
		const char *said = load((struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = id }), *name;
		bool refuses = strstr(said, "cannot use helper") || strstr(said, "unknown func") ||
			       strstr(said, "invalid func");

		name = name_in(said);
		if (!name || refuses == (find(name) < 0)) {
			refused += refuses;
			accepted += !refuses;
			continue;
		}
		check(false, "helper %d, %s: %s", id, name, refuses ? "is refused" : "is not refused");
		diag("%s", said);
	}
	check(refused > 100, "%u helpers are refused", refused);
	is(accepted, NR_ALLOWED, "those of the list are not");
}

static void functions(void)
{
	struct bpf_insn call = { .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL };

	call.imm = (int32_t)filter_kernel_function("bpf_rcu_read_lock");
	check(strstr(load(call), "attach to unsupported member") != NULL, "a function of the kernel is refused");
	call.off = 1;
	call.imm = (int32_t)btf.walk_ids[0];
	check(strstr(load(call), "attach to unsupported member") == NULL && log_text[0],
	      "a function of the module is not; its arguments are");
}

int main(void)
{
	open_device();
	btf = filter_find_types();
	helpers();
	functions();
	return done_testing();
}
