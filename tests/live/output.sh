#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Output that goes nowhere: a reader that leaves is no failure, a full disk is one, with its sentence.
. "${0%/*}/../lib/live.sh"

background "$WORKLOAD/spin" --seconds 600

# The exit code of a command whose reader goes away after one line
code_of_pipe() {
	{ "$@" 2>"$TMP/stderr"; echo $? >"$TMP/code"; } | head -n 1 >"$TMP/stdout"
	cat "$TMP/code"
}

is 'batch into head: ends' "$(code_of_pipe timeout 20 "$TPROF" top --batch -d 0.2)" 0
is 'batch into head: silent' "$(cat "$TMP/stderr")" ''
is 'JSON into head: ends' "$(code_of_pipe timeout 20 "$TPROF" top --json -d 0.2)" 0
check 'JSON into head: a whole object on the line' jq -e .version "$TMP/stdout"
for what in 'list events' 'list filters' doctor 'top --help' help; do
	# shellcheck disable=SC2086 # options are words
	is "$what into a closed pipe" "$(code_of_pipe timeout 20 "$TPROF" $what)" 0
done


for what in 'top --batch --duration 1' 'top --json --duration 1' 'run top --duration 1' \
	    'run --json top --duration 1' 'list events' doctor 'filter list' 'top --help'; do
	# shellcheck disable=SC2086 # options are words
	timeout 20 "$TPROF" $what >/dev/full 2>"$TMP/stderr"
	is "$what onto a full disk: exit code" $? 1
	like "$what onto a full disk: says so" "$(cat "$TMP/stderr")" '^tprof: .*No space left'
done

# Closed from the start
is 'no standard output' "$("$TPROF" top --batch --duration 1 >&- 2>/dev/null; echo $?)" 1
is 'no standard input' "$("$TPROF" top --batch --duration 1 <&- >/dev/null 2>&1; echo $?)" 0

done_testing
