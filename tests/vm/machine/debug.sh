#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# debug.sh debug|race DIRECTORY CONFIG: builds a kernel with debugging checks from Debian's source of 6.12, as
# DIRECTORY/vmlinuz and DIRECTORY/build, like kernel.sh for other kernels. CONFIG is the configuration of Debian's
# kernel; drivers and modules are removed from it. Takes 15 to 30 minutes, once, on two otherwise idle CPUs.
set -eu

flavour=$1
dir=$2
config=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/apt.sh"

case $flavour in
debug)
	# Memory: use after free, out of bounds, leaks. Locks: lock order, sleeping in atomic context, RCU. Undefined
	# behaviour of C. Corrupted lists and misused objects. Fault injection.
	checks='KASAN KASAN_GENERIC KASAN_INLINE KASAN_VMALLOC DEBUG_KMEMLEAK DEBUG_KMEMLEAK_AUTO_SCAN SLUB_DEBUG
		PROVE_LOCKING PROVE_RCU DEBUG_ATOMIC_SLEEP DEBUG_PREEMPT DEBUG_IRQFLAGS
		UBSAN UBSAN_BOUNDS UBSAN_SHIFT
		DEBUG_LIST BUG_ON_DATA_CORRUPTION DEBUG_OBJECTS DEBUG_OBJECTS_FREE DEBUG_OBJECTS_TIMERS
		DEBUG_OBJECTS_WORK DEBUG_OBJECTS_RCU_HEAD DEBUG_NOTIFIERS DEBUG_VM DETECT_HUNG_TASK
		FAULT_INJECTION FAILSLAB FAIL_PAGE_ALLOC FAULT_INJECTION_USERCOPY FAULT_INJECTION_DEBUG_FS'
	not=
	;;
race)
	# Data races, on a kernel where almost all code is preemptible, and locks that sleep on real-time kernels.
	checks='KCSAN PREEMPT_RT PROVE_LOCKING PROVE_RCU PROVE_RAW_LOCK_NESTING DEBUG_ATOMIC_SLEEP DEBUG_PREEMPT
		DETECT_HUNG_TASK'
	not='PREEMPT_NONE PREEMPT_VOLUNTARY PREEMPT_DYNAMIC'
	;;
esac
# Features that the guest does not need and that are slow to build, and signatures, which need keys.
without='DRM SOUND USB WIRELESS WLAN ETHERNET BT SCSI ATA INFINIBAND MEDIA_SUPPORT XFS_FS BTRFS_FS
	EXT4_FS F2FS_FS FUSE_FS NFS_FS FS_ENCRYPTION FS_VERITY QUOTA NETFILTER FB DAMON LIVEPATCH
	HYPERV XEN KVM MODULE_SIG SYSTEM_TRUSTED_KEYRING SECURITY_SELINUX
	SECURITY_TOMOYO SECURITY_APPARMOR RANDSTRUCT GCC_PLUGINS IMA INTEGRITY'
# These keys exist only in Debian's own build.
keys='SYSTEM_TRUSTED_KEYS MODULE_SIG_KEY SYSTEM_REVOCATION_KEYS'

fail() {
	echo "vm: no kernel for debugging: $*" >&2
	exit 1
}

configure() {
	sed '/=m$/d' "$config" >"$dir/build/.config"
	set --
	for option in $without $not; do
		set -- "$@" --disable "$option"
	done
	for option in $keys; do
		set -- "$@" --set-str "$option" ''
	done
	for option in $checks; do
		set -- "$@" --enable "$option"
	done
	"$dir/source/scripts/config" --file "$dir/build/.config" "$@"
	make_kernel olddefconfig
	for option in $checks MODULES DEBUG_INFO_BTF DEBUG_INFO_BTF_MODULES SERIAL_8250_CONSOLE; do
		grep -q "^CONFIG_$option=y" "$dir/build/.config" || fail "its configuration has no $option"
	done
}

make_kernel() {
	make -s -C "$dir/source" O="$dir/build" -j"$(nproc)" KCFLAGS=-w "$@" >&2 || fail "make $* failed"
}

fetch() {
	apt_open "$dir/apt" amd64 >&2 || fail 'apt has no lists'
	(cd "$dir" && apt_own apt-get download linux-source-6.12 >&2) || fail 'apt could not fetch its source'
	rm -rf "$dir/source.new"
	mkdir "$dir/source.new"
	dpkg-deb --fsys-tarfile "$dir"/linux-source-6.12_*.deb |
		tar -xOf - --wildcards './usr/src/linux-source-*.tar.xz' |
		tar -xJf - --strip-components=1 -C "$dir/source.new" || fail 'its source cannot be unpacked'
	rm -rf "$dir"/*.deb "$dir/apt"
	mv "$dir/source.new" "$dir/source"
}

mkdir -p "$dir/build"
[ -e "$dir/source" ] || fetch
configure
make_kernel bzImage modules_prepare
# The kernel is built without modules, so all exported symbols are those of vmlinux.
cp "$dir/build/vmlinux.symvers" "$dir/build/Module.symvers"
ln -sfn build/arch/x86/boot/bzImage "$dir/vmlinuz"
# Removes files that are not needed to build modules.
find "$dir/build" -path "$dir/build/scripts" -prune -o -path "$dir/build/tools" -prune -o \
	\( -name '*.o' -o -name '*.a' -o -name '.*.cmd' -o -name '.tmp_vmlinux*' -o -name 'vmlinux.bin*' \) -type f \
	-exec rm -f {} +
