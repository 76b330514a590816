/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Calls of the module's device and of its sessions (include/uapi/tprof_device.h). */
#ifndef TPROF_KMOD_DEVICE_H
#define TPROF_KMOD_DEVICE_H

#include "uapi/tprof_device.h"

/* What this library cannot do without. */
#define KMOD_FEATURES_NEEDED (TPROF_FEATURE_TIMER | TPROF_FEATURE_PERF | TPROF_FEATURE_FILTER | TPROF_FEATURE_STREAM)

/* Types of the module that filters are checked against; not there if it was built without. */
#define KMOD_BTF_PATH "/sys/kernel/btf/tprof"

/* Opens the device. Errors: ENOENT (not loaded, or not passed into this container), EPERM, EACCES, ... */
int kmod_open(void);

/* ioctl(2): what it returns, or -errno. */
int kmod_call(int fd, unsigned long request, void *arg);

/* Asks the device whether this library can use it. 0; EPROTO: another ABI, or features are missing; or the ioctl's. */
int kmod_check(int device, struct tprof_module_info *info);

#endif
