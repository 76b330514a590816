# SPDX-License-Identifier: GPL-2.0-only
# Builds the kernel module tprof.ko for the kernel of KDIR, in $(O)/kmod. ARCH=, CROSS_COMPILE=, LLVM=, C= (sparse) and
# W= (warnings) are passed to the make of the kernel, and the jobs of this make. Without -j, it uses all CPUs.

KDIR	?= /lib/modules/$(shell uname -r)/build

KMOD_ARGS = $(foreach name,ARCH CROSS_COMPILE LLVM C W V,$(if $($(name)),$(name)=$($(name)))) $(PARALLEL)
# With +, recipes get the jobserver of this make, but would also run with -n.
jobserver = $(if $(findstring n,$(filter-out -%,$(firstword $(MAKEFLAGS)))),,+)
kmod_make = $(jobserver)sh mk/kmod.sh kmod $(O)/kmod $(KDIR) $(KMOD_ARGS)
KMOD_RELEASE = $$(cat $(KDIR)/include/config/kernel.release)

# The headers of a distribution do not include its signing key; without it, the make of the kernel would print errors.
UNSIGNED = $(if $(wildcard $(KDIR)/certs/signing_key.pem),,CONFIG_MODULE_SIG_ALL=)

# Where DKMS looks for sources.
DKMS_TREE = $(DESTDIR)/usr/src/tprof-$(VERSION)

.PHONY: kmod install-kmod uninstall-kmod install-dkms uninstall-dkms
kmod:
	$(Q)$(kmod_make) modules

# depmod must run on the machine that uses the module, so it does not run with DESTDIR.
install-kmod: kmod
	$(Q)$(kmod_make) $(if $(DESTDIR),INSTALL_MOD_PATH=$(abspath $(DESTDIR))) $(UNSIGNED) modules_install
	$(if $(DESTDIR),,$(Q)depmod $(KMOD_RELEASE))

uninstall-kmod:
	$(Q)cd $(DESTDIR)/lib/modules/$(KMOD_RELEASE)/updates && rm -f tprof.ko* tprof_function.ko*
	$(if $(DESTDIR),,$(Q)depmod $(KMOD_RELEASE))

install-dkms:
	$(Q)$(INSTALL) -D -m 644 -t $(DKMS_TREE) kmod/*.[ch] kmod/Kbuild mk/btf.sh
	$(Q)$(INSTALL) -D -m 644 -t $(DKMS_TREE)/include/uapi include/uapi/*.h
	$(Q)sed 's|@VERSION@|$(VERSION)|g' kmod/dkms.conf >$(DKMS_TREE)/dkms.conf

uninstall-dkms:
	$(Q)rm -rf $(DKMS_TREE)
