/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* What keeps the kernel module from being used: the facts, and what follows from them. */
#ifndef TPROF_PROBE_MODULE_H
#define TPROF_PROBE_MODULE_H

#include "kmod_device.h"
#include "probe.h"

struct module_facts {
	char release[65];		/* of the running kernel */
	bool kernel_has_modules;
	bool installed;			/* for this kernel */
	bool is_signed;			/* or cannot be told */
	bool only_signed;		/* are loaded: lockdown, or module.sig_enforce */
	bool confidential;		/* lockdown of the second kind, which refuses sessions */
	bool loaded;
	bool has_btf;
	int device_err;			/* of opening the device; 0: it opens */
	int check_err;			/* of asking it */
	struct tprof_module_info info;	/* if it was asked */
};

void module_judge(const struct module_facts *facts, struct finding *finding);

/*
 * From the text of modules.dep: the path of the module, relative to where that file is, with what it was compressed by.
 * Returns its length, 0 if it is not installed.
 */
size_t module_path(const char *modules_dep, char *path, size_t size);

#endif
