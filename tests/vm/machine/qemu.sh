#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# qemu.sh MACHINE KERNEL-ARGUMENTS QEMU-OPTION...: executes QEMU for the machine, with emulation (TCG), which needs no
# hardware virtualization.
set -eu

. "${0%/*}/machine.sh"
. "${0%/*}/emulator.sh"
machine "$1"
append=$2
shift 2

emulator "$arch"
threads=multi
# The clock advances 1 ns for each executed instruction, so instructions can be counted, and interrupts are punctual.
case $machine_name in
*-icount)
	threads=single
	set -- -icount shift=0,sleep=off "$@"
	;;
esac

# shellcheck disable=SC2086,SC2154 # words, which emulator() sets
exec $emulator -accel tcg,thread=$threads -smp "$cpus" -m "$memory" -nodefaults -nic none -display none -no-reboot \
	-kernel "$kernel_dir/vmlinuz" -initrd "$out/initramfs" \
	-append "console=$console loglevel=1 log_buf_len=4M panic=-1 oops=panic $append" "$@"
