#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The module on Debian 13's kernel.
exec "${0%/*}/../machine/boot.sh" x86-64
