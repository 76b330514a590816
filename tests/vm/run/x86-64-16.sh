#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The module on Debian 13's kernel, with many more CPUs than the host has.
exec "${0%/*}/../boot.sh" x86-64-16
