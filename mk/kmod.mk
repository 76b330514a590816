# SPDX-License-Identifier: GPL-2.0-only
# The kernel module: tprof.ko for the kernel of KDIR, in $(O)/kmod. ARCH=, CROSS_COMPILE=, C= (sparse) and W=
# (warnings) mean what they mean to the kernel's make.

KDIR	?= /lib/modules/$(shell uname -r)/build

KMOD_ARGS = $(foreach name,ARCH CROSS_COMPILE LLVM C W V,$(if $($(name)),$(name)=$($(name)))) -j$(shell nproc)
kmod_make = sh mk/kmod.sh kmod $(O)/kmod $(KDIR) $(KMOD_ARGS)

.PHONY: kmod install-kmod uninstall-kmod install-dkms
kmod:
	$(Q)$(kmod_make) modules

# The module goes where the kernel's modules_install puts it; depmod is for the machine that it will run on.
install-kmod: kmod
	$(Q)$(kmod_make) INSTALL_MOD_PATH=$(abspath $(DESTDIR)) modules_install
	$(if $(DESTDIR),,$(Q)depmod $$(cat $(KDIR)/include/config/kernel.release))
