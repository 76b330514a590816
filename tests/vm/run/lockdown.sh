#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=27
# Kernel lockdown: in a machine of its own, because it lasts until the next boot.
VM_RUN=lockdown exec "${0%/*}/../machine/boot.sh" x86-64 lockdown
