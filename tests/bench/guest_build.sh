#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# guest_build.sh BUILD: builds everything that guest.sh boots, below BUILD/bench. Quick if nothing has changed. The last
# lines of its output have the error.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
out=$build/bench
root=$out/root

# Variables of a calling make must not affect the makes that this script runs.
unset MAKEFLAGS MFLAGS MAKELEVEL

kernel=$("$top/tests/vm/machine/kernel.sh" 6.12 amd64 "${VM_CACHE:-$build/vm}/kernels")
ln -sfn "$kernel/vmlinuz" "$out/vmlinuz"
make -s --no-print-directory -C "$top" -j"$(nproc)" "O=$build" lib filters cli
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
	cc -std=gnu11 -Wall -Wextra -D_GNU_SOURCE -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls -no-pie \
		-I"$top" -I"$top/include" "$@" "$build/libtprof.a" \
		$(pkg-config --libs libbpf libdw libelf liblzma jansson libprotobuf-c zlib libzstd) -liberty \
			-o "$out/$name"
}
program sample_cost "$here"/sample_cost*.c
program drain_cost "$here/drain_cost.c"
cc -std=gnu11 -Wall -Wextra -D_GNU_SOURCE -O2 -pthread -I"$top/include" "$here/session_cost.c" -o "$out/session_cost"
cc -std=gnu11 -Wall -Wextra -D_GNU_SOURCE -O2 -static "$here/crowd.c" -o "$out/crowd"
cc -std=gnu11 -Wall -Wextra -O2 -shared -fPIC "$here/count_blocks.c" -o "$out/count_blocks.so"

rm -rf "$root"
mkdir -p "$out" "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/bench/filters"
install "$(command -v busybox)" "$root/bin/busybox"
install "$here/guest_init" "$root/init"
install "$out/sample_cost" "$out/session_cost" "$out/drain_cost" "$out/crowd" "$here/idle_wakes.sh" "$build/tprof" \
	"$(command -v perf)" "$root/bench/"
# Copies the libraries to the paths where the loader finds them.
ldd "$out/sample_cost" "$root/bench/tprof" "$root/bench/perf" | sed -n 's|^[^/]*\(/[^ ]*\) (.*|\1|p' | sort -u |
	while read -r library; do
		install -D "$library" "$root$library"
	done
install -m 644 "$out"/*.bpf.o "$build/filters/top.bpf.o" "$root/bench/filters/"
for module in "$out/tprof/tprof.ko" "$out"/module/*.ko; do
	strip --strip-debug -o "$root/bench/$(basename "$module")" "$module"
done
(cd "$root" && find . | cpio --quiet -o -H newc) >"$out/initramfs"
