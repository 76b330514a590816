#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kmod.sh SOURCE OUT KDIR [ARGUMENT...]: builds the kernel module of the directory SOURCE in OUT, for the kernel
# whose headers are in KDIR; ARGUMENTs are for the kernel's make (ARCH=arm64, C=1, ...).
#
# The make of the kernel writes to the directory of the sources, so OUT gets links to them, and links to include/ and
# kmod/, where Kbuild files find headers as $(src)/include and $(src)/kmod.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
source=$(cd "$1" && pwd)
out=$2
kdir=$3
shift 3

fail() {
	echo "kmod: $*" >&2
	exit 1
}

[ -e "$kdir/Makefile" ] ||
	fail "no kernel headers in $kdir: install linux-headers-$(uname -r), or say KDIR=DIRECTORY"

mkdir -p "$out"
out=$(cd "$out" && pwd)
find "$out" -maxdepth 1 -type l -delete
ln -s "$source"/* "$top/include" "$out"
[ "$source" = "$top/kmod" ] || ln -s "$top/kmod" "$out"

# Inherits the jobs of the calling make, but not O=, which has another meaning for the make of the kernel.
jobs=
for word in ${MAKEFLAGS-}; do
	case $word in
	--) break ;;
	-j* | --jobserver-*) jobs="$jobs $word" ;;
	esac
done

run_make() {
	env -u MFLAGS -u MAKELEVEL "MAKEFLAGS=$jobs" make --no-print-directory -C "$kdir" "M=$out" \
		"TPROF_VERSION=$(cat "$top/VERSION")" "$@"
}
[ $# -gt 0 ] || set -- modules
run_make "$@"

# shellcheck disable=SC2046 # one word a module
cd "$out" && sh "$top/mk/btf.sh" $(sed 's|.*/||; s|o$|ko|' modules.order)
