// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload of soft interrupts: packets FROM TO [PAUSE] sends bursts of packets from one CPU, which are received in
 * soft interrupts on another CPU, which is otherwise idle and wakes for each burst. Runs until it is killed. It uses
 * its own network namespace, so it needs root.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"

/* The length of a burst. In the pause after it the handler finishes, so that ksoftirqd does not take over. */
#define BURST_US	300
#define PAUSE_US	700	/* the default */

static int fail(const char *what)
{
	fprintf(stderr, "packets: %s: %s\n", what, strerror(errno));
	return 1;
}

/* Selects the CPU that receives packets. /sys is mounted again, because it shows the namespace of its mount. */
static int steer(int cpu)
{
	char mask[16];
	int fd, length = snprintf(mask, sizeof(mask), "%x", 1U << cpu);

	if (mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("sysfs", "/sys", "sysfs", 0, NULL))
		return -1;
	fd = open("/sys/class/net/lo/queues/rx-0/rps_cpus", O_WRONLY);
	return fd >= 0 && write(fd, mask, (size_t)length) == length && close(fd) == 0 ? 0 : -1;
}

/* A socket that sends to itself and is never read: packets that do not fit are dropped after all processing. */
static int open_socket(void)
{
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	socklen_t length = sizeof(own);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo) || bind(fd, (struct sockaddr *)&own, length) ||
	    getsockname(fd, (struct sockaddr *)&own, &length) || connect(fd, (struct sockaddr *)&own, length))
		return -1;
	return fd;
}

int main(int argc, char **argv)
{
	static const char packet[64];
	useconds_t pause_us = PAUSE_US;
	cpu_set_t cpus;
	int fd;

	if (argc < 3 || argc > 4 || atoi(argv[2]) < 0 || atoi(argv[2]) > 31) {
		fprintf(stderr, "usage: packets FROM-CPU TO-CPU [PAUSE-US]\n");
		return 2;
	}
	if (argc == 4)
		pause_us = (useconds_t)atoi(argv[3]);
	CPU_ZERO(&cpus);
	CPU_SET((unsigned int)atoi(argv[1]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return fail("the CPU to send from");
	if (unshare(CLONE_NEWNET | CLONE_NEWNS))
		return fail("a namespace");
	fd = open_socket();
	if (fd < 0)
		return fail("a socket");
	if (steer(atoi(argv[2])))
		return fail("the CPU to handle packets");
	for (;;) {
		uint64_t end = clock_ns(CLOCK_MONOTONIC) + BURST_US * 1000;

		while (clock_ns(CLOCK_MONOTONIC) < end)
			send(fd, packet, sizeof(packet), 0);
		usleep(pause_us);
	}
}
