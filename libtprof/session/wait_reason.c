// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
#include "wait_reason.h"

#include <string.h>

#include "base/array.h"

enum reason {
	UNKNOWN, NONE,
#define X(NAME, name) NAME,
	TPROF_WAIT_REASONS(X)
#undef X
	NR_REASONS,
};

/* Interruptible waits, and those in the kernel. */
struct texts {
	const char *sleeping, *blocked;
};

static const struct texts texts[NR_REASONS] = {
	[NONE] = { "(sleeping)", "(blocked)" }, [UNKNOWN] = { "(sleeping)", "(blocked)" },
#define X(NAME, name) [NAME] = { "(sleeping: " #name ")", "(blocked: " #name ")" },
	TPROF_WAIT_REASONS(X)
#undef X
};

/*
 * Beginnings of names, because compilers add suffixes and kernels prefixes of their own. Functions that only lead to
 * the scheduler, as schedule_timeout(), and those of every system call tell nothing. NONE: the caller's reason would be
 * wrong.
 */
static const struct {
	enum reason reason;
	const char *names[16];
} functions[] = {
	{ LOCK, { "futex_", "__futex_", "__mutex_lock", "mutex_lock", "rwsem_down_", "__down_", "down_",
		  "rt_mutex_", "__rt_mutex_", "percpu_rwsem_wait", "__percpu_down", "do_semtimedop",
		  "__do_semtimedop", "locks_lock_inode_wait", "fcntl_setlk" } },
	{ DISK, { "io_schedule", "bit_wait_io", "folio_wait_", "__folio_lock", "wait_on_page_", "__wait_on_buffer",
		  "blk_mq_", "submit_bio_wait", "jbd2_", "balance_dirty_pages" } },
	{ NETWORK, { "sk_wait_data", "sk_stream_wait_", "sock_alloc_send_", "__skb_wait_for_more_packets", "tcp_",
		     "inet_csk_", "inet_wait_for_connect", "__inet_stream_connect", "unix_", "netlink_", "packet_",
		     "udp_", "vsock_", "inet_recvmsg", "inet_sendmsg" } },
	{ PIPE, { "pipe_read", "pipe_write", "anon_pipe_", "fifo_pipe_", "wait_for_partner", "fifo_open" } },
	{ TIMER, { "do_nanosleep", "hrtimer_nanosleep", "alarmtimer_do_nsleep", "timerfd_read", "msleep",
		   "usleep_range" } },
	{ POLL, { "ep_poll", "do_epoll_wait", "poll_schedule_timeout", "do_poll", "do_select", "do_sys_poll" } },
	/* kernel_clone() itself waits only after vfork(2). */
	{ NONE, { "copy_process" } },
	{ CHILD, { "do_wait", "__do_wait", "wait_for_vfork_done", "kernel_clone" } },
	{ SIGNAL, { "sigsuspend", "do_sigtimedwait", "__do_sys_pause", "__x64_sys_pause", "__arm64_sys_pause" } },
	{ EVENT, { "eventfd_read", "eventfd_write", "signalfd_", "inotify_read", "fanotify_read", "io_cqring_wait" } },
	{ MESSAGE, { "do_msgrcv", "do_msgsnd", "wq_sleep", "do_mq_" } },
	{ TERMINAL, { "n_tty_", "tty_" } },
	{ MEMORY, { "handle_userfault", "mem_cgroup_", "try_charge_memcg", "throttle_direct_reclaim",
		    "try_to_free_" } },
};

static enum reason reason_of(const char *function)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		const char *const *names = functions[i].names;

		for (size_t j = 0; j < ARRAY_SIZE(functions[i].names) && names[j]; j++)
			if (strncmp(function, names[j], strlen(names[j])) == 0)
				return functions[i].reason;
	}
	return UNKNOWN;
}

static enum reason find_reason(const struct tprof_frame *const *frames, size_t nr)
{
	enum reason reason = UNKNOWN;

	for (size_t i = 0; i < nr && reason == UNKNOWN && frames[i]->mode != TPROF_MODE_USER; i++)
		if (frames[i]->mode == TPROF_MODE_KERNEL)
			reason = reason_of(frames[i]->symbol);
	return reason;
}

const char *wait_reason_text(uint64_t state, const struct tprof_frame *const *frames, size_t nr)
{
#define X(NAME, name, text) [TPROF_STATE_##NAME] = "(" #name ")",
	static const char *const states[] = { TPROF_STATES(X) };
#undef X
	const struct texts *text;

	if (state >= ARRAY_SIZE(states) || state == TPROF_STATE_UNKNOWN || state == TPROF_STATE_RUNNING ||
	    state == TPROF_STATE_WAKEUP)
		return NULL;
	if (state != TPROF_STATE_SLEEPING && state != TPROF_STATE_BLOCKED)
		return states[state];
	text = &texts[find_reason(frames, nr)];
	return state == TPROF_STATE_SLEEPING ? text->sleeping : text->blocked;
}
