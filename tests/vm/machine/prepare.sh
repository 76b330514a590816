#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# prepare.sh MACHINE [.c | .sh | TEST...]: fetches and builds all that the machine needs, and packs its initramfs, with
# these guest tests or all of its. Quick if all is there. What went wrong is the last output.
set -eu

. "${0%/*}/machine.sh"
machine "$1"
shift

# Variables that were said on the command line of a make which runs this, but not its jobs.
case ${MAKEFLAGS-} in
*' -- '*) MAKEFLAGS=" -- ${MAKEFLAGS#* -- }" ;;
*) unset MAKEFLAGS ;;
esac
unset MFLAGS MAKELEVEL

# Several machines may be prepared at the same time, out of the same build.
exec 8>"$build/vm/prepare.lock"
flock 8

# As make names it by itself: with another name of it all is built anew.
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

# build_module SOURCE NAME ARGUMENT...: for this kernel, with programs that run here or in the folder with sid
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
	# The kernel's make does not see that the versions of our symbols have changed.
	for symbols in "$modules"/*/Module.symvers; do
		[ ! "$symbols" -ot "$modules/tprof/Module.symvers" ] || rm "$symbols"
	done
	for directory in "$vm"/modules/*/; do
		[ ! -e "$directory/Kbuild" ] || build_module "$directory" "$(basename "$directory")" \
			"KBUILD_EXTRA_SYMBOLS=$modules/tprof/Module.symvers"
	done
fi
"$harness/initramfs.sh" "$machine_name" "$sysroot" "$@"
