#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The guest tests on Debian 12's kernel.
exec "${0%/*}/boot.sh" 6.1
