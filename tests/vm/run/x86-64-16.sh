#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The module on Debian 13's kernel, with more CPUs than the host has: tests that depend on the number of CPUs. Tests
# that compare with the CPU time of short-lived processes do not run here, because interrupts of such a machine arrive
# after their end.
exec "${0%/*}/../machine/boot.sh" x86-64-16 clear contexts events hotplug idle interrupts lists many_sessions \
	nmi_everywhere nmi_hotplug nmi_ledger nmi_staging open_close owner_killed period staging stall start_fails \
	stream_full stream_mmap stream_read stream_threads stream_wrap timer top_timer
