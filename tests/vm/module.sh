#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=105
# Builds and installs the module for the kernel of the machine x86-64, and checks its code. Does not load it.
. "${0%/*}/../lib/tap.sh"
cd "${0%/*}/../.." || exit 1
harness=tests/vm/machine
. tests/vm/machine/machine.sh

BUILD=$(cd "$BUILD" && pwd)
machine x86-64
version=$(cat VERSION)
tests/vm/machine/kernel.sh "$kernel" "$arch" "$cache/kernels" >/dev/null 2>"$TMP/fetch" ||
	bail "$(tail -n 5 "$TMP/fetch")"
kdir=$kernel_dir/build
release=$(cat "$kdir/include/config/kernel.release")

# make_kmod ARGUMENT...: runs make without the variables of a calling make
make_kmod() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make "O=$TMP/build" "$@" 2>&1
}

sources() {
	find kmod include tests/vm | sort
}
sources >"$TMP/before"
said=$(make_kmod kmod "KDIR=$kdir" C=1 W=1) || bail "make kmod: $(printf '%s\n' "$said" | grep -E 'error|Error' | head)"
ok 'make kmod builds it'
# Only messages about our files count; headers of the kernel cause warnings too.
is 'sparse and the compiler with W=1 have nothing to say' \
	"$(printf '%s\n' "$said" | grep -E 'warning|error' | grep -v "^$kernel_dir")" ''
# This kernel is one of x86-64.
like 'sparse looked at each file' "$(printf '%s\n' "$said" | grep -c CHECK)" "^$(ls kmod/*.c | grep -vc '_arm64\.c$')\$"
is 'nothing is written into the source tree' "$(sources | diff "$TMP/before" -)" ''

module=$TMP/build/kmod/tprof.ko
is 'modinfo: version' "$(modinfo -F version "$module")" "$version"
is 'modinfo: license' "$(modinfo -F license "$module")" GPL
like 'modinfo: description' "$(modinfo -F description "$module")" .
is 'modinfo: for this kernel' "$(modinfo -F vermagic "$module" | cut -d' ' -f1)" "$release"
modinfo -F parm "$module" >"$TMP/parm"
is 'modinfo: each parameter is described' "$(grep -vE '^[a-z_]+:[^(]+ \(' "$TMP/parm")" ''

objdump -dr --no-show-raw-insn "$module" |
	awk -v from='overflow tprof_source_fire' -v not=tprof_deliver -f tests/vm/calls.awk | sort >"$TMP/nmi"
sed -n '/^## The path in NMI/,/^## The picture/s/^| \(`[^|]*`\) |.*/\1/p' docs/testing.md |
	sed 's/, /\n/g' | tr -d '`' | sort >"$TMP/nmi.doc"
is 'in NMI only what docs/testing.md lists is called' "$(cat "$TMP/nmi")" "$(cat "$TMP/nmi.doc")"

said=$(make_kmod kmod "KDIR=$kdir" C=1 W=1)
is 'made again: nothing to do' "$?:$said" 0:

said=$(make_kmod kmod "KDIR=$TMP/nowhere")
like 'no headers: one sentence' "$(printf '%s\n' "$said" | head -n 1)" \
	'^kmod: no kernel headers in .*/nowhere: install linux-headers-.*, or say KDIR='

# Some distributions ship kernel headers without vmlinux, so BTF of modules cannot be generated.
mkdir "$TMP/bare" "$TMP/small"
cp -as "$kernel_dir/usr" "$TMP/bare/"
find "$TMP/bare" -name vmlinux -delete
echo 'obj-m := small.o' >"$TMP/small/Kbuild"
printf '#include <linux/module.h>\nMODULE_LICENSE("GPL");\nMODULE_DESCRIPTION("small");\n' >"$TMP/small/small.c"
said=$(sh mk/kmod.sh "$TMP/small" "$TMP/fit" "$kdir" 2>&1)
[ -e "$TMP/fit/small.ko" ] && ok 'headers with vmlinux: fit' || not_ok 'headers with vmlinux: fit' "$said"
said=$(sh mk/kmod.sh "$TMP/small" "$TMP/unfit" "$TMP"/bare/usr/src/*-cloud-* 2>&1)
[ $? -ne 0 ] && ok 'headers without vmlinux: fails' || not_ok 'headers without vmlinux: fails' "$said"
like 'headers without vmlinux: says why' "$said" '^kmod: small.ko has no BTF: '
check 'headers without vmlinux: leaves no module' test ! -e "$TMP/unfit/small.ko"

# With the same warnings, so that it builds nothing again.
check 'make install-kmod' make_kmod install-kmod "KDIR=$kdir" C=1 W=1 "DESTDIR=$TMP/root"
touch "$TMP/root/lib/modules/$release/modules.order" "$TMP/root/lib/modules/$release/modules.builtin"
check 'depmod takes it' depmod -b "$TMP/root" "$release"
like 'modprobe would find it' "$(modprobe -d "$TMP/root" -S "$release" -D tprof 2>&1)" '/updates/tprof\.ko'
check 'make uninstall-kmod' make_kmod uninstall-kmod "KDIR=$kdir" "DESTDIR=$TMP/root"
is 'nothing of it is left' "$(find "$TMP/root" -name 'tprof*')" ''

check 'make install-dkms' make_kmod install-dkms "DESTDIR=$TMP/root"
mkdir "$TMP/dkms"
check 'dkms builds it' dkms build --dkmstree "$TMP/dkms" --sourcetree "$TMP/root/usr/src" -m tprof -v "$version" \
	-k "$release" --kernelsourcedir "$kdir"
built=$(find "$TMP/dkms" -name 'tprof.ko*')
[ -n "$built" ] || diag "$(find "$TMP/dkms" -name make.log -exec tail -n 40 {} +)"
is 'dkms: version' "$(modinfo -F version "$built" 2>&1)" "$version"
is 'dkms: the same sources' "$(modinfo -F srcversion "$built" 2>&1)" "$(modinfo -F srcversion "$module")"
check 'make uninstall-dkms' make_kmod uninstall-dkms "DESTDIR=$TMP/root"
is 'nothing of it is left in /usr/src' "$(ls "$TMP/root/usr/src")" ''
done_testing
