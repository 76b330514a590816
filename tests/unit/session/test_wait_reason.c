// SPDX-License-Identifier: GPL-2.0-only
/* The frame of the state of a wait: the state, and the reason by the functions of the kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "session/wait_reason.h"

#define MAX_FRAMES 8

/* @functions: from the leaf, separated by spaces; those of user mode begin with "u:", marks with "[" */
static const char *text_of(enum tprof_state state, const char *functions)
{
	static char words[200];
	struct tprof_frame frames[MAX_FRAMES];
	const struct tprof_frame *list[MAX_FRAMES];
	size_t nr = 0;

	strcpy(words, functions);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
		enum tprof_mode mode = *word == '[' ? TPROF_MODE_UNKNOWN : TPROF_MODE_KERNEL;

		if (strncmp(word, "u:", 2) == 0) {
			mode = TPROF_MODE_USER;
			word += 2;
		}
		frames[nr] = (struct tprof_frame){ .symbol = word, .mode = mode };
		list[nr] = &frames[nr];
		nr++;
	}
	return wait_reason_text(state, list, nr);
}

static void states(void **state)
{
	(void)state;
	assert_null(text_of(TPROF_STATE_RUNNING, "vfs_read"));
	assert_null(text_of(TPROF_STATE_WAKEUP, "pipe_write"));
	assert_null(text_of(TPROF_STATE_UNKNOWN, "pipe_read"));
	assert_null(text_of(TPROF_NR_STATES, "pipe_read"));
	assert_string_equal(text_of(TPROF_STATE_PREEMPTED, "__schedule schedule pipe_read"), "(preempted)");
	assert_string_equal(text_of(TPROF_STATE_IOWAIT, "__schedule io_schedule"), "(iowait)");
	assert_string_equal(text_of(TPROF_STATE_STOPPED, "do_signal_stop"), "(stopped)");
	assert_string_equal(text_of(TPROF_STATE_NEW, ""), "(new)");
	assert_string_equal(text_of(TPROF_STATE_RUNNABLE, ""), "(runnable)");
}

static void reasons(void **state)
{
	static const struct {
		const char *functions, *text;
	} waits[] = {
		{ "__schedule schedule futex_wait_queue __futex_wait futex_wait", "lock" },
		{ "__schedule schedule futex_do_wait", "lock" },
		{ "__schedule schedule rwsem_down_read_slowpath down_read ext4_map_blocks", "lock" },
		{ "__schedule schedule io_schedule folio_wait_bit_common filemap_read", "disk" },
		{ "__schedule schedule jbd2_log_wait_commit", "disk" },
		{ "__schedule schedule schedule_timeout sk_wait_data tcp_recvmsg_locked", "network" },
		{ "__schedule schedule schedule_timeout unix_stream_data_wait.isra.0", "network" },
		{ "__schedule schedule anon_pipe_read vfs_read", "pipe" },
		{ "__schedule schedule do_nanosleep", "timer" },
		{ "__schedule schedule schedule_hrtimeout_range_clock ep_poll", "poll" },
		{ "__schedule schedule do_wait kernel_wait4", "child" },
		{ "__schedule schedule schedule_timeout wait_for_completion_state kernel_clone", "child" },
		{ "__schedule schedule __x64_sys_pause", "signal" },
		{ "__schedule schedule io_cqring_wait", "event" },
		{ "__schedule schedule do_msgrcv", "message" },
		{ "__schedule schedule schedule_timeout wait_woken n_tty_read", "terminal" },
		{ "__schedule schedule handle_userfault", "memory" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		const char *sleeping = text_of(TPROF_STATE_SLEEPING, waits[i].functions);
		char wanted[40] = "(sleeping: ";

		assert_string_equal(sleeping, strcat(strcat(wanted, waits[i].text), ")"));
		strcat(strcat(strcpy(wanted, "(blocked: "), waits[i].text), ")");
		assert_string_equal(text_of(TPROF_STATE_BLOCKED, waits[i].functions), wanted);
	}
}

/* The innermost wait counts; functions of programs and marks do not. */
static void which_function(void **state)
{
	(void)state;
	assert_string_equal(text_of(TPROF_STATE_BLOCKED, "schedule __mutex_lock pipe_read"), "(blocked: lock)");
	assert_string_equal(text_of(TPROF_STATE_SLEEPING, "schedule u:pipe_read"), "(sleeping)");
	assert_string_equal(text_of(TPROF_STATE_SLEEPING, "schedule u:main pipe_read"), "(sleeping)");
	assert_string_equal(text_of(TPROF_STATE_SLEEPING, "[cut pipe_read"), "(sleeping: pipe)");
	assert_string_equal(text_of(TPROF_STATE_SLEEPING, "schedule unknown_wait"), "(sleeping)");
	assert_string_equal(text_of(TPROF_STATE_BLOCKED, ""), "(blocked)");
	assert_string_equal(text_of(TPROF_STATE_BLOCKED, "schedule some_wait copy_process kernel_clone"), "(blocked)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states),
		cmocka_unit_test(reasons),
		cmocka_unit_test(which_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
