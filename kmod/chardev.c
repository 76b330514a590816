// SPDX-License-Identifier: GPL-2.0-only
/* The character device /dev/tprof, which creates sessions and returns their file descriptors. */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/uaccess.h>

#include "abi.h"
#include "calls.h"
#include "chardev.h"
#include "compat.h"
#include "registry.h"
#include "session.h"
#include "session_file.h"

/*
 * The checks of perf_event_open() for an event of all processes with samples of the kernel. The kernel does not export
 * security_perf_event_open() to modules; perf_allow_kernel() calls it, with PERF_SECURITY_KERNEL.
 */
static int check_permission(void)
{
	int err;

	if (!perfmon_capable())
		return -EPERM;
	err = security_locked_down(LOCKDOWN_PERF);
	return err ?: tprof_perf_allow_kernel();
}

static long create(const struct tprof_create *create)
{
	struct tprof_session *session;
	int err, fd;

	if (create->flags)
		return -EINVAL;
	err = check_permission();
	if (err)
		return err;
	session = tprof_session_create();
	if (IS_ERR(session))
		return PTR_ERR(session);
	fd = anon_inode_getfd("[tprof]", &tprof_session_fops, session, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		tprof_session_close(session);
	return fd;
}

static void fill_info(struct tprof_module_info *info)
{
	*info = (struct tprof_module_info){
		.size = info->size,
		.abi = TPROF_ABI_VERSION,
		.features = TPROF_FEATURE_TIMER | TPROF_FEATURE_PERF | TPROF_FEATURE_FILTER | TPROF_FEATURE_STREAM |
			    TPROF_FEATURE_IDLE | TPROF_FEATURE_USER_STACK | TPROF_FEATURE_KERNEL_STACK |
			    TPROF_FEATURE_ENABLE | TPROF_FEATURE_SEAL | TPROF_FEATURE_EVENT_LEDGER |
			    TPROF_FEATURE_WAIT | TPROF_FEATURE_WAKEUP | TPROF_FEATURE_RUN | TPROF_FEATURE_OWNER |
			    (IS_ENABLED(CONFIG_CGROUPS) ? TPROF_FEATURE_CGROUP : 0) |
			    (IS_ENABLED(CONFIG_KRETPROBES) ? TPROF_FEATURE_KPROBE : 0) |
			    (IS_ENABLED(CONFIG_UPROBES) ? TPROF_FEATURE_UPROBE : 0),
		.nr_sources = tprof_source_nr_ops(),
		.nr_sessions = tprof_session_nr_sessions(),
		.version = TPROF_VERSION,
	};
}

static long call_device(unsigned int cmd, void __user *user)
{
	union {
		struct tprof_module_info info;
		struct tprof_create create;
		struct tprof_source_info source;
	} argument = {};
	int err;

	if (_IOC_TYPE(cmd) != TPROF_IOC_MAGIC)
		return -ENOTTY;
	switch (_IOC_NR(cmd)) {
	case _IOC_NR(TPROF_IOC_INFO):
		err = tprof_abi_copy_in(&argument, sizeof(argument.info), TPROF_ABI_LEAST(tprof_module_info, version),
					user);
		if (err)
			return err;
		fill_info(&argument.info);
		return tprof_abi_copy_out(user, &argument, sizeof(argument.info));
	case _IOC_NR(TPROF_IOC_CREATE):
		err = tprof_abi_copy_in(&argument, sizeof(argument.create), TPROF_ABI_LEAST(tprof_create, flags), user);
		return err ?: create(&argument.create);
	case _IOC_NR(TPROF_IOC_SOURCE):
		err = tprof_abi_copy_in(&argument, sizeof(argument.source), TPROF_ABI_LEAST(tprof_source_info, name),
					user);
		if (!err && argument.source.pad)
			err = -EINVAL;
		if (!err)
			err = tprof_source_describe(&argument.source);
		return err ?: tprof_abi_copy_out(user, &argument, sizeof(argument.source));
	default:
		return -ENOTTY;
	}
}

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return tprof_ioctl_ended(cmd, call_device(cmd, (void __user *)arg));
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.open = nonseekable_open,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "tprof",
	.fops = &device_fops,
	.mode = 0600,
};

int tprof_chardev_init(void)
{
	return misc_register(&device);
}

void tprof_chardev_exit(void)
{
	misc_deregister(&device);
}
