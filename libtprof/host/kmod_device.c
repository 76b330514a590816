// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* System calls on the kernel module's device. */
#include "kmod_device.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>

int kmod_open(void)
{
	int fd = open(TPROF_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int kmod_call(int fd, unsigned long request, void *arg)
{
	int result = ioctl(fd, request, arg);

	return result < 0 ? -errno : result;
}

int kmod_check(int device, struct tprof_module_info *info)
{
	int err;

	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	err = kmod_call(device, TPROF_IOC_INFO, info);
	if (err < 0)
		return err;
	return info->abi == TPROF_ABI_VERSION && (info->features & KMOD_FEATURES_NEEDED) == KMOD_FEATURES_NEEDED ?
	       0 : -EPROTO;
}
