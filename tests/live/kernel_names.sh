#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=4
# Names of the kernel, in a sandbox and without one.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/kernel_names.sh"

names_singly sandbox
names_singly 'no sandbox' --no-sandbox
done_testing
