#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=41
# The module on Debian 13's kernel for arm64, in a machine whose clock counts instructions: tests that count
# instructions, or that need punctual interrupts.
exec "${0%/*}/../machine/boot.sh" arm64-icount counted idle_wakes
