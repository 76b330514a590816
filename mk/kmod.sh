#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kmod.sh SOURCE OUT KDIR [ARGUMENT...]: builds the kernel modules of the directory SOURCE in OUT, for the kernel
# whose headers are in KDIR; ARGUMENTs are for the kernel's make (ARCH=arm64, C=1, ...).
#
# The make of the kernel writes to the directory of the sources, so OUT gets links to them, and links to include/ and
# kmod/, where Kbuild files find headers as $(src)/include and $(src)/kmod. So do directories of OUT with a Kbuild file.
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

# links SOURCE OUT
links() (
	mkdir -p "$2"
	find "$2" -maxdepth 1 -type l -delete
	ln -s "$top/include" "$2"
	[ "$1" = "$top/kmod" ] || ln -s "$top/kmod" "$2"
	for file in "$1"/*; do
		if [ -e "$file/Kbuild" ]; then
			links "$file" "$2/${file##*/}"
		else
			ln -s "$file" "$2"
		fi
	done
)

links "$source" "$out"
out=$(cd "$out" && pwd)

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

# Modules to which no filter attaches may be built without.
case " $* " in
*' CONFIG_DEBUG_INFO_BTF_MODULES= '*) exit ;;
esac
# The list has absolute names, or relative ones.
# shellcheck disable=SC2046 # one word a module
cd "$out" && sh "$top/mk/btf.sh" $(sed 's|o$|ko|' modules.order)
