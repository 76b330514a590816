#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=949
# The module on Debian 13's kernel.
exec "${0%/*}/../machine/boot.sh" x86-64
