#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: next
# The module on Debian's newest kernel.
VM_ARGUMENTS=${VM_ARGUMENTS:-walk_all=1 nr_changes=500} exec "${0%/*}/../machine/boot.sh" next
