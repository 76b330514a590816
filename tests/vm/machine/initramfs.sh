#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# initramfs.sh MACHINE SYSROOT [.c | .sh | TEST...]: packs the initramfs of the machine: busybox, the built programs,
# the tests, and the programs from SYSROOT that these need. prepare.sh runs it.
#
# In the guest, the build is /tprof/build, modules are in /tprof/modules, tests in /tprof/tests/{lib,guest,kmod}, their
# filters in /tprof/tests/filters, and /tprof/list has the tests to run, each with its time limit.
set -eu

. "${0%/*}/machine.sh"
machine "$1"
sysroot=${2%/}
shift 2
root=$(mktemp -d)
chmod 755 "$root"
trap 'rm -rf "$root"' EXIT
case $arch in
amd64) triplet=x86_64-linux-gnu ;;
arm64) triplet=aarch64-linux-gnu ;;
esac

# library PATH...: installs the first of these files that exists, with its libraries, where the loader finds it
library() {
	for place in "$@"; do
		[ -e "$sysroot$place" ] || continue
		[ ! -e "$root$place" ] || return 0
		install -D "$sysroot$place" "$root$place"
		needs "$sysroot$place"
		return
	done
	echo "vm: a guest program needs $1, which is not in ${sysroot:-/}" >&2
	return 1
}

# needs FILE: installs the libraries and the loader that it needs
needs() {
	for name in $(readelf -lWd "$1" 2>/dev/null |
			sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p; s/.*program interpreter: \(.*\)\]/\1/p'); do
		case $name in
		/*) library "$name" ;;
		*) library "/lib/$triplet/$name" "/usr/lib/$triplet/$name" "/lib/$name" ;;
		esac
	done
}

# program FILE PATH: installs a program with its libraries
program() {
	install -D "$1" "$root/$2"
	needs "$1"
}

# tool NAME: installs a program of the distribution
tool() {
	for place in /usr/bin /usr/sbin /bin /sbin; do
		[ -e "$sysroot$place/$1" ] || continue
		program "$sysroot$place/$1" "bin/$1"
		return
	done
	echo "vm: no $1 in ${sysroot:-/} (run: sudo make setup)" >&2
	return 1
}

# setting FILE WORD: prints the value of WORD= in the line of a test that has `vm:` at the start of a comment
setting() {
	sed -n "s|^[#/* ]*vm:.* $2=\([^ ]*\).*|\1|p" "$1" | head -n 1
}

# Prints directory, name and time limit of the tests of this machine: all, those in C or in sh, or the named ones.
# VM_PART=check leaves out those that only `make check-all` runs on this machine; VM_PART=all prints only these.
list() {
	found=
	kind=
	case ${1-} in
	.*)
		kind=$1
		shift
		;;
	esac
	tested_as=$machine_name
	case $kernel in
	rt | debug | race) tested_as=x86-64 ;;
	esac
	[ "$machine_name" != next-arm64 ] || tested_as=arm64
	for file in "$vm/$tests"/*.sh "$vm/$tests"/*.c; do
		[ -e "$file" ] && [ "${file%"$kind"}$kind" = "$file" ] || continue
		name=$(basename "${file%.*}")
		if [ $# -gt 0 ]; then
			case " $* " in
			*" $name "*) found="$found $name" ;;
			*) continue ;;
			esac
		else
			machines=$(setting "$file" machines)
			case ",${machines:-$tested_as}," in
			*",$tested_as,"* | *",$machine_name,"*) ;;
			*) continue ;;
			esac
			case ",$(setting "$file" not)," in
			*",$machine_name,"*) continue ;;
			esac
			part=check
			case ",$(setting "$file" all)," in
			*",$machine_name,"*) part=all ;;
			esac
			[ "${VM_PART:-$part}" = $part ] || continue
		fi
		seconds=$(setting "$file" seconds)
		echo "$tests $name $((${seconds:-60} * pace))"
	done
	for name in "$@"; do
		case " $found " in
		*" $name "*) ;;
		*)
			echo "vm: no test $name in tests/vm/$tests" >&2
			return 1
			;;
		esac
	done
}

mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/etc" "$root/tprof/build/workload" \
	"$root/tprof/tests" "$root/tprof/modules"
ln -s bin "$root/sbin"
tool busybox
# gojq replaces jq, which takes a second to start in an emulated machine.
tool gojq
ln -s gojq "$root/bin/jq"
install "$user_build/guest/steady" "$root/init"
install "$harness/init" "$root/tprof/init"
install "$harness/guest_shell" "$root/tprof/shell"
program "$user_build/tprof" tprof/build/tprof
for client in "$vm"/programs/*.c; do
	built=$(basename "$client" .c)
	program "$user_build/guest/$built" "tprof/build/$built"
done
for workload in "$top"/tests/workload/*.c; do
	built=workload/$(basename "$workload" .c)
	program "$user_build/$built" "tprof/build/$built"
	built=workload/omit_fp/$(basename "$workload" .c)
	[ ! -e "$user_build/$built" ] || program "$user_build/$built" "tprof/build/$built"
done
for file in "$user_build"/workload/i386/*; do
	[ ! -e "$file" ] || program "$file" "tprof/build/workload/i386/${file##*/}"
done
cp -r "$build/filters" "$root/tprof/build/"
cp -r "$top/tests/lib" "$root/tprof/tests/"
cp -r "$build/guest/filters" "$root/tprof/tests/"
mkdir -p "$root/lib"
cp -r "$terminfo" "$root/lib/terminfo"
printf 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group"

mkdir "$root/tprof/tests/$tests"
list "$@" >"$root/tprof/list"
for file in "$vm/$tests"/*.sh; do
	[ ! -e "$file" ] || install "$file" "$root/tprof/tests/$tests/"
done
if [ "$tests" = kmod ]; then
	tool perf
	tool bpftool
	for file in "$vm"/kmod/*.c; do
		[ ! -e "$file" ] || install "$user_build/guest/$(basename "$file" .c)" "$root/tprof/tests/kmod/"
	done
	for file in "$modules"/tprof/*.ko "$modules"/tests/*/*.ko; do
		install -m 644 "$file" "$root/tprof/modules/"
	done
fi

(cd "$root" && find . | cpio --quiet -o -H newc) >"$out/initramfs.new"
mv "$out/initramfs.new" "$out/initramfs"
