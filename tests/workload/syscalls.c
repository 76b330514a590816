// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload that lives in the kernel: reads zeros, 64 KiB a call, so that nearly all of its time is system
 * time. Ends by itself: syscalls [SECONDS], 60 by default.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"

int main(int argc, char **argv)
{
	static char zeros[64 * 1024];
	int zero = open("/dev/zero", O_RDONLY);
	uint64_t end;

	if (zero < 0)
		return EXIT_FAILURE;
	end = clock_ns(CLOCK_MONOTONIC) + (argc > 1 ? (uint64_t)atoi(argv[1]) : 60) * NSEC_PER_SEC;
	do {
		for (int i = 0; i < 256; i++) {
			if (read(zero, zeros, sizeof(zeros)) < 0)
				return EXIT_FAILURE;
		}
	} while (clock_ns(CLOCK_MONOTONIC) < end);
	return EXIT_SUCCESS;
}
