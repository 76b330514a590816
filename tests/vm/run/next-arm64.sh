#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: next
# The module on the newest kernel that Debian has for arm64.
exec "${0%/*}/../machine/boot.sh" next-arm64
