#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=506
# The module on Debian 13's kernel for arm64; QEMU emulates hardware counters there.
VM_PART=check exec "${0%/*}/../machine/boot.sh" arm64
