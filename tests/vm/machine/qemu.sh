#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# qemu.sh MACHINE KERNEL-ARGUMENTS QEMU-OPTION...: executes QEMU for the machine, with emulation (TCG), which needs no
# hardware virtualization.
set -eu

. "${0%/*}/machine.sh"
machine "$1"
append=$2
shift 2

case $arch in
amd64)
	# -cx16: QEMU 7.2 sets wrong flags after cmpxchg16b, and Debian's 6.12.95 then panics in every other boot.
	# tsc=reliable: the TSCs of the emulated CPUs are synchronous. After a delay of the host, the kernel may still
	# consider them unstable, and use a clock so slow that many CPUs spend most of their time reading it.
	qemu=qemu-system-x86_64 console='ttyS0 tsc=reliable'
	set -- -cpu qemu64,-cx16 "$@"
	;;
arm64)
	# The CPU `max` has all features that QEMU emulates. The architected pointer authentication algorithm is slow.
	qemu=qemu-system-aarch64 console=ttyAMA0
	set -- -M virt,gic-version=3 -cpu max,pmu=on,pauth-impdef=on "$@"
	;;
esac

threads=multi
# The clock advances 1 ns for each executed instruction, so instructions can be counted, and interrupts are punctual.
case $machine_name in
*-icount)
	threads=single
	set -- -icount shift=0,sleep=off "$@"
	;;
esac

exec $qemu -accel tcg,thread=$threads -smp "$cpus" -m "$memory" -nodefaults -nic none -display none -no-reboot \
	-kernel "$kernel_dir/vmlinuz" -initrd "$out/initramfs" \
	-append "console=$console loglevel=1 log_buf_len=4M panic=-1 oops=panic $append" "$@"
