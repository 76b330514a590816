#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: next
# The perf engine on Debian 13's kernel.
VM_ARGUMENTS=${VM_ARGUMENTS:-long=1} exec "${0%/*}/../machine/boot.sh" perf-6.12
