#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=3
# A raw recording has marks of the client, and notes of its targets, pauses and periods; `tprof report` prints them.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"
. "${0%/*}/../lib/changes.sh"

changes_build change_raw
changes notes change_raw perf "$TMP/notes.traw"
is 'report: the notes' "$("$TPROF" report "$TMP/notes.traw" | sed -n 's/^# at [0-9.]* s: //p' |
	sed 's/([0-9]*)/(N)/')" \
'added: process change_raw (N)
mark: first
added: process change_raw (N)
removed: process change_raw (N)
period: 500000
paused
mark: ?in a pause?
resumed
paused
resumed
paused
mark: end'
until=$("$TPROF" report "$TMP/notes.traw" | sed -n 's/^# at \([0-9.]*\) s: .*/\1/p' |
	awk 'NR == 1 { first = $1 } NR == 2 { print (first + $1) / 2 }')
is 'report: of a part' "$("$TPROF" report --to "$until" "$TMP/notes.traw" | grep -c '^# at ')" 1
check 'report: JSON is JSON' sh -c '"$0" report --json "$1" | jq -e .' "$TPROF" "$TMP/notes.traw"

done_testing
