#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# prepare.sh MACHINE [.c | .sh | TEST...]: downloads and builds everything that the machine needs, and packs its
# initramfs with the selected guest tests. Quick if nothing has changed. The last lines of its output have the error.
set -eu

. "${0%/*}/machine.sh"
machine "$1"
shift

# Keeps variables from the command line of a calling make, but not its jobs.
case ${MAKEFLAGS-} in
*' -- '*) MAKEFLAGS=" -- ${MAKEFLAGS#* -- }" ;;
*) unset MAKEFLAGS ;;
esac
unset MFLAGS MAKELEVEL

# Several machines may be prepared at the same time with the same build.
exec 8>"$build/vm/prepare.lock"
flock 8

# make_in DIRECTORY TARGET...: runs make with O= as a relative path, because another name of the same directory would
# rebuild everything
make_in() {
	make_o=${1#"$top"/}
	shift
	make -s --no-print-directory -C "$top" -j"$(nproc)" "O=$make_o" "$@"
}

cross_make() {
	PKG_CONFIG_SYSROOT_DIR=$sysroot
	PKG_CONFIG_LIBDIR=$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:$sysroot/usr/share/pkgconfig
	export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
	make_in "$user_build" "CC=aarch64-linux-gnu-gcc --sysroot=$sysroot" AR=aarch64-linux-gnu-ar "$@"
}

"$harness/kernel.sh" "$kernel" "$arch" "$cache/kernels" >/dev/null
make_in "$build" filters guest-filters
if [ "$arch" = amd64 ]; then
	sysroot=/
	make_in "$build" lib cli guest
else
	sysroot=$("$harness/sysroot.sh" "$arch" "$cache")
	cross_make lib cli guest
fi

# build_module SOURCE NAME ARGUMENT...: builds modules for this kernel, on the host or in the sid system
build_module() {
	source=$1
	module=$modules/$2
	shift 2
	headers=$kernel_dir/build
	[ "$kernel" != next ] || headers=/usr/src/$(basename "$(readlink "$headers")")
	set -- sh "$top/mk/kmod.sh" "$source" "$module" "$headers" -j"$(nproc)" "$@"
	[ "$kernel" != next ] || set -- "$harness/in_sid.sh" "$kernel_dir/root" "$top" "$modules" "$source" -- "$@"
	"$@"
}

if [ "$tests" = kmod ]; then
	build_module "${KMOD:-$top/kmod}" tprof
	# The make of the kernel does not notice changed symbol versions of tprof.ko.
	symbols=$modules/tests/Module.symvers
	[ ! "$symbols" -ot "$modules/tprof/Module.symvers" ] || rm -f "$symbols"
	# No filter attaches to these, so they need no BTF, which takes long to make.
	build_module "$vm/modules" tests "KBUILD_EXTRA_SYMBOLS=$modules/tprof/Module.symvers" \
		CONFIG_DEBUG_INFO_BTF_MODULES=
fi
"$harness/initramfs.sh" "$machine_name" "$sysroot" "$@"
