/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* System calls on the kernel module's device and its sessions (include/uapi/tprof_device.h). */
#ifndef TPROF_KMOD_DEVICE_H
#define TPROF_KMOD_DEVICE_H

#include "uapi/tprof_device.h"

/* Module features that this library requires. */
#define KMOD_FEATURES_NEEDED (TPROF_FEATURE_TIMER | TPROF_FEATURE_PERF | TPROF_FEATURE_FILTER | TPROF_FEATURE_STREAM)

/* BTF of the module, which filters are checked against; missing if the module was built without BTF. */
#define KMOD_BTF_PATH "/sys/kernel/btf/tprof"

/*
 * Opens the device. Errors: ENOENT (the module is not loaded, or the device is not passed into this container), EPERM,
 * EACCES, those of open(2).
 */
int kmod_open(void);

/* ioctl(2). Returns its result or -errno. */
int kmod_call(int fd, unsigned long request, void *arg);

/*
 * Checks that this library can use the device. Returns 0, -EPROTO (another ABI version, or missing features), or the
 * -errno of the ioctl.
 */
int kmod_check(int device, struct tprof_module_info *info);

#endif
