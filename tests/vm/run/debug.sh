#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The module on a kernel that checks itself: memory, locks, leaks, what the language leaves undefined. A night.
VM_SECONDS=${VM_SECONDS:-28800} VM_ARGUMENTS=${VM_ARGUMENTS:-fuzz_calls=1000000 hostile_rounds=30} \
	exec "${0%/*}/../boot.sh" debug
