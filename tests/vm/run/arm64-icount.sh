#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=41
# The module on Debian 13's kernel for arm64, in a machine whose clock is the number of its instructions: the tests
# that count them, and those that interrupts may not be late for.
exec "${0%/*}/../machine/boot.sh" arm64-icount counted idle_wakes
