#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: truth
# How near tprof, on both engines, and perf are to a known truth: where no interrupt is late because the emulator is. A
# sample that comes after a short burst of work is none of it.
VM_RUN=truth exec "${0%/*}/../machine/boot.sh" x86-64-icount truth
