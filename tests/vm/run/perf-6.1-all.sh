#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: all
# The tests of the machine perf-6.1 that are shorter in make check, or missing there.
VM_RUN=perf-6.1-all VM_ARGUMENTS=${VM_ARGUMENTS:-long=1} exec "${0%/*}/../machine/boot.sh" perf-6.1 change change_cpus \
	filters kernel_names missed softirqs
