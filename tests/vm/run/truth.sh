#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: truth
# Compares tprof, on both engines, and perf with a known truth, in a machine whose clock counts instructions. With late
# interrupts of an emulator, samples would miss short bursts of work.
VM_RUN=truth exec "${0%/*}/../machine/boot.sh" x86-64-icount truth
