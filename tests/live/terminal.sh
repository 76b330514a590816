#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `tprof top` on a terminal: the header always says engine, event, rate, samples and loss; keys do what the
# help says; it survives being resized and says when there is too little room.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/screen.sh"

background "$WORKLOAD/spin" --seconds 120

# top COLUMNS LINES [VARIABLE=VALUE]: a fresh terminal with tprof top in it
top() {
	terminal "$1" "$2" "env $3 $TPROF top -d 0.5 -F 997"
	sleep 2
}

# type_in KEY...: with time to take effect
type_in() {
	keys "$@"
	sleep 1
}

top 120 30
like 'header: engine' "$(screen | head -n 3)" '\bperf\b'
like 'header: event' "$(screen | head -n 3)" 'cpu-clock|cycles'
like 'header: rate' "$(screen | head -n 3)" '997 *Hz'
like 'header: samples' "$(screen | head -n 3)" '[0-9].* samples'
like 'header: loss' "$(screen | head -n 3)" 'lost|loss'
like 'rows: the workload' "$(screen)" ' hot '

type_in h
like 'h: help' "$(screen)" '[Qq]uit'
type_in Escape
like 'back from help' "$(screen)" ' hot '
type_in p
first=$(screen)
sleep 1.5
is 'p: pauses' "$(screen | tail -n +4)" "$(echo "$first" | tail -n +4)"
like 'p: says so' "$first" '[Pp]aused'
type_in p

resize 80 24
sleep 1
like 'resized: still there' "$(screen)" ' hot '
at_most 'resized: lines fit' "$(screen | wc -L)" 80
resize 12 3
sleep 1
resize 100 30
sleep 1
like 'too small for a while: comes back' "$(screen)" ' hot '

type_in q
is 'q: ends with 0' "$(cat "$TMP/code" 2>/dev/null)" 'code 0'
is 'q: nothing on stderr' "$(cat "$TMP/stderr")" ''

top 120 30
type_in C-c
is 'Ctrl-C: ends with 0' "$(cat "$TMP/code" 2>/dev/null)" 'code 0'
like 'Ctrl-C: the terminal is as before' "$(screen; keys x; sleep 0.3; screen)" 'x'

# With -p it ends with the process, and the heaviest rows stay.
background "$WORKLOAD/spin" --seconds 4
terminal 120 30 "$TPROF top -d 0.5 -F 997 -p $pid"
shows '-p: while the process runs' ' hot '
ends '-p: ends with the process' 0
like '-p: what it was stays' "$(screen)" ' hot '

top 15 3
like 'too small: says so' "$(screen; cat "$TMP/stderr")" 'small'
type_in q
like 'too small: can be left' "$(cat "$TMP/code" 2>/dev/null)" '^code [024]$'

top 120 30
like 'colour on a terminal' "$(coloured)" '^[1-9]'
top 120 30 NO_COLOR=1
is 'NO_COLOR: none' "$(coloured)" 0
like 'NO_COLOR: all the rest' "$(screen)" ' hot '

done_testing
