#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=22
# A client of the library changes the rate of a running session, pauses it, and starts it again: the ledger closes.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"
. "${0%/*}/../lib/changes.sh"

changes_build change_rate
for event in cpu-clock task-clock page-faults; do
	changes "$event" change_rate perf $event
done
# In the sandbox, another process makes the changes; for a clock as for other events.
changes 'cpu-clock, in the sandbox' change_rate perf cpu-clock sandbox
changes 'page-faults, in the sandbox' change_rate perf page-faults sandbox

done_testing
