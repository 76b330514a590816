#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: soak
# Half an hour of random sessions, forks, and CPUs and modules that come and go, on 16 CPUs.
VM_RUN=soak VM_SECONDS=3600 VM_ARGUMENTS=${VM_ARGUMENTS:-soak_seconds=1800} \
	exec "${0%/*}/../machine/boot.sh" x86-64-16 soak
