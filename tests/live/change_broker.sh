#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=2
# The broker of a session in a sandbox, which opens events with another period, is killed.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"
. "${0%/*}/../lib/changes.sh"

changes_build change_broker
changes 'no broker' change_broker

done_testing
