#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: debug
# The module on a kernel that checks itself: memory, locks, leaks, what the language leaves undefined. For a quarter
# of an hour.
VM_SECONDS=${VM_SECONDS:-14400} exec "${0%/*}/../machine/boot.sh" debug .c
