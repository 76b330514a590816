#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# qemu.sh MACHINE KERNEL-ARGUMENTS QEMU-OPTION...: becomes the machine. Emulated (TCG), so that it runs anywhere.
set -eu

. "${0%/*}/machine.sh"
machine "$1"
append=$2
shift 2

case $arch in
amd64)
	# QEMU 7.2 leaves wrong flags behind cmpxchg16b: Debian's 6.12.95 then panics in every other boot.
	# The counters of cycles of its CPUs are one and the same. A kernel that had to wait for the host may find them
	# astray nevertheless, and then takes a clock so slow that many CPUs do little else than ask for the time.
	qemu=qemu-system-x86_64 console='ttyS0 tsc=reliable'
	set -- -cpu qemu64,-cx16 "$@"
	;;
arm64)
	# max has what is emulated and no more. Its pointer authentication is slow, if done as the architecture says.
	qemu=qemu-system-aarch64 console=ttyAMA0
	set -- -M virt,gic-version=3 -cpu max,pmu=on,pauth-impdef=on "$@"
	;;
esac

threads=multi
# Its clock is the number of instructions that it has run, 1 ns each: they can be counted, and interrupts are in time.
case $machine_name in
*-icount)
	threads=single
	set -- -icount shift=0,sleep=off "$@"
	;;
esac

exec $qemu -accel tcg,thread=$threads -smp "$cpus" -m "$memory" -nodefaults -nic none -display none -no-reboot \
	-kernel "$kernel_dir/vmlinuz" -initrd "$out/initramfs" \
	-append "console=$console loglevel=1 log_buf_len=4M panic=-1 oops=panic $append" "$@"
