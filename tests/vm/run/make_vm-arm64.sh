#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: all
# `make vm` with a guest of another architecture.
VM_ARCHS=arm64 exec "${0%/*}/../make_vm.sh"
