# SPDX-License-Identifier: GPL-2.0-only
# For the scripts of this directory: the properties and the directories of a machine.
#
#	machine NAME	sets $machine_name, $arch $kernel $cpus $memory $tests $pace from the table `machines`,
#			$out (output of this run: $VM_RUN, or else NAME), $modules and $kernel_dir (of its kernel), and
#			$user_build (programs of its architecture). $build, $cache (downloads) and $terminfo are the
#			same for all machines.
#
# $harness is this directory; scripts in other directories must set it. $vm is its parent.

harness=$(cd "${harness:-$(dirname "$0")}" && pwd)
# shellcheck disable=SC2034 # used by the sourcing script
vm=$(cd "$harness/.." && pwd)
top=$(cd "$vm/../.." && pwd)
build=${TPROF_BUILD:-build}
mkdir -p "$build/vm"
build=$(cd "$build" && pwd)
# Downloads do not depend on the build: several builds can share VM_CACHE.
cache=${VM_CACHE:-$build/vm}

machine() {
	machine_name=$1
	out=$build/vm/${VM_RUN:-$1}
	# shellcheck disable=SC2046 # a row is words
	set -- "$1" $(awk -v name="$1" '$1 == name' "$harness/machines")
	if [ $# -ne 8 ]; then
		echo "vm: no machine $1; there are: $(awk '/^[^#]/ { printf "%s ", $1 }' "$harness/machines")" >&2
		return 1
	fi
	# shellcheck disable=SC2034 # used by the sourcing script
	arch=$3 kernel=$4 cpus=$5 memory=$6 tests=$7 pace=$8
	user_build=$build
	[ "$arch" = amd64 ] || user_build=$build/vm/$arch
	modules=$build/vm/modules/$kernel-$arch
	kernel_dir=$cache/kernels/$kernel-$arch
	mkdir -p "$out" "$modules"
}

# The directory of the terminal descriptions of ncurses in Debian 12 and in Debian 13.
for terminfo in /lib/terminfo /usr/share/terminfo; do
	[ ! -e "$terminfo/x/xterm" ] || break
done
