#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=117
# The perf engine on Debian 12's kernel.
VM_PART=check exec "${0%/*}/../machine/boot.sh" perf-6.1
