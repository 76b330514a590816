/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts the calls of the device and of sessions, and how many of them have failed. */
#ifndef _TPROF_CALLS_H
#define _TPROF_CALLS_H

#include <linux/types.h>

struct seq_file;

/* Calls other than ioctls. */
enum tprof_file_call {
	TPROF_CALL_READ,
	TPROF_CALL_WRITE,
	TPROF_CALL_MMAP,
	TPROF_NR_FILE_CALLS
};

/* Both count a call that has returned @result, and return that. EAGAIN is not a failure. Process context. */
long tprof_ioctl_ended(unsigned int cmd, long result);
ssize_t tprof_file_call_ended(enum tprof_file_call call, ssize_t result);
/* Shows a line for each kind of call: name, number of calls, number of failures. */
void tprof_calls_show(struct seq_file *m);

#endif
