#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: all
# On the machine x86-64: tests that run on another machine, or in a shorter form, in make check.
VM_RUN=x86-64-all VM_PART=all exec "${0%/*}/../machine/boot.sh" x86-64
