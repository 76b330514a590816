#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=360
# The device of the module on Debian 13's kernel.
VM_PART=check exec "${0%/*}/../machine/boot.sh" x86-64 .c
