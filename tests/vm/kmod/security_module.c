// SPDX-License-Identifier: GPL-2.0-only
/*
 * A security module that refuses events of perf refuses sessions. The security module is a BPF program.
 * vm: machines=x86-64,next
 */
#include <linux/perf_event.h>

#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "process.h"

/* Constants of Linux 5.7, which the headers of the host may not have. */
#define PROG_TYPE_LSM	29
#define LSM_MAC		27

/* Refuses all events until the descriptor is closed. */
static int refuse_events(void)
{
	const struct bpf_insn insns[] = { ANSWER(-EACCES) };
	static char log[4096];
	union bpf_attr attr = {
		.prog_type = PROG_TYPE_LSM, .insn_cnt = 2, .insns = (uintptr_t)insns, .license = (uintptr_t)"GPL",
		.expected_attach_type = LSM_MAC, .attach_btf_id = filter_kernel_function("bpf_lsm_perf_event_open"),
		.log_level = 1, .log_size = sizeof(log), .log_buf = (uintptr_t)log,
	};
	int program = (int)filter_bpf(BPF_PROG_LOAD, &attr, sizeof(attr)), link;
	union bpf_attr attach = { .raw_tracepoint = { .prog_fd = (uint32_t)program } };

	if (program < 0)
		diag("%s", log);
	need(program >= 0, "a program for the hook");
	link = (int)filter_bpf(BPF_RAW_TRACEPOINT_OPEN, &attach, sizeof(attach));
	need(link >= 0, "it is attached");
	close(program);
	return link;
}

static int open_event(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .disabled = 1 };

	return (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
}

int main(void)
{
	int device = open_device(), before = create_session(device), refused, after;

	check(before >= 0, "a session is created");
	refused = refuse_events();
	refuses(open_event(), EACCES, "the hook refuses an event of perf");
	refuses(create_session(device), EACCES, "and a session");
	is(add_timer(before, 1 * MS), 0, "an older session can be used");
	close(refused);
	after = create_session(device);
	check(after >= 0, "without the hook, a session is created again");
	close(before);
	close(after);
	return done_testing();
}
