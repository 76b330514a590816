#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=2
# Each function of a session, called in every state of the session and after a start that failed for each possible
# reason, returns what its header says and prints nothing.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"

TPROF_FILTER_PATH=$BUILD/filters
export TPROF_FILTER_PATH

# shellcheck disable=SC2086 # options are words
clang -g -O2 --target=bpf $FILTER_INCLUDE -c "${0%/*}/filters/unbounded.bpf.c" -o "$TMP/refused.bpf.o" ||
	bail 'cannot compile unbounded'
compile "$TMP/misuse" "$BUILD/libtprof.a" "${0%/*}/programs/misuse.c"
"$TMP/misuse" "$TMP/refused.bpf.o" >"$TMP/calls" 2>"$TMP/stderr"
is 'exit code' $? 0
is 'what is not as the header says' "$(grep -v '^ok ' "$TMP/calls" | grep -vx "1\.\.[0-9]*")" ''
is 'nothing is printed' "$(cat "$TMP/stderr")" ''
check 'all calls were made' grep -qx "1\.\.$(grep -c '^ok ' "$TMP/calls")" "$TMP/calls"

done_testing
