#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=2
# A filter belongs to one session, and a prepared session to one process: other sessions, and children of fork(), get an
# error instead, and the owner goes on sampling.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"

TPROF_FILTER_PATH=$BUILD/filters
export TPROF_FILTER_PATH

# owners WHAT LIBRARY FLAG...
owners() {
	owners_what=$1 owners_library=$2
	shift 2
	compile "$TMP/owners" "$owners_library" "$@" "${0%/*}/programs/owners.c"
	ASAN_OPTIONS=detect_leaks=0 "$TMP/owners" >"$TMP/calls" 2>"$TMP/stderr"
	is "$owners_what: exit code" $? 0
	is "$owners_what: what is not as the header says" \
		"$(grep -v '^ok ' "$TMP/calls" | grep -vx "1\.\.[0-9]*")" ''
	is "$owners_what: nothing is printed" "$(cat "$TMP/stderr")" ''
	check "$owners_what: all calls were made" grep -qx "1\.\.$(grep -c '^ok ' "$TMP/calls")" "$TMP/calls"
}

owners 'calls' "$BUILD/libtprof.a"
sanitized=$BUILD/san-address-undefined/libtprof.a
if [ -e "$sanitized" ]; then
	owners 'AddressSanitizer' "$sanitized" -fsanitize=address,undefined
else
	skip 'AddressSanitizer' "no $sanitized; make san builds it"
fi

done_testing
