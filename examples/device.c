// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Prints how busy this machine was during one second, from a sample per millisecond on each CPU. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <tprof/uapi/tprof_device.h>

int main(void)
{
	struct tprof_create create = { .size = sizeof(create) };
	struct tprof_event event = { .size = sizeof(event), .source = "timer", .period = 1000000 };
	struct tprof_ledger_read ledger = { .size = sizeof(ledger), .cpu = -1 };
	int device = open(TPROF_DEVICE, O_RDWR | O_CLOEXEC);
	int session = device < 0 ? -1 : ioctl(device, TPROF_IOC_CREATE, &create);

	if (session < 0 || ioctl(session, TPROF_IOC_ADD_EVENT, &event) < 0 || ioctl(session, TPROF_IOC_START)) {
		perror(TPROF_DEVICE);
		return 1;
	}
	sleep(1);
	if (ioctl(session, TPROF_IOC_STOP) || ioctl(session, TPROF_IOC_LEDGER, &ledger)) {
		perror("session");
		return 1;
	}
	printf("%llu samples; busy for %.1f %% of the time\n", (unsigned long long)ledger.fired.samples,
	       100 - 100.0 * ledger.idle.weight / ledger.fired.weight);
	close(session);
	close(device);
	return 0;
}
