// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PMU that only some CPUs have, as those of hybrid processors: a session of all CPUs samples its event there, and a
 * session of other CPUs does not start.
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "source.h"

#define NR 7

static int device;

static int new_session(uint64_t period, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .precise_ip = 1,
		.type = (uint32_t)atoi(read_file("/sys/bus/event_source/devices/tprof_precise/type")),
	};
	struct tprof_event event = {
		.size = sizeof(event), .source = "perf", .attr = (uintptr_t)&attr, .attr_size = sizeof(attr),
		.period = period,
	};
	int session = create_session(device);

	need(session >= 0 && (cpu < 0 || configure_on_cpu(session, cpu, 0) == 0), "a session");
	is(ioctl(session, TPROF_IOC_ADD_EVENT, &event), 0, "the event can be added");
	return session;
}

static void fire_on(int cpu)
{
	pin(cpu);
	need(write_parameter("tprof_precise", "fire", NR), "CPU %d: it fires", cpu);
}

static void all_cpus(void)
{
	int session = new_session(1, -1);
	struct tprof_ledger_read ledger;

	is(ioctl(session, TPROF_IOC_START), 0, "all CPUs: it starts");
	fire_on(0);
	fire_on(1);
	is(ioctl(session, TPROF_IOC_STOP), 0, "all CPUs: it stops");
	ledger = read_ledger(session, -1);
	check(closes(&ledger), "all CPUs: the ledger closes");
	is(ledger.fired.samples, NR, "all CPUs: samples of one");
	is(read_ledger(session, 1).fired.samples, NR, "all CPUs: of the CPU that has the PMU");
	close(session);
}

static void one_cpu(void)
{
	int with = new_session(1, 1), without = new_session(1, 0), counts = new_session(0, 0);

	refuses(ioctl(without, TPROF_IOC_START), EOPNOTSUPP, "a CPU without the PMU: it does not start");
	is(ioctl(with, TPROF_IOC_START), 0, "the CPU with the PMU: it starts");
	refuses(ioctl(without, TPROF_IOC_START), EOPNOTSUPP, "nor does the other one, although the source runs now");
	refuses(ioctl(counts, TPROF_IOC_START), EOPNOTSUPP, "nor one that only counts");
	fire_on(1);
	is(ioctl(with, TPROF_IOC_STOP), 0, "the CPU with the PMU: it stops");
	is(read_ledger(with, -1).fired.samples, NR, "the CPU with the PMU: all samples");
	is(read_ledger(without, -1).fired.samples, 0, "the CPU without it: none");
	close(with);
	close(without);
	close(counts);
}

/* The other CPU goes and comes back. */
static void hotplug(void)
{
	int session = new_session(1, -1);

	is(ioctl(session, TPROF_IOC_START), 0, "hotplug: it starts");
	pin(0);
	need(set_online(1, false) == 0 && set_online(1, true) == 0, "hotplug: the CPU goes and comes");
	for (int i = 0; i < 100 && !read_ledger(session, 1).fired.samples; i++) {
		fire_on(1);
		usleep(20000);
	}
	check(read_ledger(session, 1).fired.samples > 0, "hotplug: it has the event again");
	is(read_ledger(session, 0).fired.samples, 0, "hotplug: the other one never");
	is(ioctl(session, TPROF_IOC_STOP), 0, "hotplug: it stops");
	close(session);
}

int main(void)
{
	device = open_device();
	need(load_source("tprof_precise", "cpus=2") == 0, "a PMU of CPU 1");
	all_cpus();
	one_cpu();
	hotplug();
	pin(0);
	is(unload_source("tprof_precise"), 0, "it is not in use");
	return done_testing();
}
