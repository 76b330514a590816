#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: debug
# The module on Debian's kernel for real time, where most locks sleep and most interrupts are threads.
exec "${0%/*}/../machine/boot.sh" rt
