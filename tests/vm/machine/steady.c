// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first program of a guest: opens an event of each kind for which the kernel patches its code, and executes init,
 * which keeps the descriptors. So that code, mainly of the scheduler, is not patched whenever a test opens the first
 * such event or closes the last one.
 *
 * This avoids an error of the emulator with one thread for each CPU: one CPU may translate code after another has
 * dropped the old translation and before it writes the new code. This stale translation stays, and may contain the
 * breakpoint that the kernel uses while it patches code, so the kernel traps there forever.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Events of this task: the kernel patches the task switch while such events exist. */
static void hold(uint64_t config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = config, .size = sizeof(attr), .disabled = 1,
	};

	if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0)
		perror("steady: perf_event_open");
}

int main(void)
{
	for (uint64_t config = PERF_COUNT_SW_CPU_CLOCK; config < PERF_COUNT_SW_BPF_OUTPUT; config++)
		hold(config);
	execl("/tprof/init", "init", NULL);
	perror("steady: /tprof/init");
	return 1;
}
