#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The module on Debian 13's kernel for arm64, in a machine whose clock is the number of its instructions: the test that
# counts them.
exec "${0%/*}/../boot.sh" arm64-icount counted
