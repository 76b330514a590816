#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: next
# The module on Debian's newest kernel.
exec "${0%/*}/../machine/boot.sh" next
