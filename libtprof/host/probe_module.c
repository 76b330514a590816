// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Why the kernel module cannot be used. */
#include "probe_module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MODULE_FILE "/tprof.ko"
/* The kernel looks for this text at the end of a module file. */
#define SIGNATURE_MARK "~Module signature appended~\n"

#define LOCKDOWN_PATH "/sys/kernel/security/lockdown"
#define SIG_ENFORCE_PATH "/sys/module/module/parameters/sig_enforce"
#define MODULES_DISABLED_PATH "/proc/sys/kernel/modules_disabled"

#define OTHER_ENGINE "--engine perf works without the module"

size_t module_path(const char *modules_dep, char *path, size_t size)
{
	for (const char *line = modules_dep; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t length = strcspn(line, ":\n");
		const char *file = memmem(line, length, MODULE_FILE, strlen(MODULE_FILE));
		size_t tail = file ? (size_t)(line + length - file) - strlen(MODULE_FILE) : 0;

		/* "updates/tprof.ko", or "updates/tprof.ko.xz". */
		if (!file || length >= size || (tail && file[strlen(MODULE_FILE)] != '.'))
			continue;
		snprintf(path, size, "%.*s", (int)length, line);
		return length;
	}
	return 0;
}

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	/* Reads up to a NUL, that is, all of it. */
	if (getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

/* Compressed modules are not checked: they count as signed. */
static bool is_signed(const char *path)
{
	char end[sizeof(SIGNATURE_MARK)] = "";
	size_t length = strlen(path);
	FILE *file;

	if (length < 3 || strcmp(path + length - 3, ".ko") != 0)
		return true;
	file = fopen(path, "re");
	if (!file)
		return true;
	if (fseek(file, -(long)strlen(SIGNATURE_MARK), SEEK_END) == 0 &&
	    fread(end, 1, strlen(SIGNATURE_MARK), file) != strlen(SIGNATURE_MARK))
		end[0] = '\0';
	fclose(file);
	return strcmp(end, SIGNATURE_MARK) == 0;
}

static void look_for_file(struct module_facts *facts)
{
	char dep[128], path[512] = "";
	char *text;
	int at;

	snprintf(dep, sizeof(dep), "/lib/modules/%s/modules.dep", facts->release);
	text = read_text(dep);
	at = snprintf(path, sizeof(path), "/lib/modules/%s/", facts->release);
	facts->installed = text && module_path(text, path + at, sizeof(path) - (size_t)at);
	facts->is_signed = !facts->installed || is_signed(path);
	free(text);
}

static void look_at_device(struct module_facts *facts)
{
	int fd = kmod_open();

	facts->device_err = fd < 0 ? fd : 0;
	if (fd < 0)
		return;
	facts->check_err = kmod_check(fd, &facts->info);
	close(fd);
}

static void find_out(struct module_facts *facts)
{
	struct utsname name;
	char line[64];

	if (uname(&name) == 0)
		snprintf(facts->release, sizeof(facts->release), "%s", name.release);
	facts->kernel_has_modules = access("/proc/modules", F_OK) == 0;
	facts->loaded = access("/sys/module/tprof", F_OK) == 0;
	facts->has_btf = access(KMOD_BTF_PATH, F_OK) == 0;
	if (probe_read_line(MODULES_DISABLED_PATH, line, sizeof(line)))
		facts->loading_disabled = line[0] == '1';
	if (probe_read_line(LOCKDOWN_PATH, line, sizeof(line))) {
		facts->confidential = strstr(line, "[confidentiality]");
		facts->only_signed = facts->confidential || strstr(line, "[integrity]");
	}
	if (probe_read_line(SIG_ENFORCE_PATH, line, sizeof(line)))
		facts->only_signed |= line[0] == 'Y';
	look_at_device(facts);
	if (facts->device_err == -ENOENT && !facts->loaded)
		look_for_file(facts);
}

static void judge_absent(const struct module_facts *facts, struct finding *finding)
{
	if (facts->loaded) {
		finding_missing(finding, EOPNOTSUPP, "the module tprof is loaded, but " TPROF_DEVICE " does not exist: "
				"a container needs access to the host's device");
	} else if (!facts->kernel_has_modules) {
		finding_missing(finding, EOPNOTSUPP, "this kernel cannot load modules");
		finding_hint(finding, OTHER_ENGINE);
	} else if (facts->loading_disabled) {
		finding_missing(finding, EOPNOTSUPP, "the module tprof is not loaded, and the kernel loads no module "
				"until the next boot (kernel.modules_disabled)");
		finding_hint(finding, OTHER_ENGINE "; /etc/modules-load.d/ names the modules to load at boot");
	} else if (!facts->installed) {
		finding_missing(finding, EOPNOTSUPP, "the module tprof is not built for this kernel (%s)",
				facts->release);
		finding_mend(finding, "sudo make install-kmod && sudo modprobe tprof");
		finding_hint(finding, "%s; " OTHER_ENGINE, finding->mend);
	} else if (facts->only_signed && !facts->is_signed) {
		finding_missing(finding, EPERM, "the kernel loads signed modules only (Secure Boot, lockdown), "
				"and tprof.ko is not signed");
		finding_mend(finding, "sudo mokutil --import /var/lib/dkms/mok.pub");
		finding_hint(finding, "build it with DKMS, which signs it, and enroll the key once: %s", finding->mend);
	} else {
		finding_missing(finding, EOPNOTSUPP, "the module tprof is not loaded");
		finding_mend(finding, "sudo modprobe tprof");
		finding_hint(finding, "%s; " OTHER_ENGINE, finding->mend);
	}
}

static void judge_refused(const struct module_facts *facts, struct finding *finding)
{
	if (facts->confidential) {
		finding_missing(finding, EPERM, "the kernel is locked down: nothing may be sampled");
		finding_hint(finding, "boot with lockdown=integrity");
	} else if (facts->device_err == -EPERM || facts->device_err == -EACCES) {
		finding_missing(finding, EPERM, TPROF_DEVICE " may not be opened by this user");
		finding_hint(finding, "run it as root");
	} else {
		finding_missing(finding, EOPNOTSUPP, TPROF_DEVICE " cannot be opened: %s",
				strerror(-facts->device_err));
	}
}

static void judge_answer(const struct module_facts *facts, struct finding *finding)
{
	const struct tprof_module_info *info = &facts->info;

	if (facts->check_err != -EPROTO)
		finding_missing(finding, EOPNOTSUPP, TPROF_DEVICE " does not belong to the module tprof: %s",
				strerror(-facts->check_err));
	else if (info->abi != TPROF_ABI_VERSION)
		finding_missing(finding, EOPNOTSUPP, "the loaded module (%.15s) has version %u of the filter ABI; "
				"this tprof has version %u", info->version, info->abi, TPROF_ABI_VERSION);
	else
		finding_missing(finding, EOPNOTSUPP, "the loaded module (%.15s) lacks features that this tprof needs",
				info->version);
	finding_mend(finding, "sudo make install-kmod && sudo modprobe -r tprof && sudo modprobe tprof");
}

void module_judge(const struct module_facts *facts, struct finding *finding)
{
	/* In confidentiality mode, loading the module would not help. */
	if (facts->device_err == -ENOENT && !facts->confidential) {
		judge_absent(facts, finding);
	} else if (facts->device_err || facts->confidential) {
		judge_refused(facts, finding);
	} else if (facts->check_err) {
		judge_answer(facts, finding);
	} else if (!facts->has_btf) {
		finding_missing(finding, EOPNOTSUPP, "the module tprof is loaded, but has no BTF: no filter can attach "
				"to it");
		finding_mend(finding, "sudo cp /sys/kernel/btf/vmlinux /lib/modules/%s/build/ && "
			     "sudo make install-kmod && sudo modprobe -r tprof && sudo modprobe tprof", facts->release);
		finding_hint(finding, "build it again with the kernel's vmlinux beside the headers; tprof doctor shows "
			     "how");
	} else {
		finding_ok(finding, TPROF_DEVICE ", version %.15s", facts->info.version);
	}
}

void probe_module(struct finding *finding)
{
	struct module_facts facts = { 0 };

	find_out(&facts);
	module_judge(&facts, finding);
}
