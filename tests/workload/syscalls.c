// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload that lives in the kernel: reads zeros, 64 KiB a call, so that nearly all of its time is system
 * time. Ends by itself: syscalls [SECONDS], 60 by default.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char zeros[64 * 1024];
	int zero = open("/dev/zero", O_RDONLY);
	struct timespec now, deadline;

	if (zero < 0)
		return EXIT_FAILURE;
	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += argc > 1 ? atoi(argv[1]) : 60;
	do {
		for (int i = 0; i < 256; i++) {
			if (read(zero, zeros, sizeof(zeros)) < 0)
				return EXIT_FAILURE;
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < deadline.tv_sec);
	return EXIT_SUCCESS;
}
