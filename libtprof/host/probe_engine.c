// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The requirements of an engine. Where possible, the check performs the operation on a small scale: settings alone do
 * not reveal what seccomp, a container or a security module refuses.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "event/event.h"
#include "probe.h"

#define BTF_PATH "/sys/kernel/btf/vmlinux"
#define LOCKDOWN_PATH "/sys/kernel/security/lockdown"
#define PARANOID_PATH "/proc/sys/kernel/perf_event_paranoid"
#define UNPRIVILEGED_BPF_PATH "/proc/sys/kernel/unprivileged_bpf_disabled"

/* The oldest kernel that tprof is tested with. */
#define OLDEST_MAJOR 6
#define OLDEST_MINOR 1

static uint64_t effective_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct half[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (syscall(SYS_capget, &header, half))
		return 0;
	return half[0].effective | (uint64_t)half[1].effective << 32;
}

static bool has_capability(uint64_t caps, unsigned int capability)
{
	return caps & (1ULL << capability);
}

bool probe_is_privileged(void)
{
	uint64_t caps = effective_capabilities();

	return has_capability(caps, CAP_SYS_ADMIN) ||
	       (has_capability(caps, CAP_PERFMON) && has_capability(caps, CAP_BPF));
}

void probe_privileges(struct finding *finding)
{
	uint64_t caps = effective_capabilities();
	bool perfmon = has_capability(caps, CAP_PERFMON), bpf = has_capability(caps, CAP_BPF);
	char path[128] = "tprof";
	ssize_t len;

	if (has_capability(caps, CAP_SYS_ADMIN)) {
		finding_ok(finding, "CAP_SYS_ADMIN");
		return;
	}
	if (perfmon && bpf) {
		finding_ok(finding, "CAP_PERFMON and CAP_BPF");
		return;
	}
	finding_missing(finding, EPERM, "%s missing: this user may not sample the machine",
			perfmon ? "CAP_BPF is" : bpf ? "CAP_PERFMON is" : "CAP_PERFMON and CAP_BPF are");
	len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (len > 0)
		path[len] = '\0';
	finding_mend(finding, "sudo setcap cap_perfmon,cap_bpf,cap_syslog,cap_sys_ptrace+ep %s", path);
	finding_hint(finding, "run it as root, or once: %s", finding->mend);
}

void probe_kernel(struct finding *finding)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	if (uname(&name) || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		finding_ok(finding, "the version of the kernel is unknown");
	else if (major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR))
		finding_missing(finding, EOPNOTSUPP, "Linux %s is too old: tprof needs %u.%u or later", name.release,
				OLDEST_MAJOR, OLDEST_MINOR);
	else
		finding_ok(finding, "Linux %s", name.release);
}

/* Explains EPERM for a process that seems to have the capabilities. */
static void say_refused(struct finding *finding, const char *call)
{
	if (!probe_is_privileged()) {
		finding_missing(finding, EPERM, "%s is refused: it needs CAP_PERFMON and CAP_BPF", call);
		return;
	}
	finding_missing(finding, EPERM, "%s is refused despite the capabilities: a container's seccomp "
			"filter, a user namespace or a security module forbids it", call);
	finding_hint(finding, "run it as root of the host, outside of containers and user namespaces");
}

/*
 * Explains ENOSYS. If the sysctl files exist, the kernel has the system call and a seccomp filter (of a container or a
 * service manager) returned ENOSYS.
 */
static void say_absent(struct finding *finding, const char *call, const char *config, const char *setting)
{
	if (access(setting, F_OK)) {
		finding_missing(finding, EOPNOTSUPP, "the kernel has no %s (%s)", call, config);
		finding_hint(finding, "boot a kernel that was built with %s", config);
	} else {
		finding_missing(finding, EOPNOTSUPP, "%s is switched off for this process by a seccomp filter", call);
		finding_hint(finding, "run it outside of the container or service, or allow %s there", call);
	}
}

/* Levels above 2 are an addition of distributions. Some of these kernels enforce them despite CAP_PERFMON. */
static void say_perf_refused(struct finding *finding)
{
	char paranoid[16] = "";

	probe_read_line(PARANOID_PATH, paranoid, sizeof(paranoid));
	if (!probe_is_privileged() && paranoid[0]) {
		finding_missing(finding, EPERM, "perf_event_open is refused: perf_event_paranoid is %s and "
				"CAP_PERFMON is missing", paranoid);
	} else if (strtol(paranoid, NULL, 10) > 2) {
		finding_missing(finding, EPERM, "perf_event_open is refused: perf_event_paranoid is %s", paranoid);
		finding_mend(finding, "sudo sysctl kernel.perf_event_paranoid=2");
	} else {
		say_refused(finding, "perf_event_open");
	}
}

void probe_perf(struct finding *finding)
{
	struct event event;
	int err;

	err = event_parse(&event, "cpu-clock", NULL);
	if (!err)
		err = event_probe_online(&event);
	if (!err)
		finding_ok(finding, "perf_event_open samples CPUs");
	else if (err == -ENOSYS)
		say_absent(finding, "perf_event_open", "CONFIG_PERF_EVENTS", PARANOID_PATH);
	else if (err == -EPERM || err == -EACCES)
		say_perf_refused(finding);
	else
		finding_missing(finding, EOPNOTSUPP, "perf_event_open fails: %s", strerror(-err));
}

void probe_bpf(struct finding *finding)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "tprof_probe", "GPL", insns, 2, NULL);

	if (fd >= 0) {
		close(fd);
		finding_ok(finding, "programs of type perf_event can be loaded");
	} else if (fd == -ENOSYS) {
		say_absent(finding, "bpf()", "CONFIG_BPF_SYSCALL", UNPRIVILEGED_BPF_PATH);
	} else if (fd == -EPERM || fd == -EACCES) {
		say_refused(finding, "bpf()");
	} else if (fd == -EINVAL) {
		finding_missing(finding, EOPNOTSUPP, "the kernel has no programs of type perf_event "
				"(CONFIG_BPF_EVENTS)");
	} else {
		finding_missing(finding, EOPNOTSUPP, "a program cannot be loaded: %s", strerror(-fd));
	}
}

void probe_btf(struct finding *finding)
{
	if (access(BTF_PATH, R_OK) == 0)
		finding_ok(finding, BTF_PATH);
	else if (errno == ENOENT)
		finding_missing(finding, EOPNOTSUPP, "the kernel has no BTF: " BTF_PATH " does not exist "
				"(CONFIG_DEBUG_INFO_BTF)");
	else
		finding_missing(finding, EPERM, BTF_PATH " cannot be read: %s", strerror(errno));
}

void probe_lockdown(struct finding *finding)
{
	char line[64];

	if (!probe_read_line(LOCKDOWN_PATH, line, sizeof(line)))
		finding_ok(finding, "off, or its state cannot be read");
	else if (strstr(line, "[confidentiality]"))
		finding_missing(finding, EPERM, "the kernel is locked down: BPF programs may not read its memory "
				"(boot with lockdown=integrity)");
	else
		finding_ok(finding, "%s", strstr(line, "[none]") ? "off" : "integrity, which does not affect tprof");
}
