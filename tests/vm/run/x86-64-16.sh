#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The module on Debian 13's kernel, with more CPUs than the host has: tests that depend most on the number of CPUs.
exec "${0%/*}/../machine/boot.sh" x86-64-16 contexts hotplug interrupts many_sessions nmi_everywhere nmi_staging \
	owner_killed start_fails stream_threads timer top_timer
