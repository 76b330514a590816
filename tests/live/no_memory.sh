#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=60 long
# At 7 points of each command (25 with LONG=1), one allocation of the running profiler fails, or all from there on. Then
# tprof reports the error and fails, or works without the memory and writes all that it has counted. A session that
# fails in this way leaves nothing behind.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/no_memory.sh"
. "${0%/*}/../lib/compile.sh"

TPROF=$(realpath "$TPROF")
TPROF_FILTER_PATH=$(realpath "$BUILD")/filters
export TPROF_FILTER_PATH
compile "$TMP/no_memory" "$BUILD/libtprof.a" "${0%/*}/programs/no_memory.c"
background "$WORKLOAD/spin" --seconds 600
cd "$TMP" || exit

points=7
[ -z "${LONG:-}" ] || points=25

# adds_up FILE: the ledger of a JSON profile closes, and its functions, if any, add up to the counted samples
adds_up() {
	[ "$(unexplained "$1")" = '0 0' ] &&
		jq -e 'if .functions then ([.functions[].samples] | add // 0) == .ledger.aggregated and
			([.functions[].weight] | add // 0) == .ledger.weight.aggregated else true end' "$1" >/dev/null
}

# Other libraries report the lack of memory as an error number.
is_told() {
	[ "$code" -gt 0 ] && [ "$code" -lt 5 ] && grep -q -i -e 'memory' -e '-12$' -e 'temporarily unavailable' err
}

# of_output, of_file: the output, or the file, is complete
of_output() {
	[ "$code" -eq 0 ] && adds_up out
}
of_file() {
	[ "$code" -eq 0 ] && "$TPROF" export -i result -f json >json && adds_up json
}

# fail_some HOW CHECK OPTION...: prints the first failure that is neither reported nor leaves complete output
fail_some() {
	some_how=$1 some_check=$2 some_i=0
	shift 2
	while [ "$some_i" -lt "$points" ]; do
		rm -f result
		some_at=$((nr * some_i / points))
		without_memory "$some_how" "$some_at" "$TPROF" "$@" --duration 0.1 -F 999 >out 2>err
		"$some_check" || is_told || {
			echo "$some_at of $nr: exit code $code: $(head -c 300 err)"
			return
		}
		some_i=$((some_i + 1))
	done
}

# walk NAME CHECK OPTION...
walk() {
	walk_name=$1
	shift
	nr=$(shift && allocations "$TPROF" "$@" --duration 0.1 -F 999)
	check "$walk_name: there are allocations" test "$nr" -gt 50
	is "$walk_name: one allocation fails" "$(fail_some AT "$@")" ''
	is "$walk_name: all fail from one on" "$(fail_some FROM "$@")" ''
}

walk 'top' of_output top --json
walk 'run, tables' of_output run --json stacks
walk 'record' of_file record -o result
walk 'record --raw' of_file record --raw -o result

# leaves_nothing WHAT HOW STEP
leaves_nothing() {
	./no_memory "$@" >left 2>err || diag "$(cat err)"
	like "a $1: $2 every $3: each leaves nothing" "$(paste -sd ' ' left)" '^of [0-9]{3,}$'
}
if [ -n "${LONG:-}" ]; then
	leaves_nothing session one 11
	leaves_nothing session from 29
else
	leaves_nothing session one 151
	leaves_nothing session from 397
fi
leaves_nothing filter one 1
leaves_nothing filter from 1
done_testing
