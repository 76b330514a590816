#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# guest_build.sh BUILD ARCHITECTURE: builds everything that guest.sh boots, in BUILD/bench/ARCHITECTURE. Quick if
# nothing has changed. The last lines of its output have the error.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
arch=$2
out=$build/bench/$arch
root=$out/root
cache=${VM_CACHE:-$build/vm}

# Variables of a calling make must not affect the makes that this script runs.
unset MAKEFLAGS MFLAGS MAKELEVEL

# make_in DIRECTORY TARGET...: runs make with O= as a relative path, because another name of the same directory would
# rebuild everything
make_in() {
	make_o=${1#"$top"/}
	shift
	make -s --no-print-directory -C "$top" -j"$(nproc)" "O=$make_o" "$@"
}

kernel=$("$top/tests/vm/machine/kernel.sh" 6.12 "$arch" "$cache/kernels")
ln -sfn "$kernel/vmlinuz" "$out/vmlinuz"
sysroot= strip= cc=cc user_build=$build
make_in "$build" lib filters cli
if [ "$arch" = arm64 ]; then
	sysroot=$("$top/tests/vm/machine/sysroot.sh" "$arch" "$cache")
	strip=aarch64-linux-gnu- cc="aarch64-linux-gnu-gcc --sysroot=$sysroot" user_build=$build/vm/$arch
	PKG_CONFIG_SYSROOT_DIR=$sysroot
	PKG_CONFIG_LIBDIR=$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:$sysroot/usr/share/pkgconfig
	export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
	make_in "$user_build" "CC=$cc" AR=aarch64-linux-gnu-ar lib cli
fi
sh "$top/mk/kmod.sh" "$top/kmod" "$out/tprof" "$kernel/build" -j"$(nproc)"
# The make of the kernel does not notice changed symbol versions of tprof.ko.
[ ! "$out/module/Module.symvers" -ot "$out/tprof/Module.symvers" ] || rm -f "$out/module/Module.symvers"
sh "$top/mk/kmod.sh" "$here/module" "$out/module" "$kernel/build" "KBUILD_EXTRA_SYMBOLS=$out/tprof/Module.symvers"
for filter in "$here"/filters/*.bpf.c; do
	clang -g -O2 --target=bpf -Wall -Werror -I"$top/include" -I"$top/bpf/include" -c "$filter" \
		-o "$out/$(basename "$filter" .c).o"
done
# program NAME SOURCE...: builds a program with the library. sample_cost needs frame pointers for its call stacks.
program() {
	name=$1
	shift
	# shellcheck disable=SC2046 # words
	$cc -std=gnu11 -Wall -Wextra -D_GNU_SOURCE -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls -no-pie \
		-I"$top" -I"$top/include" "$@" "$user_build/libtprof.a" \
		$(pkg-config --libs libbpf libdw libelf liblzma jansson libprotobuf-c zlib libzstd) -liberty \
			-o "$out/$name"
}
program sample_cost "$here"/sample_cost*.c
program drain_cost "$here/drain_cost.c"
program switch_cost "$here/switch_cost.c"
program wait_cost "$here/wait_cost.c"
$cc -std=gnu11 -Wall -Wextra -D_GNU_SOURCE -O2 -pthread -I"$top/include" "$here/session_cost.c" -o "$out/session_cost"
$cc -std=gnu11 -Wall -Wextra -D_GNU_SOURCE -O2 -static "$here/crowd.c" -o "$out/crowd"
cc -std=gnu11 -Wall -Wextra -O2 -shared -fPIC "$here/count_blocks.c" -o "$out/count_blocks.so"

rm -rf "$root"
mkdir -p "$out" "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/bench/filters"
busybox=$(command -v busybox) perf=$(command -v perf)
if [ -n "$sysroot" ]; then
	busybox=$sysroot/usr/bin/busybox perf=$sysroot/usr/bin/perf
	[ -e "$busybox" ] || busybox=$sysroot/bin/busybox
fi
install "$busybox" "$root/bin/busybox"
install "$here/guest_init" "$root/init"
install "$out/sample_cost" "$out/session_cost" "$out/drain_cost" "$out/switch_cost" "$out/wait_cost" "$out/crowd" \
	"$here/idle_wakes.sh" "$user_build/tprof" "$perf" "$root/bench/"
# needs FILE...: copies the libraries and the loader that the files need to the paths where the loader finds them
needs() {
	readelf -lWd "$@" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p; s/.*program interpreter: \(.*\)\]/\1/p' | sort -u |
		while read -r library; do
			for place in "$library" /lib/*-linux-gnu/"$library" "$sysroot"/lib/*-linux-gnu/"$library"; do
				place=${place#"$sysroot"}
				[ -e "$sysroot$place" ] || continue
				[ ! -e "$root$place" ] || break
				install -D "$sysroot$place" "$root$place"
				needs "$sysroot$place"
				break
			done
		done
}
needs "$out/sample_cost" "$root/bench/tprof" "$root/bench/perf"
install -m 644 "$out"/*.bpf.o "$root/bench/filters/"
for filter in top dwarf stacks offcpu runqlat; do
	install -m 644 "$build/filters/$filter.bpf.o" "$root/bench/filters/"
done
for module in "$out/tprof/tprof.ko" "$out"/module/*.ko; do
	"${strip}strip" --strip-debug -o "$root/bench/$(basename "$module")" "$module"
done
(cd "$root" && find . | cpio --quiet -o -H newc) >"$out/initramfs"
