// SPDX-License-Identifier: GPL-2.0-only
/* Counts calls. */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/seq_file.h>

#include "calls.h"
#include "uapi/tprof_device.h"

/* X(NAME, name): the ioctls TPROF_IOC_NAME of the device and of sessions */
#define IOCTLS(X)			\
	X(INFO, info)			\
	X(CREATE, create)		\
	X(SOURCE, source)		\
	X(CONFIGURE, configure)		\
	X(ADD_EVENT, add_event)		\
	X(PERIOD, period)		\
	X(ATTACH, attach)		\
	X(DETACH, detach)		\
	X(START, start)			\
	X(STOP, stop)			\
	X(FLUSH, flush)			\
	X(CLEAR, clear)			\
	X(LEDGER, ledger)		\
	X(COUNTS, counts)		\
	X(SESSION, session)		\
	X(FILTER, filter)		\
	X(FILTER_ENABLE, filter_enable)	\
	X(SEAL, seal)

enum {
	/* The calls of enum tprof_file_call come first. */
	BEFORE_IOCTLS = TPROF_NR_FILE_CALLS - 1,
#define X(NAME, name) CALL_##NAME,
	IOCTLS(X)
#undef X
	CALL_OTHER,
	NR_CALLS
};

static const char *const names[NR_CALLS] = {
	[TPROF_CALL_READ] = "read",
	[TPROF_CALL_WRITE] = "write",
	[TPROF_CALL_MMAP] = "mmap",
#define X(NAME, name) [CALL_##NAME] = #name,
	IOCTLS(X)
#undef X
	[CALL_OTHER] = "other",
};

static struct {
	atomic64_t calls, failed;
} counts[NR_CALLS];

static long ended(unsigned int call, long result)
{
	atomic64_inc(&counts[call].calls);
	if (result < 0 && result != -EAGAIN)
		atomic64_inc(&counts[call].failed);
	return result;
}

long tprof_ioctl_ended(unsigned int cmd, long result)
{
	if (_IOC_TYPE(cmd) != TPROF_IOC_MAGIC)
		return ended(CALL_OTHER, result);
	switch (_IOC_NR(cmd)) {
#define X(NAME, name) case _IOC_NR(TPROF_IOC_##NAME): return ended(CALL_##NAME, result);
	IOCTLS(X)
#undef X
	}
	return ended(CALL_OTHER, result);
}

ssize_t tprof_file_call_ended(enum tprof_file_call call, ssize_t result)
{
	return ended(call, result);
}

void tprof_calls_show(struct seq_file *m)
{
	unsigned int i;

	for (i = 0; i < NR_CALLS; i++)
		seq_printf(m, "%s\t%lld\t%lld\n", names[i], atomic64_read(&counts[i].calls),
			   atomic64_read(&counts[i].failed));
}
