#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: debug
# A million random calls of the device, and filter objects with changed bytes, on the kernel with debugging checks.
VM_RUN=hostile VM_SECONDS=${VM_SECONDS:-14400} VM_ARGUMENTS=${VM_ARGUMENTS:-fuzz_calls=1000000 hostile_rounds=10} \
	exec "${0%/*}/../machine/boot.sh" debug fuzz_device hostile_filters
