// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first program of a guest: opens an event of each kind that the kernel patches its code for, and becomes the init,
 * which keeps them. So that code, above all the scheduler's, is not patched each time that a test opens the first such
 * event and closes the last.
 *
 * The emulator needs that. Where it runs each CPU in a thread, one may translate code between the moment that another
 * drops the old translation and the moment that it writes the new code; what was translated then stays. A breakpoint
 * that the kernel has put there while it patched is then met for ever after.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of this task: switching tasks looks for such events only where there are any. */
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
