// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unknown calls return ENOTTY; unknown flags and padding other than 0 return EINVAL.
 *
 * vm: all=arm64
 */
#include <sys/mman.h>

#include "ktap.h"
#include "device.h"

static const unsigned long session_calls[] = {
	TPROF_IOC_CONFIGURE, TPROF_IOC_ADD_EVENT, TPROF_IOC_PERIOD, TPROF_IOC_ATTACH, TPROF_IOC_DETACH, TPROF_IOC_START,
	TPROF_IOC_STOP, TPROF_IOC_FLUSH, TPROF_IOC_CLEAR, TPROF_IOC_LEDGER, TPROF_IOC_COUNTS, TPROF_IOC_SESSION,
	TPROF_IOC_FILTER, TPROF_IOC_FILTER_ENABLE, TPROF_IOC_SEAL,
};

static void unknown(int fd, const char *name)
{
	char arg[4096] = { 8 };
	int refused = 0, tried = 0;

	for (unsigned int nr = 0; nr < 256; nr++) {
		/* Numbers that neither the device nor a session has. */
		if (nr >= 0x08 && nr < 0x10)
			refused += ioctl(fd, _IOWR(TPROF_IOC_MAGIC, nr, struct tprof_create), arg) == -1 &&
				errno == ENOTTY;
		else if (nr >= 0x40)
			refused += ioctl(fd, _IO(TPROF_IOC_MAGIC, nr), arg) == -1 && errno == ENOTTY;
		else
			continue;
		tried++;
	}
	is(refused, tried, "%s: numbers that are not taken", name);
	/* TCGETS */
	refuses(ioctl(fd, 0x5401, arg), ENOTTY, "%s: a call of terminals", name);
	refuses(ioctl(fd, _IOWR('$', 0x00, struct tprof_module_info), arg), ENOTTY, "%s: a call of perf", name);
	refuses(ioctl(fd, _IOWR(0xb8, 0x1b, struct tprof_session_info), arg), ENOTTY, "%s: another type", name);
}

static void crossed(int device, int session)
{
	struct tprof_module_info info = { .size = sizeof(info) };
	struct tprof_create create = { .size = sizeof(create) };
	size_t i, refused = 0, nr = sizeof(session_calls) / sizeof(session_calls[0]);

	refuses(ioctl(session, TPROF_IOC_INFO, &info), ENOTTY, "INFO on a session");
	refuses(ioctl(session, TPROF_IOC_CREATE, &create), ENOTTY, "CREATE on a session");
	for (i = 0; i < nr; i++)
		refused += ioctl(device, session_calls[i], &info) == -1 && errno == ENOTTY;
	is(refused, nr, "the calls of a session on the device");
	refuses(read(device, &info, sizeof(info)), EINVAL, "the device is not for reading");
	refuses(write(device, &info, sizeof(info)), EINVAL, "nor for writing");
	check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, device, 0) == MAP_FAILED && errno == ENODEV, "nor for mapping");
}

static void flags(int device, int session)
{
	struct tprof_create create = { .size = sizeof(create), .flags = 1 };
	struct tprof_config config = { .size = sizeof(config), .flags = TPROF_CONFIG_FLAGS + 1 };
	struct tprof_event event = { .size = sizeof(event), .source = "timer", .period = MS, .flags = 1 };
	struct tprof_target target = { .size = sizeof(target), .kind = TPROF_TARGET_CGROUP + 1, .id = getpid() };

	refuses(ioctl(device, TPROF_IOC_CREATE, &create), EINVAL, "CREATE: a flag");
	refuses(ioctl(session, TPROF_IOC_CONFIGURE, &config), EINVAL, "CONFIGURE: a flag");
	config.flags = 1U << 31;
	refuses(ioctl(session, TPROF_IOC_CONFIGURE, &config), EINVAL, "CONFIGURE: the last flag");
	refuses(ioctl(session, TPROF_IOC_ADD_EVENT, &event), EINVAL, "ADD_EVENT: a flag");
	refuses(ioctl(session, TPROF_IOC_ATTACH, &target), EINVAL, "ATTACH: a kind");
	refuses(ioctl(session, TPROF_IOC_DETACH, &target), EINVAL, "DETACH: a kind");
}

static void pads(int session)
{
	struct tprof_event event = { .size = sizeof(event), .source = "timer", .period = MS, .pad = 1 };
	struct tprof_ledger_read ledger = { .size = sizeof(ledger), .cpu = -1, .pad = 1 };
	struct tprof_counts counts = { .size = sizeof(counts), .cpu = -1, .pad = 1 };
	struct tprof_session_info info = { .size = sizeof(info), .pad = 1 };

	refuses(ioctl(session, TPROF_IOC_ADD_EVENT, &event), EINVAL, "ADD_EVENT: the pad");
	refuses(ioctl(session, TPROF_IOC_LEDGER, &ledger), EINVAL, "LEDGER: the pad");
	refuses(ioctl(session, TPROF_IOC_COUNTS, &counts), EINVAL, "COUNTS: the pad");
	refuses(ioctl(session, TPROF_IOC_SESSION, &info), EINVAL, "SESSION: the pad");
}

int main(void)
{
	int device = open_device();
	int session = create_session(device);

	need(session >= 0, "a session is made");
	unknown(device, "device");
	unknown(session, "session");
	crossed(device, session);
	flags(device, session);
	pads(session);
	is(read_session(session).nr_events, 0, "nothing of that has made an event");
	return done_testing();
}
