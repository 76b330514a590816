#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=5
# The event loop of a client of the library wakes up for new samples, sleeps without them, and never blocks in a read
# because more samples arrive.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"

TPROF_FILTER_PATH=$BUILD/filters
export TPROF_FILTER_PATH

compile "$TMP/loop" "$BUILD/libtprof.a" "${0%/*}/programs/loop.c"
"$TMP/loop" >"$TMP/loop.out" 2>"$TMP/stderr"
is 'exit code' $? 0
is 'nothing is printed' "$(cat "$TMP/stderr")" ''
is 'what is not as it should be' "$(grep -v '^ok ' "$TMP/loop.out" | grep -vx "1\.\.[0-9]*")" ''
check 'all was asked' grep -qx "1\.\.$(grep -c '^ok ' "$TMP/loop.out")" "$TMP/loop.out"

done_testing
