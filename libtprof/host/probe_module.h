/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Why the kernel module cannot be used: collected facts, and the conclusion. */
#ifndef TPROF_PROBE_MODULE_H
#define TPROF_PROBE_MODULE_H

#include "kmod_device.h"
#include "probe.h"

struct module_facts {
	char release[65];		/* of the running kernel */
	bool kernel_has_modules;
	bool loading_disabled;		/* until the next boot: the sysctl kernel.modules_disabled */
	bool installed;			/* for this kernel */
	bool is_signed;			/* or unknown */
	bool only_signed;		/* only signed modules can be loaded: lockdown, or module.sig_enforce */
	bool confidential;		/* lockdown in confidentiality mode, which refuses sessions */
	bool loaded;
	bool has_btf;
	int device_err;			/* result of opening the device; 0: success */
	int check_err;			/* result of kmod_check() */
	struct tprof_module_info info;	/* if the check was made */
};

void module_judge(const struct module_facts *facts, struct finding *finding);

/*
 * Finds the module in the text of modules.dep. @path gets its path relative to the directory of that file, including
 * the compression suffix. Returns the length of the path; 0: not installed.
 */
size_t module_path(const char *modules_dep, char *path, size_t size);

#endif
