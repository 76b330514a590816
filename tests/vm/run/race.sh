#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: debug
# The module on a kernel that detects data races, and locks that real-time kernels forbid. Takes ten minutes.
VM_SECONDS=${VM_SECONDS:-14400} exec "${0%/*}/../machine/boot.sh" race .c
