#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: debug
# The module on Debian's real-time kernel, where most locks sleep and most interrupts are threaded.
exec "${0%/*}/../machine/boot.sh" rt
