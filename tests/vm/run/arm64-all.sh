#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: all
# On the machine arm64: tests that need no arm64, and run on x86-64 in make check.
VM_RUN=arm64-all VM_PART=all exec "${0%/*}/../machine/boot.sh" arm64
