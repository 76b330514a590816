#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=10 sanitized=all
# Output that cannot be written: a closed pipe is no failure, a full disk is a failure with an error message.
. "${0%/*}/../lib/live.sh"

background "$WORKLOAD/spin" --seconds 600

# code_of_pipe COMMAND...: prints the exit code if the reader of its output exits after one line
code_of_pipe() {
	{ "$@" 2>"$TMP/stderr"; echo $? >"$TMP/code"; } | head -n 1 >"$TMP/stdout"
	cat "$TMP/code"
}

is 'batch into head: ends' "$(code_of_pipe timeout 20 "$TPROF" top --batch -d 0.2)" 0
without_loss "$TMP/stderr"
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

# A limit of the file size: an error message, and neither a file nor the command is left. Messages go through a pipe,
# because the limit applies to all files.
# limited BLOCKS FILE OPTION...: records a command that would run for ten minutes to a file that exists
limited() {
	limited_blocks=$1 limited_file=$TMP/limited/$2
	shift 2
	set -- -o "$limited_file" "$@"
	mkdir -p "$TMP/limited"
	echo older >"$limited_file"
	{ (
		ulimit -f "$limited_blocks"
		timeout 60 "$TPROF" record "$@" -F 9973 -- \
			sh -c 'echo $$ >&4; exec "$@"' sh "$WORKLOAD/spin" --seconds 600 4>&3 3>&-
		echo "code $?" >&3
	) 2>&1 | cat >"$TMP/stderr"; } 3>&1 | cat >"$TMP/said"
	is "$*: exit code" "$(sed -n 's/^code //p' "$TMP/said")" 1
	like "$*: says so" "$(cat "$TMP/stderr")" '^tprof: .*: File too large$'
	check "$*: the command has ended" await is_over "$(head -n 1 "$TMP/said")"
	is "$*: no temporary file" "$(ls -A "$TMP/limited" | grep -c '^\.')" 0
	# Only a file that can be read replaces the older one.
	[ "$limited_blocks" -gt 0 ] || is "$*: the older file is kept" "$(cat "$limited_file")" older
	rm -rf "$TMP/limited"
}
limited 0 x.pb.gz --duration 0.5
limited 0 x.folded --duration 0.5
limited 0 x.traw --duration 50 --raw
limited 16 x.traw --duration 50 --raw

# The command ignores the same signals as without tprof, not those that tprof ignores. Signals 32 and 33 are excluded,
# because the C library uses them internally.
ignored() {
	echo $((0x$(sed 's/.*[ 	]//') & ~(3 << 31)))
}
is 'signals of the command' \
	"$("$TPROF" record -o "$TMP/x.pb.gz" -- grep SigIgn /proc/self/status 2>/dev/null | ignored)" \
	"$(grep SigIgn /proc/self/status | ignored)"

# Standard streams that are closed from the start
is 'no standard output' "$("$TPROF" top --batch --duration 1 >&- 2>/dev/null; echo $?)" 1
is 'no standard input' "$("$TPROF" top --batch --duration 1 <&- >/dev/null 2>&1; echo $?)" 0

done_testing
