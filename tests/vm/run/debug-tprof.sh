#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: debug
# The command and the library on the kernel with debugging checks. Takes half an hour if two such tests run at once.
VM_RUN=debug-tprof VM_SECONDS=${VM_SECONDS:-14400} exec "${0%/*}/../machine/boot.sh" debug .sh
