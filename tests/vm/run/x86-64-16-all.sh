#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: all
# On the machine x86-64-16: tests that depend on the number of CPUs, and run with two of them in make check. Tests that
# compare with the CPU time of short-lived processes do not run here, because interrupts of such a machine arrive after
# their end.
VM_RUN=x86-64-16-all exec "${0%/*}/../machine/boot.sh" x86-64-16 clear events idle lists nmi_hotplug nmi_ledger \
	open_close period staging stall stream_full stream_mmap stream_read stream_wrap
