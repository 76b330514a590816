/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random calls that build a session of the device: they create and close it, configure it, and add events and targets.
 * Most arguments are valid.
 */
#ifndef TPROF_TESTS_FUZZ_SESSION_H
#define TPROF_TESTS_FUZZ_SESSION_H

#include "device.h"
#include "fuzz.h"
#include "probe.h"
#include "process.h"

#define NR_SESSIONS	8

/* Fixed descriptors: a filter names its session by one, and a call after a close must not hit another file. */
#define SESSION(n)	(100 + (n))

/* Set before the first call: the device, the id of an existing cgroup, and the offset of probed() in this program. */
static int device;
static uint64_t cgroup, probed_offset;

static int any_slot(struct fuzzer *f)
{
	return SESSION((int)draw_below(f, NR_SESSIONS));
}

/* A session, or sometimes the device. */
static int any_session(struct fuzzer *f)
{
	return one_in(f, 64) ? device : any_slot(f);
}

static int any_cpu(struct fuzzer *f)
{
	return (int)draw_below(f, 20) - 2;
}

/* A random period that is long enough for an emulated CPU. */
static uint64_t any_period(struct fuzzer *f)
{
	static const uint64_t odd[] = {
		0, 1, TPROF_MIN_TIMER_NS - 1, TPROF_MAX_TIMER_NS, TPROF_MAX_TIMER_NS + 1, 1ULL << 63,
	};

	return one_in(f, 8) ? odd[draw_below(f, 6)] : 300000 + draw_below(f, 10 * MS);
}

static int do_create(struct fuzzer *f)
{
	struct tprof_create create = { .size = sizeof(create) };
	int slot = any_slot(f);
	int fd = fuzz_ioctl(f, device, TPROF_IOC_CREATE, &create, sizeof(create));

	if (fd < 0)
		return -1;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	dup2(fd, slot);
	return close(fd);
}

/* Closes a session that may be in use by other threads, or mapped. */
static int do_close(struct fuzzer *f)
{
	return close(any_slot(f));
}

static int do_configure(struct fuzzer *f)
{
	struct tprof_config config = { .size = sizeof(config), .comm = "fuzz_device" };
	uint64_t cpus = draw(f);

	config.flags = one_in(f, 2) ? 0 : draw_below(f, one_in(f, 8) ? 32 : 16);
	config.stream_bytes = one_in(f, 4) ? 0 : one_in(f, 8) ? (uint32_t)draw(f) : 4096U << draw_below(f, 5);
	config.stream_wakeup = one_in(f, 2) ? 0 : draw_below(f, 8192);
	config.budget_permille = one_in(f, 2) ? 0 : draw_below(f, 1010);
	if (one_in(f, 4)) {
		config.cpus = (uintptr_t)&cpus;
		config.cpus_size = one_in(f, 8) ? draw_below(f, 64) : sizeof(cpus);
		cpus &= one_in(f, 8) ? cpus : 3;
	}
	return fuzz_ioctl(f, any_session(f), TPROF_IOC_CONFIGURE, &config, sizeof(config));
}

static int do_add_timer(struct fuzzer *f)
{
	struct tprof_event event = { .size = sizeof(event), .source = "timer", .period = any_period(f) };

	return fuzz_ioctl(f, any_session(f), TPROF_IOC_ADD_EVENT, &event, sizeof(event));
}

static int do_add_perf(struct fuzzer *f)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = draw_below(f, PERF_COUNT_SW_MAX), .size = sizeof(attr),
	};
	struct tprof_event event = {
		.size = sizeof(event), .source = "perf", .period = any_period(f), .attr_size = sizeof(attr),
	};

	if (one_in(f, 16))
		((char *)&attr)[draw_below(f, sizeof(attr))] ^= (char)(1 << draw_below(f, 8));
	event.attr = one_in(f, 32) ? draw(f) : (uintptr_t)&attr;
	return fuzz_ioctl(f, any_session(f), TPROF_IOC_ADD_EVENT, &event, sizeof(event));
}

/* A function of this program, which probes hit. */
__attribute__((noipa)) static void probed(void)
{
	__asm__ volatile("" : : : "memory");
}

static int do_add_probe(struct fuzzer *f)
{
	static const char *const functions[] = { SYSCALL_FUNCTION("getppid"), "no_such_function", "" };
	static const char *const paths[] = { "/proc/self/exe", "/no/such/file", "/tmp", "" };
	bool in_file = one_in(f, 2);
	struct { struct tprof_place place; char text[32]; } attr = {
		.place = { .flags = draw_below(f, one_in(f, 8) ? 4 : 2), .offset = in_file ? probed_offset : 0 },
	};
	struct tprof_event event = { .size = sizeof(event), .period = any_period(f) };
	uint32_t which = one_in(f, 2) ? 0 : draw_below(f, in_file ? 4 : 3);

	probed();
	syscall(SYS_getppid);
	strcpy(event.source, in_file ? "uprobe" : "kprobe");
	strcpy(attr.text, in_file ? paths[which] : functions[which]);
	event.attr = one_in(f, 32) ? draw(f) : (uintptr_t)&attr;
	event.attr_size = (uint32_t)(sizeof(attr.place) + strlen(attr.text) + !one_in(f, 8));
	return fuzz_ioctl(f, any_session(f), TPROF_IOC_ADD_EVENT, &event, sizeof(event));
}

static int do_period(struct fuzzer *f)
{
	struct tprof_period period = { .size = sizeof(period), .event = draw_below(f, 4), .period = any_period(f) };

	return fuzz_ioctl(f, any_session(f), TPROF_IOC_PERIOD, &period, sizeof(period));
}

static struct tprof_target any_target(struct fuzzer *f)
{
	struct tprof_target target = { .size = sizeof(target), .kind = draw_below(f, one_in(f, 16) ? 5 : 3) };

	if (target.kind == TPROF_TARGET_CGROUP)
		target.id = one_in(f, 4) ? draw_below(f, 100) : cgroup;
	else
		target.id = one_in(f, 8) ? draw(f) : one_in(f, 2) ? (uint64_t)getpid() : draw_below(f, 400);
	return target;
}

static int do_attach(struct fuzzer *f)
{
	struct tprof_target target = any_target(f);

	return fuzz_ioctl(f, any_session(f), TPROF_IOC_ATTACH, &target, sizeof(target));
}

static int do_detach(struct fuzzer *f)
{
	struct tprof_target target = any_target(f);

	return fuzz_ioctl(f, any_session(f), TPROF_IOC_DETACH, &target, sizeof(target));
}

#endif
