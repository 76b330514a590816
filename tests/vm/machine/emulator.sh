# SPDX-License-Identifier: GPL-2.0-only
# What is the emulator's doing and not the kernel's: for those that boot a guest.

# emulator_failed CONSOLE: QEMU 7.2 with a thread for each CPU now and then runs an instruction that the kernel has
# patched meanwhile, also before any module is there: the kernel then meets a breakpoint that it has taken away. Only
# that is run again.
emulator_failed() {
	grep -aq 'int3: 0000 \[#1\]' "$1"
}
