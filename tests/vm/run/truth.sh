#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# How near tprof, on both engines, and perf are to a known truth.
VM_RUN=truth exec "${0%/*}/../boot.sh" x86-64 truth
