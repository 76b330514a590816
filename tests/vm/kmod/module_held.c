// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module cannot be unloaded while the device or a session is open or mapped; after that it can, and can be
 * reloaded.
 *
 * vm: all=arm64
 */
#include <sys/mman.h>

#include "ktap.h"
#include "device.h"
#include "process.h"

static int session_without_device(void)
{
	int device = open_device(), session = create_session(device);

	need(session >= 0 && configure(session, 0, getpagesize()) == 0, "a session is made");
	close(device);
	return session;
}

int main(void)
{
	int device = open_device(), session;
	void *map;

	refuses(unload_module("tprof"), EAGAIN, "with the device open");
	close(device);
	is(unload_module("tprof"), 0, "with the device closed");
	refuses(open(TPROF_DEVICE, O_RDWR), ENOENT, "its node is gone");
	is(load_module("tprof"), 0, "it comes back");

	session = session_without_device();
	refuses(unload_module("tprof"), EAGAIN, "with a new session");
	need(add_timer(session, MS) == 0 && ioctl(session, TPROF_IOC_START) == 0, "it starts");
	refuses(unload_module("tprof"), EAGAIN, "with a session that runs");
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	refuses(unload_module("tprof"), EAGAIN, "with one that is stopped");
	map = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, session, TPROF_STREAM_CONTROL(0));
	need(map != MAP_FAILED, "it is mapped");
	close(session);
	refuses(unload_module("tprof"), EAGAIN, "with one that is only mapped");
	munmap(map, getpagesize());
	is(unload_module("tprof"), 0, "with none of that");
	is(load_module("tprof"), 0, "it comes back");

	session = session_without_device();
	need(add_timer(session, 100000) == 0 && ioctl(session, TPROF_IOC_START) == 0, "a session runs");
	burn(20 * MS);
	close(session);
	is(unload_module("tprof"), 0, "right after one that ran was closed");
	return done_testing();
}
