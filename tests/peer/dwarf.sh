#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# perf record --call-graph dwarf and tprof record --call-graph dwarf find the same callers in programs without frame
# pointers: the most frequent call stack is the same, from the root to the leaf.
. "${0%/*}/../lib/live.sh"

command -v perf >/dev/null || skip_all 'no perf'
OMIT_FP=$WORKLOAD/omit_fp

# Tries three times, because perf 6.1 sometimes aborts at the end of a recording.
perf_record() {
	for try in 1 2 3; do
		perf record -q -B -N -e cpu-clock:u -F 997 --call-graph dwarf -o "$TMP/perf.data" -- "$@" \
			>"$TMP/perf.out" 2>&1 && return
		diag "perf failed, try $try"
	done
	return 1
}

# Prints the most frequent call stack of perf, from the root to the leaf, without inlined functions.
perf_chain() {
	perf_record "$@" >&2 &&
		perf script --no-inline -i "$TMP/perf.data" -F ip,sym 2>>"$TMP/perf.out" |
		awk 'NF { $1 = ""; sub(/^ /, ""); sub(/@@.*/, ""); chain = $0 (chain == "" ? "" : ";") chain; next }
			chain != "" { print chain; chain = "" }' |
		sort | uniq -c | sort -rn | awk 'NR == 1 { sub(/^ *[0-9]+ /, ""); print }'
}

tprof_chain() {
	"$TPROF" record --engine perf -e cpu-clock --user-only -F 997 --call-graph dwarf --format folded \
		-o "$TMP/chains" -- "$@" 2>"$TMP/stderr" || return
	awk '{ weight = $NF; $NF = ""; sub(/^[^;]*;/, ""); sub(/ $/, ""); print weight " " $0 }' "$TMP/chains" |
		sort -rn | awk 'NR == 1 { sub(/^[0-9]+ /, ""); print }'
}

# Internal functions of libc have other names in its debug file, or no names.
without_libc() {
	sed 's/__libc_start[a-z_0-9]*;//g; s/;__restore_rt;/;[unknown];/'
}

# same WHAT COMMAND...
same() {
	same_what=$1
	shift
	is "$same_what" "$(tprof_chain "$@" | without_libc)" "$(perf_chain "$@" | without_libc)"
}

same 'recursion' "$OMIT_FP/calls" 50 2
same 'a signal handler' "$OMIT_FP/frames" signal 1
same 'a frame of any size' "$OMIT_FP/frames" dynamic 1
same 'an aligned stack' "$OMIT_FP/frames" aligned 1

done_testing
