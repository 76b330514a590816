#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A program that links the library reads keys and values of tables by their types.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"

compile "$TMP/cells" "$BUILD/libtprof.a" "${0%/*}/programs/cells.c"
background "$WORKLOAD/spin" --seconds 600
sleep 0.2

# cells FILTER TYPE...: all cells of its tables are right, and cells of these types, by number, occur
cells() {
	cells_filter=$1
	shift
	is "$cells_filter: each member is what its type says" \
		"$("$TMP/cells" "$BUILD/filters/$cells_filter.bpf.o" "$pid" 2>"$TMP/seen")" ''
	for type; do
		check "$cells_filter: there are some of type $type" \
			awk -v type="$type" '$(type + 1) > 0 { some = 1 } END { exit !some }' "$TMP/seen"
	done
}

# Addresses, cgroups and processes; stacks; texts
cells top 4 6 8
cells stacks 5 8
cells comm 2
done_testing
