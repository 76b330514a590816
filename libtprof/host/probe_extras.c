// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Optional features: they improve profiles or performance, but no engine requires them. */
#include <errno.h>
#include <mntent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "event/event.h"
#include "probe.h"

#define BPFFS_PATH "/sys/fs/bpf"
#define BPFFS_MAGIC 0xcafe4a11
/* Inode numbers of the initial namespaces, the same on every kernel that supports them. */
#define INITIAL_PID_NAMESPACE "pid:[4026531836]"
#define INITIAL_TIME_NAMESPACE "time:[4026531834]"
/* Below this limit the kernel throttles rates in common use. The default limit is 100,000. */
#define COMFORTABLE_RATE 10000

static bool read_number(const char *path, long *number)
{
	char line[64];

	if (!probe_read_line(path, line, sizeof(line)))
		return false;
	*number = strtol(line, NULL, 10);
	return true;
}

/* Every hypervisor sets this flag on x86. On other architectures the answer is always false. */
static bool is_virtual_machine(void)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[4096];
	bool found = false;

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = !strncmp(line, "flags", 5) && strstr(line, " hypervisor");
	fclose(file);
	return found;
}

void probe_pmu(struct finding *finding)
{
	struct event event;
	int err;

	err = event_parse(&event, "cycles", NULL);
	if (!err)
		err = event_probe_online(&event);
	if (!err)
		finding_ok(finding, "cycles can be sampled");
	else if (err == -EPERM || err == -EACCES)
		finding_missing(finding, EPERM, "no permission to test cycles");
	else if (err == -ENOSYS)
		finding_missing(finding, EOPNOTSUPP, "cycles cannot be tested: no perf_event_open");
	else if (err == -EBUSY)
		finding_missing(finding, EOPNOTSUPP, "all hardware counters are in use (the NMI watchdog has one)");
	else
		finding_missing(finding, EOPNOTSUPP, "no hardware counters %s: cpu-clock is sampled instead of cycles",
				is_virtual_machine() ? "in this virtual machine" : "on this machine");
	if (err == -EBUSY)
		finding_mend(finding, "sysctl kernel.nmi_watchdog=0");
}

/*
 * Hidden addresses read as 0. Some real addresses are 0 (per-CPU symbols come first on x86), so the search goes on
 * until it finds one in the kernel half of the address space.
 */
static bool kallsyms_show_addresses(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512];
	bool found = false;

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = strtoull(line, NULL, 16) >> 63;
	fclose(file);
	return found;
}

void probe_kallsyms(struct finding *finding)
{
	long level = 0;

	read_number("/proc/sys/kernel/kptr_restrict", &level);
	if (kallsyms_show_addresses()) {
		finding_ok(finding, "kernel functions have names");
	} else if (access("/proc/kallsyms", F_OK)) {
		finding_missing(finding, EOPNOTSUPP, "no /proc/kallsyms: kernel functions have no names");
	} else {
		finding_missing(finding, EPERM, "kernel functions have no names: %s",
				level > 1 ? "kptr_restrict is 2" : "CAP_SYSLOG is missing");
		if (level > 1)
			finding_mend(finding, "sysctl kernel.kptr_restrict=1");
	}
}

/* Permissions of users without capabilities at this level. */
static const char *paranoid_allows(long level)
{
	if (level < 0)
		return "everybody may use all perf events";
	if (level == 0)
		return "everybody may sample CPUs";
	if (level == 1)
		return "without CAP_PERFMON, only own processes can be sampled";
	if (level == 2)
		return "without CAP_PERFMON, only own processes in user mode can be sampled";
	return "without CAP_PERFMON, nothing can be sampled";
}

void probe_paranoid(struct finding *finding)
{
	long level;

	if (!read_number("/proc/sys/kernel/perf_event_paranoid", &level))
		finding_missing(finding, EOPNOTSUPP, "the setting does not exist: the kernel has no perf events");
	else if (level <= 0 || probe_is_privileged())
		finding_ok(finding, "%ld: %s", level, paranoid_allows(level));
	else
		finding_missing(finding, EPERM, "%ld: %s", level, paranoid_allows(level));
}

void probe_unprivileged_bpf(struct finding *finding)
{
	long level;

	if (!read_number("/proc/sys/kernel/unprivileged_bpf_disabled", &level))
		finding_ok(finding, "the setting does not exist");
	else
		finding_ok(finding, "%ld: %s; filters need CAP_BPF in any case", level,
			   level ? "only privileged users may use bpf()" : "everybody may use bpf()");
}

void probe_jit(struct finding *finding)
{
	long level;

	if (!read_number("/proc/sys/net/core/bpf_jit_enable", &level)) {
		finding_ok(finding, "the setting cannot be read");
	} else if (level) {
		finding_ok(finding, "filters are compiled to machine code");
	} else {
		finding_missing(finding, EOPNOTSUPP, "filters are interpreted: each sample costs several times more");
		finding_mend(finding, "sysctl net.core.bpf_jit_enable=1");
	}
}

void probe_max_rate(struct finding *finding)
{
	long rate;

	if (!read_number("/proc/sys/kernel/perf_event_max_sample_rate", &rate)) {
		finding_ok(finding, "the setting cannot be read");
	} else if (rate >= COMFORTABLE_RATE) {
		finding_ok(finding, "%ld samples a second on each CPU", rate);
	} else {
		finding_missing(finding, EOPNOTSUPP, "more than %ld samples a second are throttled: "
				"the kernel lowered the limit because samples took too long", rate);
		finding_mend(finding, "sysctl kernel.perf_event_max_sample_rate=100000");
	}
}

void probe_bpffs(struct finding *finding)
{
	struct statfs fs;

	if (statfs(BPFFS_PATH, &fs)) {
		finding_missing(finding, EOPNOTSUPP, "no " BPFFS_PATH ": --pin cannot work");
	} else if ((uint32_t)fs.f_type == BPFFS_MAGIC) {
		finding_ok(finding, BPFFS_PATH);
	} else {
		finding_missing(finding, EOPNOTSUPP, "not mounted: --pin cannot work");
		finding_mend(finding, "mount -t bpf bpf " BPFFS_PATH);
	}
}

void probe_cgroup(struct finding *finding)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	char buffer[1024];
	struct mntent entry;
	bool found = false;

	while (mounts && !found && getmntent_r(mounts, &entry, buffer, sizeof(buffer)))
		found = !strcmp(entry.mnt_type, "cgroup2");
	if (mounts)
		endmntent(mounts);
	if (found) {
		finding_ok(finding, "%s", entry.mnt_dir);
	} else {
		finding_missing(finding, EOPNOTSUPP, "not mounted: cgroups are shown as numbers, and -G cannot work");
		finding_mend(finding, "mount -t cgroup2 cgroup2 /sys/fs/cgroup");
	}
}

void probe_pid_namespace(struct finding *finding)
{
	char target[64];
	ssize_t len = readlink("/proc/self/ns/pid", target, sizeof(target) - 1);

	target[len > 0 ? len : 0] = '\0';
	if (len <= 0 || !strcmp(target, INITIAL_PID_NAMESPACE))
		finding_ok(finding, "the initial namespace");
	else
		finding_missing(finding, EOPNOTSUPP, "a container's own namespace: processes are sampled, but their "
				"functions have no names (containers: share the host's pid namespace)");
}

void probe_time_namespace(struct finding *finding)
{
	struct clock_offsets clocks;
	char target[64];
	ssize_t len = readlink("/proc/self/ns/time", target, sizeof(target) - 1);

	target[len > 0 ? len : 0] = '\0';
	clock_offsets(&clocks);
	if (len <= 0)
		finding_ok(finding, "the kernel has no time namespaces");
	else if (!strcmp(target, INITIAL_TIME_NAMESPACE))
		finding_ok(finding, "the initial namespace");
	else
		finding_ok(finding, "a container's own namespace: its clock differs from the kernel's by %.3f s, which "
			   "tprof corrects", (double)clocks.monotonic_ns / 1e9);
}

void probe_debug_symbols(struct finding *finding)
{
	if (access("/usr/lib/debug/.build-id", R_OK | X_OK) == 0)
		finding_ok(finding, "/usr/lib/debug");
	else
		finding_missing(finding, ENOENT, "none in /usr/lib/debug: stripped programs show [object+0xoffset]");
}
