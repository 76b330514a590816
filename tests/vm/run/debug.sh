#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: debug
# The module on a kernel with debugging checks: memory, locks, leaks, undefined behaviour. Takes a quarter of an hour.
VM_SECONDS=${VM_SECONDS:-14400} exec "${0%/*}/../machine/boot.sh" debug .c
