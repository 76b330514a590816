# SPDX-License-Identifier: GPL-2.0-only
# For scripts that boot a guest: chooses the emulator, and detects failures that it causes.

# emulator ARCHITECTURE: sets $emulator, the program with the options of its CPU, and $console, the kernel's arguments
emulator() {
	# shellcheck disable=SC2034 # used by the sourcing script
	case $1 in
	amd64)
		# -cx16: QEMU 7.2 sets wrong flags after cmpxchg16b, and Debian's 6.12.95 then panics in every other
		# boot. tsc=reliable: the TSCs of the emulated CPUs are synchronous. After a delay of the host, the
		# kernel may still consider them unstable, and use a clock so slow that many CPUs spend most of their
		# time reading it.
		emulator='qemu-system-x86_64 -cpu qemu64,-cx16' console='ttyS0 tsc=reliable'
		;;
	arm64)
		# The CPU `max` has all features that QEMU emulates. The architected pointer authentication algorithm is
		# slow.
		emulator='qemu-system-aarch64 -M virt,gic-version=3 -cpu max,pmu=on,pauth-impdef=on' console=ttyAMA0
		;;
	esac
}

# emulator_failed CONSOLE: QEMU 7.2 with a thread for each CPU sometimes executes an old version of an instruction that
# the kernel has patched, even before a module is loaded: the kernel then traps at a breakpoint that it has removed.
# Only in this case the guest is booted again.
emulator_failed() {
	grep -aq 'int3: 0000 \[#1\]' "$1"
}
