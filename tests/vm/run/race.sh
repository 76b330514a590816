#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: debug
# The module on a kernel that watches for data races, and for locks that real time cannot have. Ten minutes.
VM_SECONDS=${VM_SECONDS:-14400} exec "${0%/*}/../machine/boot.sh" race .c
