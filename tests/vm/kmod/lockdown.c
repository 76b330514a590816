// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel lockdown: in the mode integrity unsigned modules cannot be loaded, and everything else works; in the mode
 * confidentiality new sessions are refused, and existing ones continue. Lockdown lasts until the next boot, so this
 * test runs in a boot of its own (run/lockdown.sh).
 *
 * vm: machines=none
 */
#include <sys/mount.h>
#include <sys/syscall.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "probe.h"

#define LOCKDOWN "/sys/kernel/security/lockdown"

static int device;

static void lock_down(const char *mode)
{
	int fd = open(LOCKDOWN, O_WRONLY);

	need(fd >= 0, "there is lockdown");
	need(write(fd, mode, strlen(mode)) == (ssize_t)strlen(mode), "%s: the kernel is locked down", mode);
	close(fd);
}

/* Loads another, unsigned module. */
static int load_unsigned(void)
{
	char path[256];
	int fd, result;

	snprintf(path, sizeof(path), "%s/tprof_nmi.ko", getenv("TPROF_MODULES"));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	need(fd >= 0, "there is a module");
	result = syscall(SYS_finit_module, fd, "", 0);
	close(fd);
	return result;
}

static void works(const char *mode)
{
	struct tprof_module_info info = { .size = sizeof(info) };
	int fd = open(TPROF_DEVICE, O_RDWR | O_CLOEXEC);
	int list = open("/sys/kernel/debug/tprof/sessions", O_RDONLY | O_CLOEXEC);
	char line[8];

	check(fd >= 0, "%s: the device opens", mode);
	is(ioctl(fd, TPROF_IOC_INFO, &info), 0, "%s: INFO answers", mode);
	check(read(list, line, sizeof(line)) > 0, "%s: the lists can be read", mode);
	close(list);
	close(fd);
}

static void goes_on(const char *mode, int session)
{
	uint64_t before = read_ledger(session, -1).fired.samples;

	burn(50 * MS);
	flush(session);
	check(read_ledger(session, -1).fired.samples > before, "%s: the session that exists goes on", mode);
}

int main(void)
{
	int session, later;

	need(mount("securityfs", "/sys/kernel/security", "securityfs", 0, NULL) == 0, "securityfs is mounted");
	device = open_device();
	session = create_session(device);
	need(session >= 0, "a session is made");
	need(add_timer(session, MS) == 0, "with the timer");
	need(ioctl(session, TPROF_IOC_START) == 0, "and started");

	lock_down("integrity");
	refuses(load_unsigned(), EPERM, "integrity: an unsigned module is refused");
	works("integrity");
	later = create_session(device);
	check(later >= 0, "integrity: a session is made");
	goes_on("integrity", session);

	lock_down("confidentiality");
	works("confidentiality");
	refuses(create_session(device), EPERM, "confidentiality: no session is made");
	refuses(add_probe(later, "kprobe", SYSCALL_FUNCTION("getppid"), 0, 0, 1), EPERM,
		"confidentiality: a session that was made before takes no kprobe");
	goes_on("confidentiality", session);
	is(add_timer(later, MS), 0, "confidentiality: a session that was made before takes an event");
	is(ioctl(later, TPROF_IOC_START), 0, "confidentiality: and starts");
	goes_on("confidentiality", later);
	umount("/sys/kernel/security");
	return done_testing();
}
