// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creating a session needs CAP_PERFMON in the initial user namespace, whoever opened the device. Only root can open the
 * device node; every process that has it open may call INFO.
 *
 * vm: all=arm64
 */
#include <sched.h>
#include <sys/stat.h>

#include "ktap.h"
#include "device.h"
#include "process.h"

static int device;

/* Each of these functions runs in a child process, and returns 0 or the number of an error. */

static int as_nobody(void)
{
	struct tprof_module_info info = { .size = sizeof(info) };

	become_nobody(0);
	if (open(TPROF_DEVICE, O_RDWR) != -1 || errno != EACCES)
		return 1;
	if (open(TPROF_DEVICE, O_RDONLY) != -1 || errno != EACCES)
		return 2;
	if (create_session(device) != -1 || errno != EPERM)
		return 3;
	return ioctl(device, TPROF_IOC_INFO, &info) ? 4 : 0;
}

static int with_perfmon(void)
{
	int session;

	become_nobody(1ULL << CAP_PERFMON);
	if (open(TPROF_DEVICE, O_RDWR) != -1 || errno != EACCES)
		return 1;
	session = create_session(device);
	if (session < 0)
		return 2;
	return add_timer(session, MS) == 0 && ioctl(session, TPROF_IOC_START) == 0 ? 0 : 3;
}

static int with_sys_admin(void)
{
	become_nobody(1ULL << CAP_SYS_ADMIN);
	return create_session(device) < 0;
}

static int with_all_others(void)
{
	become_nobody(~(1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN));
	return create_session(device) != -1 || errno != EPERM;
}

/* The root user of another user namespace has all capabilities, but only in that namespace. */
static int in_user_namespace(void)
{
	if (unshare(CLONE_NEWUSER))
		return 1;
	return create_session(device) != -1 || errno != EPERM ? 2 : 0;
}

/* A session that was created earlier can be used without the capability. */
static int made_before(void)
{
	int session = create_session(device);
	struct tprof_ledger_read ledger = { .size = sizeof(ledger), .cpu = -1 };

	if (session < 0 || add_timer(session, MS))
		return 1;
	become_nobody(0);
	if (ioctl(session, TPROF_IOC_START))
		return 2;
	burn(20 * MS);
	if (ioctl(session, TPROF_IOC_STOP) || ioctl(session, TPROF_IOC_LEDGER, &ledger))
		return 3;
	return ledger.fired.samples ? 0 : 4;
}

int main(void)
{
	struct stat st;

	device = open_device();
	need(stat(TPROF_DEVICE, &st) == 0, "the node is there");
	is(st.st_mode & 07777, 0600, "its mode");
	is(st.st_uid, 0, "its owner");
	is(in_child(as_nobody), 0, "nobody can neither open the device nor make a session, but ask what it is");
	is(in_child(with_perfmon), 0, "CAP_PERFMON is enough");
	is(in_child(with_sys_admin), 0, "so is CAP_SYS_ADMIN");
	is(in_child(with_all_others), 0, "all the other capabilities together are not");
	is(in_child(in_user_namespace), 0, "nor is root of another user namespace");
	is(in_child(made_before), 0, "who has a session may use it, whoever he became");
	is(open_sessions(device), 0, "no session is left");
	return done_testing();
}
