#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=600
# tprof with the module on Debian 13's kernel.
VM_RUN=x86-64-tprof VM_PART=check exec "${0%/*}/../machine/boot.sh" x86-64 .sh
