// SPDX-License-Identifier: GPL-2.0-only
/*
 * The owner of sessions is killed at a random time, 200 times, or 50 with many CPUs: nothing is left, no source fires,
 * and the module can be unloaded.
 *
 * vm: machines=x86-64,x86-64-16,next all=x86-64
 */
#include <sys/mman.h>

#include "ktap.h"
#include "device.h"
#include "process.h"

/* Makes random calls on several sessions until it is killed. */
static void work(int device, unsigned int seed)
{
	struct tprof_target target = { .size = sizeof(target), .id = getpid() };
	uint64_t cookie = 1;

	srand(seed);
	for (;;) {
		int session = create_session(device);
		int other = create_session(device);

		if (session < 0 || other < 0 || configure(session, 0, 1 << 16) || add_timer(session, 100000) ||
		    add_perf(session, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 200000) < 0 ||
		    add_perf(other, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1) < 0 ||
		    add_timer(other, 3 * MS) < 0 ||
		    ioctl(session, TPROF_IOC_ATTACH, &target) ||
		    mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED, session, 0) == MAP_FAILED ||
		    ioctl(session, TPROF_IOC_START) || ioctl(other, TPROF_IOC_START))
			_exit(1);
		write(session, "mark", 4);
		ioctl(session, TPROF_IOC_FLUSH, &cookie);
		ioctl(other, TPROF_IOC_CLEAR);
		if (rand() % 2)
			ioctl(session, TPROF_IOC_STOP);
		close(session);
		if (rand() % 2)
			ioctl(other, TPROF_IOC_STOP);
		close(other);
	}
}

int main(void)
{
	/* Making a session takes longer with many CPUs. */
	const int rounds = many_cpus() ? 50 : 200, within_ms = many_cpus() ? 100 : 20;
	int device = open_device(), killed = 0, left = 0, status;

	srand(1);
	for (int i = 0; i < rounds; i++) {
		pid_t pid = fork();

		need(pid >= 0, "a child is made");
		if (!pid)
			work(device, i);
		usleep(rand() % (1000 * within_ms));
		kill(pid, SIGKILL);
		need(waitpid(pid, &status, 0) == pid, "it ends");
		killed += WIFSIGNALED(status);
		left += open_sessions(device);
	}
	is(killed, rounds, "all of them were killed at work");
	is(left, 0, "none of them has left a session");
	check(!strchr(strchr(read_file("/sys/kernel/debug/tprof/sources"), '\n') + 1, '\n'), "there are no sources");
	close(device);
	is(unload_module("tprof"), 0, "the module can be unloaded at once");
	return done_testing();
}
