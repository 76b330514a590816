#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=27
# Kernel lockdown: in a machine of its own, because it lasts until the next boot. Before it, on the same machine:
# memory that is allocated keeps what was in it, and none of that leaves the kernel.
export VM_RUN=lockdown VM_ARGUMENTS='init_on_alloc=0 slub_debug=P'
exec "${0%/*}/../machine/boot.sh" x86-64 clean_memory lockdown
