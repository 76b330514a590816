#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=15
# 500 changes of one session lose nothing, with one event and with several.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"
. "${0%/*}/../lib/changes.sh"

changes_build change_many
changes 'one event' change_many perf cpu-clock
changes 'eight events' change_many perf page-faults task-clock context-switches cpu-clock minor-faults \
	cpu-migrations major-faults alignment-faults

done_testing
