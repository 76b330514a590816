#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: next
# The module on the newest kernel that Debian has, whichever that is.
exec "${0%/*}/../machine/boot.sh" next
