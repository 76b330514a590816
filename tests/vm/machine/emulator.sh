# SPDX-License-Identifier: GPL-2.0-only
# For scripts that boot a guest: detects failures that the emulator causes.

# emulator_failed CONSOLE: QEMU 7.2 with a thread for each CPU sometimes executes an old version of an instruction that
# the kernel has patched, even before a module is loaded: the kernel then traps at a breakpoint that it has removed.
# Only in this case the guest is booted again.
emulator_failed() {
	grep -aq 'int3: 0000 \[#1\]' "$1"
}
